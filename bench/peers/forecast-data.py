"""Preprocessing of a million values in f32.

Cases: `OPERATION/SERIESxROWS`, series of equal length being stream 1 times 4 plus 100, with
`scale` (to mean 0 and deviation 1), `difference` (of neighbours), `lags` (six), `rolling` (mean and
deviation over three windows), `fourier-PERIOD` (sine and cosine of two orders). Forms write into given
outputs where their library can. The answer is all columns one after another, what is not known being 0.
"""

import os

THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))
os.environ["POLARS_MAX_THREADS"] = str(THREADS)

import coreforecast  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import polars as pl  # noqa: E402
from coreforecast.grouped_array import GroupedArray  # noqa: E402
from coreforecast.lag_transforms import Lag, RollingMean, RollingStd  # noqa: E402
from coreforecast.rolling import rolling_mean, rolling_std  # noqa: E402
from coreforecast.scalers import Difference, LocalStandardScaler  # noqa: E402

import fill  # noqa: E402

LAGS = (1, 2, 3, 6, 12, 24)
WINDOWS = (7, 24, 168)
ORDERS = (1, 2)
LIBRARIES = {"coreforecast": coreforecast, "numpy": np, "pandas": pd, "polars": pl}


def name_of(form: str) -> str:
    """Library, version, form and threads: `numpy 2.4.6 tiled t1`."""
    library, *rest = form.split(" ") if form else ["", ""]
    version = getattr(LIBRARIES.get(library), "__version__", "")
    threads = THREADS if library in ("polars", "coreforecast") else 1
    return " ".join([library, version, *rest, f"t{threads}"])


def variants(case: str) -> dict:
    operation, sizes = case.split("/")
    series, rows = (int(size) for size in sizes.split("x"))
    operation, *period = operation.split("-")
    build = {"scale": scale, "difference": difference, "lags": lags, "rolling": rolling, "fourier": fourier}[operation]
    calls = build(Data(series, rows), *(float(number) for number in period))
    return {form: (lambda call=call: call) for form, call in calls.items()}


def answer(case: str, call):
    columns = call()
    if isinstance(columns, pl.DataFrame):
        columns = [columns[name].to_numpy() for name in columns.columns]
    elif isinstance(columns, (pd.DataFrame, pd.Series)):
        columns = columns.to_numpy().T
    return np.nan_to_num(np.concatenate([np.asarray(column).ravel() for column in np.atleast_1d(columns)]))


class Data:
    """The same values in the form each library likes best."""

    def __init__(self, series: int, rows: int):
        self.series, self.rows, self.alone = series, rows, series == 1
        self.flat = fill.values(1, series * rows) * np.float32(4) + np.float32(100)
        self.table = self.flat.reshape(series, rows)
        ids = np.repeat(np.arange(series, dtype=np.int32), rows)
        self.group = GroupedArray(self.flat, np.arange(series + 1) * rows, num_threads=THREADS)
        self.pandas = pd.Series(self.flat)
        self.pandas_ids = ids
        self.polars = pl.DataFrame({"id": ids, "y": self.flat})

    def empty(self, columns: int):
        return np.full((columns, self.series, self.rows), np.nan, dtype=np.float32)

    def by_series(self):
        """The pandas column, or the groups of it."""
        return self.pandas if self.alone else self.pandas.groupby(self.pandas_ids, sort=False)

    def select(self, *expressions):
        """Polars columns, each in one piece of memory."""
        over = expressions if self.alone else [expression.over("id") for expression in expressions]
        return lambda: self.polars.select(**{str(i): each for i, each in enumerate(over)}).rechunk()


def scale(data: Data) -> dict:
    out = data.empty(1)[0]

    def numpy():
        np.subtract(data.table, data.table.mean(axis=1, keepdims=True), out=out)
        return np.divide(out, data.table.std(axis=1, keepdims=True), out=out)

    def pandas():
        values = data.by_series()
        if data.alone:
            return (values - values.mean()) / values.std(ddof=0)
        return (data.pandas - values.transform("mean")) / values.transform("std", ddof=0)

    y = pl.col("y")
    return {
        "numpy": numpy,
        "pandas": pandas,
        "polars": data.select((y - y.mean()) / y.std(ddof=0)),
        "coreforecast": lambda: LocalStandardScaler().fit_transform(data.group),
    }


