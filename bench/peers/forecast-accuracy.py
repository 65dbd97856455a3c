"""NeuralForecast trained and tested on the development data, with the settings of `src/suites/forecast_accuracy`.

Cases: `m4/GROUP/MODEL`, `m1/GROUP/MODEL` (figures sMAPE and MASE), `ett/SET/MODEL/HORIZON` (MSE and MAE
on the standardised scale, over every window of the test part). The answer is the figures of each seed in turn.
`python forecast-accuracy.py CASE SEED` prints those of one seed. The data are in the folder WHIMBREL_DATA, or in
`../shared/data` beside the project.
"""

import json
import logging
import os
import sys
import time

import neuralforecast
import numpy as np
import pandas as pd
import torch
from neuralforecast import NeuralForecast
from neuralforecast.losses.pytorch import MAE, MSE
from neuralforecast.models import NBEATS, NHITS
from neuralforecast.tsdataset import TimeSeriesDataset

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.environ.get("WHIMBREL_DATA") or os.path.join(ROOT, "..", "shared", "data")
SEEDS = (1, 2, 3)
MODELS = {"nbeats": NBEATS, "nhits": NHITS}
# Horizon and season.
GROUPS = {
    "m4/hourly": (48, 24),
    "m4/weekly": (13, 1),
    "m1/yearly": (6, 1),
    "m1/quarterly": (8, 4),
    "m1/monthly": (18, 12),
}
# Rows of the parts to learn from, to validate with and to test on, and the frequency.
SETS = {
    "h1": ("ETTh1.csv", (8640, 2880, 2880), "h"),
    "h2": ("ETTh2.csv", (8640, 2880, 2880), "h"),
    "m1": ("ETTm1.csv.gz", (34560, 11520, 11520), "15min"),
}
TRAINER = {
    "accelerator": os.environ.get("WHIMBREL_PEER_ACCELERATOR", "cpu"),
    "devices": 1,
    "logger": False,
    "enable_checkpointing": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
}


def name_of(form: str) -> str:
    """Library, version and threads: `neuralforecast 3.3.0 t1`."""
    return f"neuralforecast {neuralforecast.__version__} t{torch.get_num_threads()}"


def variants(case: str) -> dict:
    return {"": lambda: lambda: None}


def answer(case: str, call):
    return [figure for seed in SEEDS for figure in figures(case, seed)]


def figures(case: str, seed: int) -> list:
    kind, group, model, *horizon = case.split("/")
    if kind == "ett":
        return long_horizon(group, MODELS[model], int(horizon[0]), seed)
    return competition(f"{kind}/{group}", MODELS[model], seed)


def competition(group: str, network, seed: int) -> list:
    """sMAPE in per cent, 0 to 200, and MASE."""
    horizon, season = GROUPS[group]
    folder, name = group.split("/")
    stem = f"{DATA}/{folder}/{'m1_' if folder == 'm1' else ''}{name}"
    train, test = pd.read_csv(f"{stem}_train.csv.gz"), pd.read_csv(f"{stem}_test.csv.gz")
    model = network(
        h=horizon,
        input_size=2 * horizon,
        scaler_type="robust",
        max_steps=1000,
        early_stop_patience_steps=3,
        # It refuses series shorter than the look-back otherwise.
        start_padding_enabled=folder == "m1",
        random_seed=seed,
        **TRAINER,
    )
    forecasters = NeuralForecast(models=[model], freq=1)
    forecasters.fit(train, val_size=horizon)
    both = test.merge(forecasters.predict().reset_index(), on=["unique_id", "ds"])
    assert len(both) == len(test)
    error = (both["y"] - both[network.__name__]).abs()
    share = 200.0 * error / (both["y"].abs() + both[network.__name__].abs())
    naive = train.groupby("unique_id")["y"].apply(lambda y: y.diff(season).abs().mean())
    scaled = error.groupby(both["unique_id"]).mean() / naive
    return [share.groupby(both["unique_id"]).mean().mean(), scaled[np.isfinite(scaled)].mean()]


def long_horizon(name: str, network, horizon: int, seed: int) -> list:
    """MSE and MAE over all windows whose horizon lies in the test part, over steps and channels."""
    file, (learn, validate, test), frequency = SETS[name]
    wide = pd.read_csv(f"{DATA}/{file}", parse_dates=["date"]).iloc[: learn + validate + test]
    values = wide.drop(columns="date")
    values = (values - values[:learn].mean()) / values[:learn].std(ddof=0)
    long = values.assign(ds=wide["date"]).melt("ds", var_name="unique_id", value_name="y")
    model = network(
        h=horizon,
        input_size=336,
        scaler_type="standard",
        loss=MAE(),
        max_steps=1000,
        windows_batch_size=256,
        val_check_steps=100,
        early_stop_patience_steps=3,
        random_seed=seed,
        **TRAINER,
    )
    forecasters = NeuralForecast(models=[model], freq=frequency)
    forecasters.fit(long[long["ds"].isin(wide["date"][: learn + validate])], val_size=validate)
    fitted = forecasters.models[0]
    dataset = TimeSeriesDataset.from_df(long)[0]
    fitted.set_test_size(test)
    windows = test - horizon + 1
    forecast = fitted.predict(dataset, step_size=1).reshape(values.shape[1], windows, horizon)
    squared, absolute = 0.0, 0.0
    for channel, column in enumerate(sorted(values.columns)):
        actual = values[column].to_numpy(np.float32)[-test:]
        error = forecast[channel] - np.lib.stride_tricks.sliding_window_view(actual, horizon)
        squared += np.mean(np.square(error, dtype=np.float64)) / values.shape[1]
        absolute += np.mean(np.abs(error, dtype=np.float64)) / values.shape[1]
    return [squared, absolute]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: forecast-accuracy.py CASE SEED")
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    start = time.time()
    figures = figures(sys.argv[1], int(sys.argv[2]))
    print(json.dumps({"case": sys.argv[1], "seed": int(sys.argv[2]), "figures": figures, "seconds": time.time() - start}))
