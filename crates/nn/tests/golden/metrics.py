"""Writes metrics.json: what scikit-learn, or the formula in numpy, gives for every metric.

    python crates/nn/tests/golden/metrics.py        # needs numpy and scikit-learn

Inputs are numbers that f32 can hold; predictions of classes are `[class, item]`, as in Whimbrel.
"""

import json
import pathlib

import numpy as np
from sklearn import metrics as sk

RNG = np.random.default_rng(7)
ITEMS, CLASSES, SEASON = 96, 5, 4


def rounded(x):
    """To multiples of 1/256, which f32 holds and few digits write."""
    return np.round(256 * np.asarray(x)) / 256


def numbers():
    # Above 0, where all of them are defined.
    t = rounded(RNG.gamma(2.0, 2.0, ITEMS) + 0.1)
    p = rounded(np.abs(t + RNG.normal(0.0, 1.0, ITEMS)))
    error = p - t
    expected = {
        "bias": error.mean(),
        "mae": sk.mean_absolute_error(t, p),
        "mse": sk.mean_squared_error(t, p),
        "rmse": sk.root_mean_squared_error(t, p),
        "mape": sk.mean_absolute_percentage_error(t, p),
        "smape": (2 * np.abs(error) / (np.abs(p) + np.abs(t))).mean(),
        "msle": sk.mean_squared_log_error(t, p),
        "weighted_error": np.abs(error).sum() / np.abs(t).sum(),
        "max_error": sk.max_error(t, p),
        "quantile_loss": sk.mean_pinball_loss(t, p, alpha=0.2),
        "determination": sk.r2_score(t, p),
        "correlation": np.corrcoef(p, t)[0, 1],
    }
    return {"predictions": p, "targets": t}, expected


def series():
    past, t = rounded(RNG.normal(5.0, 2.0, 24)), rounded(RNG.normal(5.0, 2.0, 6))
    p = rounded(t + RNG.normal(0.0, 1.0, 6))
    naive = past[SEASON:] - past[:-SEASON]
    expected = {
        "mase": np.abs(p - t).mean() / np.abs(naive).mean(),
        "rmsse": np.sqrt(((p - t) ** 2).mean() / (naive**2).mean()),
    }
    return {"predictions": p, "targets": t, "history": past}, expected


def intervals():
    t = rounded(RNG.normal(0.0, 1.0, ITEMS))
    lower = rounded(-RNG.gamma(2.0, 0.7, ITEMS))
    upper = rounded(RNG.gamma(2.0, 0.7, ITEMS))
    below, above = np.maximum(lower - t, 0), np.maximum(t - upper, 0)
    expected = {
        "coverage": ((lower <= t) & (t <= upper)).mean(),
        "interval_score": (upper - lower + 2 / 0.1 * (below + above)).mean(),
    }
    return {"lower": lower, "upper": upper, "targets": t}, expected


def classes():
    right = RNG.integers(CLASSES, size=ITEMS)
    scores = RNG.normal(0.0, 1.0, (ITEMS, CLASSES))
    scores[np.arange(ITEMS), right] += 1.0
    # The last class is never predicted: its precision divides nothing by nothing.
    scores[:, -1] -= 9.0
    # In parts of a power of 2, so that f32 holds them and they still add up to 1.
    p = np.round(2**16 * np.exp(scores) / np.exp(scores).sum(1, keepdims=True)).clip(1)
    p[np.arange(ITEMS), p.argmax(1)] += 2**16 - p.sum(1)
    p /= 2**16
    predicted, labels = p.argmax(1), np.arange(CLASSES)
    macro = {"average": "macro", "labels": labels, "zero_division": 0}
    log_loss = sk.log_loss(right, p, labels=labels)
    expected = {
        "accuracy": sk.accuracy_score(right, predicted),
        "precision": sk.precision_score(right, predicted, **macro),
        "recall": sk.recall_score(right, predicted, **macro),
        "f1": sk.f1_score(right, predicted, **macro),
        "balanced_accuracy": sk.balanced_accuracy_score(right, predicted),
        "confusion": sk.confusion_matrix(right, predicted, labels=labels).flatten().tolist(),
        "log_loss": log_loss,
        "perplexity": np.exp(log_loss),
        "brier": ((p - np.eye(CLASSES)[right]) ** 2).sum(1).mean(),
        "top_2_accuracy": sk.top_k_accuracy_score(right, p, k=2, labels=labels),
        "top_3_accuracy": sk.top_k_accuracy_score(right, p, k=3, labels=labels),
    }
    return {"probabilities": p.T.flatten(), "right": right}, expected


def write():
    families = {make.__name__: make() for make in (numbers, series, intervals, classes)}
    content = {
        name: {"inputs": {k: v.tolist() for k, v in inputs.items()}, "expected": expected}
        for name, (inputs, expected) in families.items()
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(content, default=float) + "\n")
    print(path.name, path.stat().st_size, "bytes,", sum(len(e) for _, e in families.values()), "values")


if __name__ == "__main__":
    write()