def difference(data: Data) -> dict:
    out = data.empty(1)[0]

    def numpy():
        np.subtract(data.table[:, 1:], data.table[:, :-1], out=out[:, 1:])
        return out

    return {
        "numpy": numpy,
        "pandas": lambda: data.by_series().diff(),
        "polars": data.select(pl.col("y").diff()),
        "coreforecast": lambda: Difference(1).fit_transform(data.group),
    }


def lags(data: Data) -> dict:
    out = data.empty(len(LAGS))

    def numpy():
        for column, lag in zip(out, LAGS):
            column[:, lag:] = data.table[:, :-lag]
        return out

    return {
        "numpy": numpy,
        "pandas": lambda: pd.DataFrame({lag: data.by_series().shift(lag) for lag in LAGS}),
        "polars": data.select(*(pl.col("y").shift(lag) for lag in LAGS)),
        "coreforecast": lambda: [Lag(lag).transform(data.group) for lag in LAGS],
    }


def rolling(data: Data) -> dict:
    out = data.empty(2 * len(WINDOWS))

    def numpy():
        first, second = (np.zeros((data.series, data.rows + 1)) for _ in range(2))
        # Distances from a value nearby: squares of values far from 0 would cancel.
        values = data.table.astype(np.float64) - data.table[:, :1]
        np.cumsum(values, axis=1, out=first[:, 1:])
        np.cumsum(values * values, axis=1, out=second[:, 1:])
        for i, window in enumerate(WINDOWS):
            mean = (first[:, window:] - first[:, :-window]) / window
            square = (second[:, window:] - second[:, :-window]) / window
            out[2 * i][:, window - 1 :] = mean + data.table[:, :1]
            out[2 * i + 1][:, window - 1 :] = np.sqrt((square - mean * mean) * (window / (window - 1)))
        return out

    def pandas():
        windows = [data.by_series().rolling(window) for window in WINDOWS]
        return [column.to_numpy() for each in windows for column in (each.mean(), each.std())]

    if data.alone:
        core = lambda: [f(data.flat, window) for window in WINDOWS for f in (rolling_mean, rolling_std)]
    else:
        transforms = [f(0, window) for window in WINDOWS for f in (RollingMean, RollingStd)]
        core = lambda: [each.transform(data.group) for each in transforms]
    y = pl.col("y")
    return {
        "numpy cumsum": numpy,
        "pandas": pandas,
        "polars": data.select(*(e for w in WINDOWS for e in (y.rolling_mean(w), y.rolling_std(w)))),
        "coreforecast": core,
    }


def fourier(data: Data, period: float) -> dict:
    out = data.empty(2 * len(ORDERS))
    t = np.arange(1, data.rows + 1, dtype=np.float64)
    steps = pl.DataFrame({"t": np.tile(t, data.series)})

    def numpy_f64():
        for i, wave in enumerate((np.sin, np.cos)):
            for order in ORDERS:
                out[len(ORDERS) * i + order - 1] = wave(t * (2 * np.pi * order / period))
        return out

    def numpy_f32():
        # Phases within a turn: f32 cannot hold those far from the start.
        for order in ORDERS:
            turns = t * (order / period)
            phases = ((turns - np.rint(turns)) * (2 * np.pi)).astype(np.float32)
            out[order - 1], out[len(ORDERS) + order - 1] = np.sin(phases), np.cos(phases)
        return out

    def numpy_tiled():
        season = int(period)
        first = t[:season]
        whole = data.rows // season * season
        for i, wave in enumerate((np.sin, np.cos)):
            for order in ORDERS:
                column = out[len(ORDERS) * i + order - 1]
                once = wave(first * (2 * np.pi * order / period)).astype(np.float32)
                column[:, :whole].reshape(data.series, -1, season)[:] = once
                column[:, whole:] = once[: data.rows - whole]
        return out

    waves = [
        (pl.col("t") * (2 * np.pi * order / period)).pipe(wave).cast(pl.Float32).alias(f"{i}{order}")
        for i, wave in enumerate((pl.Expr.sin, pl.Expr.cos))
        for order in ORDERS
    ]
    forms = {"numpy f64": numpy_f64, "numpy f32": numpy_f32, "polars": lambda: steps.select(waves)}
    return forms | ({"numpy tiled": numpy_tiled} if period == int(period) else {})
