"""Forecasts of NeuralForecast: cases `predict/MODEL`, its `predict` of one series, warm, given anew or stored
since `fit`; `start/MODEL`, nothing timed, the answer being the seconds of a process that imports, loads, predicts
and prints."""

import statistics
import subprocess
import sys
import time

import forecasters
from forecasters import name_of  # noqa: F401

LENGTH = 144
# Each takes seconds, so that few tell their median.
PROCESSES = 3

forecasters.use_threads()

PROCESS = """
import sys, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from neuralforecast import NeuralForecast
forecaster = NeuralForecast.load(sys.argv[1])
print(forecaster.predict(df=pd.read_csv(sys.argv[2], dtype={"unique_id": str})).to_string())
"""


def trained(model: str):
    """NeuralForecast after a step, with the weights of the other side."""
    forecaster = forecasters.forecaster(model, max_steps=1)
    forecaster.fit(forecasters.panel(1, LENGTH), val_size=0)
    forecasters.take_over(forecaster.models[0], model)
    return forecaster


def predictor(model: str, stored: bool):
    forecaster, frame = trained(model), forecasters.panel(1, LENGTH)
    return forecaster.predict if stored else lambda: forecaster.predict(df=frame)


def variants(case: str) -> dict:
    mode, model = case.split("/")
    if mode == "start":
        return {"process": lambda: lambda: None}
    return {"predict": lambda: predictor(model, False), "stored": lambda: predictor(model, True)}


def answer(case: str, call):
    mode, model = case.split("/")
    if mode == "predict":
        return call().iloc[:, -1].to_numpy()
    folder, data = forecasters.OUT / "neuralforecast", forecasters.OUT / "series.csv"
    trained(model).save(str(folder), overwrite=True, save_dataset=False)
    return [statistics.median(process_seconds(folder, data) for _ in range(PROCESSES))]


def process_seconds(folder, data) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", PROCESS, str(folder), str(data)], check=True, stdout=subprocess.PIPE)
    return time.perf_counter() - start
