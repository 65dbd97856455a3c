"""Writes golden data of transforms, scalers and features: what scikit-learn, scipy, coreforecast,
NeuralForecast, pandas and utilsforecast make of small series.

    .venv/bin/python crates/forecast/tests/golden/preprocessing.py

Needs scikit-learn beside what bench/setup installs.
"""

import pathlib
import sys

import numpy as np
import pandas as pd
import torch
from coreforecast.grouped_array import GroupedArray
from coreforecast.scalers import (
    Difference,
    LocalMinMaxScaler,
    LocalRobustScaler,
    LocalStandardScaler,
    boxcox_lambda,
)
from neuralforecast.common._scalers import TemporalNorm
from scipy.stats import boxcox
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer, RobustScaler, StandardScaler
from utilsforecast.feature_engineering import fourier, trend

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "nn" / "tests" / "golden"))

from fixture import Fixture  # noqa: E402

RANDOM = np.random.default_rng(4)


def tensors(**arrays):
    return {name: torch.from_numpy(np.array(array, dtype=np.float64)) for name, array in arrays.items()}


def series(count):
    """Positive, skewed, with a trend, in numbers that f32 can hold."""
    t = np.arange(count)
    return np.exp(RANDOM.normal(size=count) * 0.6 + 0.3 * np.sin(t / 3) + 0.01 * t).astype(np.float32).astype(float)


def transforms():
    fixture = Fixture("transforms", HERE)

    whole = series(53)
    # Quartiles that are values, and quartiles between two.
    for values in (whole[:52], whole):
        column = values[:, None]
        group = GroupedArray(values, np.array([0, len(values)]))
        scaled = {
            "standard": [StandardScaler().fit_transform(column), LocalStandardScaler().fit_transform(group)],
            "minmax": [MinMaxScaler().fit_transform(column), LocalMinMaxScaler().fit_transform(group)],
            "robust": [LocalRobustScaler("mad").fit_transform(group)],
            "robust_iqr": [RobustScaler().fit_transform(column), LocalRobustScaler("iqr").fit_transform(group)],
            "log1p": [np.log1p(values)],
        }
        for name, answers in scaled.items():
            for number, answer in enumerate(answers):
                case = f"{name}{number} of {len(values)}"
                fixture.add(case, name, tensors(values=values, transformed=answer.ravel()))
    for lag in (1, 12):
        answer = Difference(lag).fit_transform(group)[lag:]
        fixture.add(f"difference{lag}", {"difference": lag}, tensors(values=values, transformed=answer))

    # At this number of values the shares scikit-learn asks for are exact, and ties stay ties.
    ties = np.round(series(65))
    for name, values in {"short": series(41), "ties": ties, "long": series(1500)}.items():
        for output in ("uniform", "normal"):
            # Without a sample, so that the answer is that of all values.
            quantiles = QuantileTransformer(n_quantiles=min(1000, len(values)), output_distribution=output, subsample=None)
            answer = quantiles.fit_transform(values[:, None]).ravel()
            fixture.add(f"quantile_{output}_{name}", f"quantile_{output}", tensors(values=values, transformed=answer))

    powers = {"cubes": (5 + RANDOM.normal(size=80)) ** 3, "counts": 1 + RANDOM.poisson(20, 60), "skewed": 1e4 * series(30)}
    for name, values in powers.items():
        values = np.asarray(values, dtype=np.float32).astype(float)
        # NeuralForecast does not go below 0.
        power = max(boxcox(values)[1], 0.0)
        assert abs(power - boxcox_lambda(values, "loglik", lower=0.0)) < 1e-3, (name, power)
        fixture.add(f"boxcox_{name}", "boxcox", tensors(values=values, transformed=boxcox(values, power), power=[power]))
    fixture.write()


def scalers():
    """What NeuralForecast makes of the look-backs of windows."""
    fixture = Fixture("scalers", HERE)
    windows = {"even": series(24), "mostly equal": np.array([3.0] * 9 + [7.0, -2.0]), "equal": np.full(5, 4.0)}
    for name in ("identity", "standard", "robust", "minmax", "minmax1", "invariant", "revin"):
        for kind, values in windows.items():
            # Equal values become -1 here, and 0 in Whimbrel as under all other scalers.
            if (name, kind) == ("minmax1", "equal"):
                continue
            x = torch.from_numpy(values).reshape(1, 1, -1)
            scaler = TemporalNorm(scaler_type=name, dim=-1, num_features=1)
            # The learned map of revin is the identity before anything is learned.
            answer = scaler.transform(x.unsqueeze(-2) if name == "revin" else x, torch.ones_like(x))
            fixture.add(f"{name} {kind}", name, tensors(values=values, scaled=answer.detach().numpy().ravel()))
    fixture.write()


def features():
    fixture = Fixture("features", HERE)
    values = {"whole": 1000 + series(120), "holes": series(120), "short": series(5)}
    values["holes"][RANDOM.choice(120, 30, replace=False)] = np.nan
    values["holes"][40:55] = np.nan
    for name, y in values.items():
        y = y.astype(np.float32).astype(float)
        column = pd.Series(y)
        answers = {f"lag {k}": column.shift(k) for k in (0, 1, 7)}
        answers |= {f"difference {k}": column.diff(k) for k in (1, 12)}
        for size, least in ((1, 1), (7, 7), (7, 1), (12, 5), (200, 3)):
            rolling = column.rolling(size, min_periods=least)
            for what in ("mean", "std", "min", "max"):
                answers[f"{what} {size} {least}"] = getattr(rolling, what)()
            for q in (0.0, 0.3, 0.5, 1.0):
                answers[f"quantile {size} {least} {q}"] = rolling.quantile(q)
        for alpha in (0.1, 0.7):
            for adjust in (True, False):
                answers[f"exponential {alpha} {str(adjust).lower()}"] = column.ewm(alpha=alpha, adjust=adjust).mean()
        fixture.add(name, {}, tensors(values=y, **answers))

    starts = {"h": "2023-12-30 17:00:00", "D": "2020-12-20", "MS": "2019-11-01", "ME": "2019-11-30", "W": "2024-12-01"}
    for freq, start in starts.items():
        times = pd.Series(pd.date_range(start, periods=60, freq=freq))
        names = "year quarter month day day_of_week day_of_year hour minute second days_in_month is_month_start is_month_end"
        answers = {name.replace("y_of_", "yof"): getattr(times.dt, name).astype(float) for name in names.split()}
        answers["week"] = times.dt.isocalendar().week.astype(float)
        fixture.add(f"calendar {freq}", {"start": start, "freq": freq}, tensors(**answers))

    frame = pd.concat(
        pd.DataFrame({"unique_id": name, "ds": np.arange(9 - rows, 9), "y": 0.0}) for name, rows in (("a", 9), ("b", 5))
    )
    for what, (known, ahead) in {
        "fourier 7 2": fourier(frame, freq=1, season_length=7, k=2, h=3),
        "trend": trend(frame, freq=1, h=3),
    }.items():
        columns = [name for name in known.columns if name not in ("unique_id", "ds", "y")]
        answers = {f"known/{name}": known[name] for name in columns} | {f"ahead/{name}": ahead[name] for name in columns}
        fixture.add(what, {"columns": columns}, tensors(**answers))
    fixture.write()


transforms()
scalers()
features()
