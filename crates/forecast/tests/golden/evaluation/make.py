"""Scores of utilsforecast for forecasts of made-up series, as evaluate.rs compares them.

Run in a Python with utilsforecast and pandas: python make.py (writes beside itself).
"""

from pathlib import Path

import numpy as np
import pandas as pd
from utilsforecast import losses

HERE = Path(__file__).parent
SEASON, HORIZON, LEVELS = 4, 5, [80, 90]
rng = np.random.default_rng(1)

train, rows = [], []
for name, length, level in [("a", 40, 50.0), ("b", 33, 900.0)]:
    t = np.arange(1, length + 1)
    y = level + 0.1 * level * np.sin(t * np.pi / 2) + rng.normal(0, 0.05 * level, length)
    y = y.round(2)
    if name == "a":
        y[-2] = 0.0
    train += [{"unique_id": name, "ds": d, "y": v} for d, v in zip(t, y)]
    for cutoff in [length - 2 * HORIZON, length - HORIZON]:
        for step in range(HORIZON):
            ds = cutoff + 1 + step
            row = {"unique_id": name, "ds": ds, "cutoff": cutoff}
            for model, error in [("Good", 0.05), ("Bad", 0.2)]:
                point = round(y[ds - 1] + rng.normal(0, error * level), 2)
                row[model] = point
                for l in LEVELS:
                    reach = round(error * level * (l / 50 - 0.5), 2)
                    row[f"{model}-lo-{l}"] = round(point - reach, 2)
                    row[f"{model}-hi-{l}"] = round(point + reach, 2)
            row["y"] = y[ds - 1]
            rows.append(row)
train, rows = pd.DataFrame(train), pd.DataFrame(rows)
train.to_csv(HERE / "train.csv", index=False)
rows.to_csv(HERE / "forecasts.csv", index=False)

models, scores = ["Good", "Bad"], []


def keep(name, table):
    # A series' score is the mean over its windows.
    for series, group in table.groupby("unique_id"):
        means = {model: group[model].mean() for model in models}
        scores.append({"unique_id": series, "metric": name, **means})


for name in ["mae", "mse", "rmse", "mape", "smape"]:
    keep(name, getattr(losses, name)(rows, models=models))
for name in ["mase", "rmsse"]:
    keep(name, getattr(losses, name)(rows, models=models, seasonality=SEASON, train_df=train))
quantiles = np.array([0.05, 0.1, 0.9, 0.95])
columns = {m: [f"{m}-lo-90", f"{m}-lo-80", f"{m}-hi-80", f"{m}-hi-90"] for m in models}
keep("scaled_crps", losses.scaled_crps(rows, models=columns, quantiles=quantiles))
for l in LEVELS:
    keep(f"coverage_level{l}", losses.coverage(rows, models=models, level=l))
pd.DataFrame(scores).to_csv(HERE / "scores.csv", index=False)
