"""NeuralForecast as its users run it: the models of `models.py` behind its own trainer.

The other half is `src/forecasters.rs`: the same panels, and weights it writes to `bench/out`.
"""

import os
import pathlib
import time

import numpy as np
import pandas as pd
import pytorch_lightning as pl
import torch
from safetensors.torch import load_file

import fill
import models

OUT = pathlib.Path(__file__).parent.parent / "out"

# Steps that are not timed: those in which things are made that stay.
FIRST = 3


def name_of(form: str) -> str:
    import neuralforecast

    return f"neuralforecast {neuralforecast.__version__} {form} t{torch.get_num_threads()}"


def use_threads() -> None:
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


def panel(series: int, length: int) -> pd.DataFrame:
    """Series of equal length at integer times: stream 1 times 4 plus 100."""
    return pd.DataFrame(
        {
            "unique_id": np.repeat([f"{number:04}" for number in range(series)], length),
            "ds": np.tile(np.arange(length), series),
            "y": fill.values(1, series * length) * np.float32(4) + np.float32(100),
        }
    )


def forecaster(model: str, **settings):
    """A model ready to be fitted; `mlp` is the MLP at its default size."""
    from neuralforecast import NeuralForecast

    return NeuralForecast([models.build({"mlp": "mlp-1m"}.get(model, model), **settings)], freq=1)


def take_over(net, model: str) -> None:
    """Gives a module the weights the other side has written."""
    weights = load_file(OUT / f"{model}.safetensors")
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if parameter.requires_grad:
                weight = weights[name]
                # Weights of convolutions have the taps first there.
                weight = weight.permute(1, 2, 0) if weight.dim() == 3 else weight
                parameter.copy_(weight.reshape(parameter.shape))


class Clock(pl.Callback):
    """When each training step ended. On the class, since NeuralForecast copies its models."""

    times: list = []

    def on_train_batch_end(self, *_):
        Clock.times.append(time.perf_counter())


class Fit:
    """Training runs, timed from one of their steps to a later one."""

    def __init__(self, model: str, batch: int, frame: pd.DataFrame, **settings):
        self.model, self.batch, self.frame, self.settings = model, batch, frame, settings

    def timed(self, steps: int) -> float:
        """Seconds a step takes, the mean over `steps` of a run of its own."""
        Clock.times = []
        settings = {"max_steps": FIRST + steps, "windows_batch_size": self.batch, "callbacks": [Clock()]}
        forecaster(self.model, **settings, **self.settings).fit(self.frame, val_size=0)
        assert len(Clock.times) == FIRST + steps
        return (Clock.times[-1] - Clock.times[FIRST - 1]) / steps

    def __call__(self) -> None:
        self.timed(1)
