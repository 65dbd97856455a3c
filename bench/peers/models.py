"""The forecasting models of the `steps` suite: 24 values in, 12 out.

`library(name)` is NeuralForecast's own module at its default sizes, as a function of x [B, 24, 1].
`plain(name)` is the same model written out with nothing around it, as a function of x [B, 24],
for those where the library's module carries weight a user would not write.
"""

import logging
import warnings

import torch
from torch import nn

INPUT, HORIZON = 24, 12

SIZES = {
    "mlp-5k": ("MLP", {"hidden_size": 54}),
    "mlp-1m": ("MLP", {}),
    "dlinear": ("DLinear", {}),
    "nlinear": ("NLinear", {}),
    "rnn": ("RNN", {}),
    "lstm": ("LSTM", {}),
    "gru": ("GRU", {}),
    "tcn": ("TCN", {}),
    "nbeats": ("NBEATS", {}),
    "nhits": ("NHITS", {}),
    "patchtst": ("PatchTST", {}),
}


class Library(nn.Module):
    """NeuralForecast's module behind a function of the input alone."""

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net

    def forward(self, x):
        mask = torch.ones_like(x)
        batch = {"insample_y": x, "insample_mask": mask, "futr_exog": None, "hist_exog": None, "stat_exog": None}
        return self.net(batch)


def build(name: str, **settings):
    """NeuralForecast's model, which trains itself quietly on the CPU."""
    warnings.filterwarnings("ignore")
    for logger in ("pytorch_lightning", "lightning.pytorch", "lightning_fabric", "lightning"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    import neuralforecast.models

    kind, sizes = SIZES[name]
    quiet = {
        "accelerator": "cpu",
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    return getattr(neuralforecast.models, kind)(h=HORIZON, input_size=INPUT, **sizes, **quiet, **settings)


def library(name: str, dropout: bool = True) -> nn.Module:
    net = build(name)
    if not dropout:
        for module in net.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
    return Library(net)


class PlainNLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(INPUT, HORIZON)

    def forward(self, x):
        last = x[:, -1:]
        return self.linear(x - last) + last


class PlainDLinear(nn.Module):
    """The moving average, edges repeated, is one fixed matrix."""

    def __init__(self, window: int = 25):
        super().__init__()
        self.trend = nn.Linear(INPUT, HORIZON)
        self.season = nn.Linear(INPUT, HORIZON)
        average = torch.zeros(INPUT, INPUT)
        for to in range(INPUT):
            for offset in range(-(window // 2), window // 2 + 1):
                average[min(max(to + offset, 0), INPUT - 1), to] += 1.0 / window
        self.register_buffer("average", average)

    def forward(self, x):
        trend = x @ self.average
        return self.trend(trend) + self.season(x - trend)


def plain(name: str):
    """The model written out, or None where the library's module is as plain as it gets."""
    if name.startswith("mlp"):
        hidden = {"mlp-5k": 54, "mlp-1m": 1024}[name]
        return nn.Sequential(
            nn.Linear(INPUT, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, HORIZON)
        )
    return {"dlinear": PlainDLinear, "nlinear": PlainNLinear}.get(name, lambda: None)()
