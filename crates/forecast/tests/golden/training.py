"""Writes `training.safetensors`: the losses of whole small trainings by NeuralForecast, from given weights.

    .venv/bin/python crates/forecast/tests/golden/training.py

Every step learns from all windows of two series, so that their order does not matter. With `revin` the learned map is
that of NeuralForecast's `RevIN`, around its network: its scaler of that name leaves the map as it is when the loss is
one of points, which is checked here.
"""

import copy
import logging
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "nn" / "tests" / "golden"))
warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

from fixture import Fixture  # noqa: E402
from neuralforecast.common._modules import RevIN  # noqa: E402
from neuralforecast.losses.pytorch import MAE, MSE  # noqa: E402
from neuralforecast.models import MLP, NHITS, NLinear  # noqa: E402
from neuralforecast.tsdataset import TimeSeriesDataset  # noqa: E402

FIXTURE = Fixture("training", HERE)
LENGTH, INPUT_SIZE, HORIZON, STEPS = 30, 8, 4, 8
WINDOWS = 2 * (LENGTH - INPUT_SIZE)
QUIET = dict(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
             enable_model_summary=False)


def panel():
    """Two series and how much their values count, some of them nothing."""
    generator = np.random.default_rng(5)
    t = np.arange(LENGTH)
    y = [30 + t + 8 * np.sin(t / 2), 400 - 5 * t + 90 * np.cos(t)]
    y = np.round(np.stack(y) + generator.normal(0, 3, (2, LENGTH)), 2)
    weight = np.round(generator.uniform(0, 3, (2, LENGTH)) * (generator.random((2, LENGTH)) < 0.7), 2)
    return y, weight


Y, WEIGHT = panel()


def frame(weighted):
    ids, ds = np.repeat(["a", "b"], LENGTH), np.tile(np.arange(LENGTH), 2)
    columns = {"unique_id": ids, "ds": ds, "y": Y.ravel()} | ({"sample_weight": WEIGHT.ravel()} if weighted else {})
    return pd.DataFrame(columns)


def new(network, scaler, loss, settings, **training):
    torch.manual_seed(3)
    return network(h=HORIZON, input_size=INPUT_SIZE, scaler_type=scaler, loss=loss, max_steps=STEPS,
                   windows_batch_size=WINDOWS, **settings, **training, **QUIET)


def case(name, network, scaler, loss, settings, weighted=False, **training):
    model = new(network, scaler, loss, settings, **training)
    start = copy.deepcopy(dict(model.named_parameters()))
    model.fit(TimeSeriesDataset.from_df(frame(weighted))[0])
    add(name, network, scaler, loss, settings, weighted, training, start, [loss for _, loss in model.train_trajectories])


def add(name, network, scaler, loss, settings, weighted, training, start, losses):
    both = {"network": {"type": network.__name__} | settings, "scaler_type": scaler,
            "loss": {"type": type(loss).__name__.lower()}, "weighted": weighted} | training
    tensors = {f"state/{parameter}": tensor for parameter, tensor in start.items() if tensor.requires_grad}
    FIXTURE.add(name, both, tensors | {"losses": torch.tensor(losses), "y": torch.tensor(Y),
                                       "weight": torch.tensor(WEIGHT)})


def reversible(name, network, settings, learning_rate):
    """A network between the two halves of RevIN, its loss on standardised values."""
    model, revin = new(network, "identity", MSE(), settings), RevIN(1, eps=1e-12, affine=True)
    revin.affine_weight.data[:], revin.affine_bias.data[:] = 1.3, -0.4
    parts = torch.nn.ModuleDict({"network": model, "revin": revin})
    values = torch.nn.functional.pad(torch.tensor(Y, dtype=torch.float32), (0, HORIZON), value=float("nan"))
    windows = values.unfold(1, INPUT_SIZE + HORIZON, 1)[:, : LENGTH - INPUT_SIZE].flatten(0, 1)
    past, ahead = windows[:, :INPUT_SIZE, None], windows[:, INPUT_SIZE:, None]
    mean, deviation = past.mean(1, keepdim=True), past.std(1, keepdim=True, unbiased=False)
    start = {f"revin.{key}": x.reshape(1, 1) for key, x in copy.deepcopy(dict(revin.named_parameters())).items()}
    start |= copy.deepcopy(dict(model.named_parameters()))
    known, losses = ~ahead.isnan(), []
    optimiser = torch.optim.Adam(parts.parameters(), lr=learning_rate)
    for _ in range(STEPS):
        scaled = revin(past, "norm")
        forecast = model(dict(insample_y=scaled, insample_mask=torch.ones_like(scaled), hist_exog=None, futr_exog=None,
                              stat_exog=None))
        error = (revin(forecast, "denorm") - ahead.nan_to_num()) / deviation
        loss = error.square()[known].mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    add(name, network, "revin", MSE(), settings, False, {"learning_rate": learning_rate, "num_lr_decays": 0}, start, losses)


def check_scaler_of_that_name():
    """Its parameters have no gradient, and without them it is the standard scaler."""
    trained = [new(MLP, scaler, MAE(), {"hidden_size": 6}) for scaler in ("revin", "standard")]
    for model in trained:
        model.fit(TimeSeriesDataset.from_df(frame(False))[0])
    assert trained[0].scaler.revin_weight.item() == 1 and trained[0].scaler.revin_bias.item() == 0
    assert trained[0].train_trajectories == trained[1].train_trajectories


check_scaler_of_that_name()
case("plain", MLP, "identity", MAE(), {"num_layers": 2, "hidden_size": 6}, learning_rate=0.01, num_lr_decays=0)
case("weighted", MLP, "standard", MAE(), {"num_layers": 1, "hidden_size": 6}, True, learning_rate=0.01, num_lr_decays=0)
case("weighted_squares", NLinear, "robust", MSE(), {}, True, learning_rate=0.02, num_lr_decays=2)
case("halved", NHITS, "robust", MAE(), {"mlp_units": [[6, 6]] * 3}, learning_rate=0.01, num_lr_decays=4)
reversible("revin", MLP, {"num_layers": 1, "hidden_size": 6}, 0.05)
FIXTURE.write()
