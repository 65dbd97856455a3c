"""A network file in PyTorch: the same layers, data, split, optimiser and schedule, from the same text.

Only what the files of the `networks` suite use is known. Sequences are `[batch, time, channel]` here.
"""

import math
import pathlib
import tomllib

import numpy
import pandas
import torch
from torch import nn

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def read(name: str) -> dict:
    return tomllib.loads((EXAMPLES / f"{name}.toml").read_text())


class Reshape(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape

    def forward(self, x):
        return x.reshape(-1, *self.shape)


class Lstm(nn.Module):
    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


class LastStep(nn.Module):
    def forward(self, x):
        return x[:, -1]


class Attention(nn.Module):
    def __init__(self, channels: int, heads: int):
        super().__init__()
        self.attention = nn.MultiheadAttention(channels, heads, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class PositionalEncoding(nn.Module):
    def __init__(self, time: int, channels: int):
        super().__init__()
        step, channel = torch.arange(time).unsqueeze(1), torch.arange(channels)
        angle = step / 10_000.0 ** ((channel - channel % 2) / channels)
        self.register_buffer("waves", torch.where(channel % 2 == 0, angle.sin(), angle.cos()))

    def forward(self, x):
        return x + self.waves


class Residual(nn.Module):
    def __init__(self, inner: nn.Module):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return x + self.inner(x)


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(dim=1, keepdim=True)


def layer(settings: dict, shape: list):
    """A layer and the shape of an item that leaves it."""
    channels = shape[-1]
    match settings:
        case {"type": "reshape", "shape": shape}:
            return Reshape(shape), shape
        case {"type": "linear", "out_features": out}:
            return nn.Linear(channels, out), shape[:-1] + [out]
        case {"type": "lstm", "hidden_size": hidden}:
            return Lstm(channels, hidden), shape[:-1] + [hidden]
        case {"type": "multihead_attention", "num_heads": heads}:
            return Attention(channels, heads), shape
        case {"type": "residual", "layers": layers}:
            return Residual(network(layers, shape)), shape
        case {"type": "positional_encoding"}:
            return PositionalEncoding(*shape), shape
        case {"type": "adaptive_avg_pool1d"}:
            return Mean(), [1, channels]
        case {"type": "last_step"}:
            return LastStep(), [channels]
        case {"type": "flatten"}:
            return nn.Flatten(), [math.prod(shape)]
        case {"type": "layer_norm"}:
            return nn.LayerNorm(channels), shape
        case {"type": "dropout", "p": p}:
            return nn.Dropout(p), shape
        case {"type": "relu"}:
            return nn.ReLU(), shape
        case {"type": "gelu"}:
            return nn.GELU(), shape
    raise ValueError(f"no layer is known for {settings}")


def network(layers: list, shape: list) -> nn.Sequential:
    """The layers of a file, for items of `shape`."""
    built = []
    for settings in layers:
        made, shape = layer(settings, shape)
        built.append(made)
    return nn.Sequential(*built)


def rows(file: dict):
    """Inputs `[row, feature]` and classes."""
    table = pandas.read_csv(EXAMPLES / file["data"]["file"])
    classes = table.pop(file["data"]["target"])
    return torch.tensor(table.to_numpy(numpy.float32)), torch.tensor(classes.to_numpy(numpy.int64))


def split(classes, share: float, seed: int):
    """The rows to learn from and to validate with that `whimbrel_nn` chooses."""
    learn, validate = [], []
    for group in range(int(classes.max()) + 1):
        members = torch.nonzero(classes == group).flatten().tolist()
        shuffle(members, seed ^ 0x726F7773)
        kept = math.floor(len(members) * share + 0.5)
        learn += members[kept:]
        validate += members[:kept]
    return torch.tensor(sorted(learn)), torch.tensor(sorted(validate))


def shuffle(items: list, seed: int) -> None:
    """`whimbrel_nn::shuffle` in round 0."""
    key = mix(mix(seed))
    for i in range(len(items) - 1, 0, -1):
        j = mix(key + i * 0x9E3779B97F4A7C15) * (i + 1) >> 64
        items[i], items[j] = items[j], items[i]


def mix(x: int) -> int:
    whole = (1 << 64) - 1
    x &= whole
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & whole
    x = (x ^ x >> 27) * 0x94D049BB133111EB & whole
    return x ^ x >> 31
