"""Writes the golden data of this folder: the windows that NeuralForecast cuts from a small panel, scaled.

    .venv/bin/python crates/forecast/tests/golden/windows/make.py

`series.csv` has two series of different length with a column known ahead and one known up to now,
`static.csv` two numbers of each. `windows.json` has every training window for each scaler: where it begins,
and its values, masks and columns as NeuralForecast hands them to a model.
"""

import json
import logging
import pathlib
import random
import warnings

HERE = pathlib.Path(__file__).parent
warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

import pandas as pd  # noqa: E402
import torch  # noqa: E402
from neuralforecast.models import MLP  # noqa: E402
from neuralforecast.tsdataset import TimeSeriesDataset  # noqa: E402

INPUT_SIZE, HORIZON = 6, 3
SCALERS = ["identity", "standard", "robust", "minmax", "minmax1"]


def panel():
    random.seed(4)
    rows = []
    for name, length in [("long", 14), ("short", 7)]:
        for t in range(length):
            y = round(20 + 3 * t + random.uniform(-5, 5), 2)
            rows.append((name, t, y, round(random.uniform(-1, 1), 3), round(100 + random.uniform(0, 9), 2)))
    return pd.DataFrame(rows, columns=["unique_id", "ds", "y", "price", "visits"])


def windows(frame, static, scaler):
    exogenous = dict(futr_exog_list=["price"], hist_exog_list=["visits"], stat_exog_list=["size", "age"])
    model = MLP(h=HORIZON, input_size=INPUT_SIZE, scaler_type=scaler, start_padding_enabled=True, **exogenous)
    dataset, ids, *_ = TimeSeriesDataset.from_df(frame, static)
    temporal = [dataset[i]["temporal"] for i in range(len(ids))]
    batch = dataset[0] | {"temporal": torch.stack(temporal), "static": dataset.static}
    cut, fixed, static_cols, kept, _, cols = model._create_windows(batch, step="train")
    parts = {"temporal": cut[kept], "temporal_cols": cols, "static": fixed[kept], "static_cols": static_cols}
    parts = model._normalization(parts, batch["y_idx"])
    y, mask, target, target_mask, hist, futr, stat = model._parse_windows(batch, parts)
    per_series = cut.shape[0] // len(ids)
    result = []
    for item, number in enumerate(kept.tolist()):
        lists = [[float(f"{v:.8g}") for v in x[item].flatten().tolist()] for x in (y, mask, target, target_mask, hist, futr, stat)]
        names = ["y", "mask", "target", "target_mask", "historic", "future", "fixed"]
        # Series are padded at their start to the longest, and all by all but one step of a look-back.
        longest = frame.groupby("unique_id").size().max()
        length = (frame.unique_id == ids[number // per_series]).sum()
        start = number % per_series - int(longest - length) - (INPUT_SIZE - 1)
        result.append({"series": number // per_series, "start": start} | dict(zip(names, lists)))
    return result


def main():
    frame = panel()
    static = pd.DataFrame({"unique_id": ["long", "short"], "size": [3.5, 1.0], "age": [0.0, 2.0]})
    frame.to_csv(HERE / "series.csv", index=False)
    static.to_csv(HERE / "static.csv", index=False)
    golden = {scaler: windows(frame, static, scaler) for scaler in SCALERS}
    (HERE / "windows.json").write_text(json.dumps(golden) + "\n")
    print({scaler: len(cases) for scaler, cases in golden.items()})


if __name__ == "__main__":
    main()
