"""Runs exported networks in PyTorch and ONNX Runtime and compares their outputs with Whimbrel's.

    python check.py FOLDER

FOLDER has, for each network, NAME.safetensors and NAME.onnx as `whimbrel net export` writes them and
NAME.jsonl as `whimbrel net predict --json` prints it; and the rows that were predicted, rows.csv, or
NAME.csv of a network that has its own. The network is built anew from the metadata of the safetensors file, and takes the weights by
`load_state_dict`. Exits 0 if all agree, 1 if not, 77 with the reason if a package is missing.
"""

import csv
import json
import math
import pathlib
import struct
import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
    import torch
    from torch import nn
except ImportError as missing:
    print(missing)
    sys.exit(77)

TOLERANCE = 1e-5


class Conv1d(nn.Conv1d):
    """Sequences are [batch, time, channel]."""

    def __init__(self, inputs, out_channels, kernel_size, padding=0, **settings):
        settings.pop("in_channels", None)
        self.before = 0
        if padding == "causal":
            self.before, padding = (kernel_size - 1) * settings.get("dilation", 1), 0
        super().__init__(inputs, out_channels, kernel_size, padding=padding, **settings)

    def forward(self, x):
        x = nn.functional.pad(x.transpose(1, 2), (self.before, 0))
        return super().forward(x).transpose(1, 2)


def over_time(module):
    class OverTime(module):
        def forward(self, x):
            return super().forward(x.transpose(1, 2)).transpose(1, 2)

    return OverTime


class BatchNorm1d(nn.BatchNorm1d):
    def forward(self, x):
        return super().forward(x.transpose(1, 2)).transpose(1, 2) if x.dim() == 3 else super().forward(x)


def states_of(module):
    class States(module):
        def forward(self, x):
            return super().forward(x)[0]

    return States


class Attention(nn.MultiheadAttention):
    causal = False

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        return super().forward(x, x, x, need_weights=False, attn_mask=mask)[0]


class Waves(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base

    def forward(self, x):
        waves = torch.zeros(x.shape[1], x.shape[2])
        for step in range(x.shape[1]):
            for channel in range(x.shape[2]):
                angle = step / self.base ** ((channel - channel % 2) / x.shape[2])
                waves[step, channel] = math.cos(angle) if channel % 2 else math.sin(angle)
        return x + waves


class Vectors(nn.Module):
    def __init__(self, steps, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(steps, channels))

    def forward(self, x):
        return x + self.weight


class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


class Parallel(nn.ModuleList):
    def __init__(self, branches, merge):
        super().__init__(branches)
        self.merge = merge

    def forward(self, x):
        made = [branch(x) for branch in self]
        if self.merge == "concat":
            return torch.cat(made, -1)
        stacked = torch.stack(made)
        return stacked.sum(0) if self.merge == "sum" else stacked.prod(0)


class Shape(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.forward = change


ACTIVATIONS = {
    "relu": nn.ReLU, "relu6": nn.ReLU6, "leaky_relu": nn.LeakyReLU, "elu": nn.ELU, "celu": nn.CELU,
    "selu": nn.SELU, "gelu": nn.GELU, "silu": nn.SiLU, "mish": nn.Mish, "softplus": nn.Softplus,
    "softsign": nn.Softsign, "tanh": nn.Tanh, "tanhshrink": nn.Tanhshrink, "hardtanh": nn.Hardtanh,
    "sigmoid": nn.Sigmoid, "log_sigmoid": nn.LogSigmoid, "hardsigmoid": nn.Hardsigmoid,
    "hardswish": nn.Hardswish, "glu": nn.GLU,
}  # fmt: skip
CELLS = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
POOLS = {
    "max_pool1d": nn.MaxPool1d, "avg_pool1d": nn.AvgPool1d,
    "adaptive_max_pool1d": nn.AdaptiveMaxPool1d, "adaptive_avg_pool1d": nn.AdaptiveAvgPool1d,
}  # fmt: skip


def build(layer, x):
    """The module of a layer as the metadata have it, for inputs like `x`."""
    settings = {key: value for key, value in layer.items() if key != "type" and value is not None}
    kind, channels = layer["type"], x.shape[-1]
    if kind in ACTIVATIONS:
        return ACTIVATIONS[kind](**settings)
    if kind in ("softmax", "log_softmax"):
        return {"softmax": nn.Softmax, "log_softmax": nn.LogSoftmax}[kind](-1)
    if kind in CELLS:
        settings["input_size"] = channels
        return states_of(CELLS[kind])(batch_first=True, **settings)
    if kind in POOLS:
        return over_time(POOLS[kind])(**settings)
    match kind:
        case "embedding":
            return nn.Embedding(**settings)
        case "linear":
            return nn.Linear(channels, settings["out_features"], settings["bias"])
        case "conv1d":
            return Conv1d(channels, **settings)
        case "batch_norm1d":
            settings["num_features"] = channels
            return BatchNorm1d(**settings)
        case "layer_norm":
            settings["normalized_shape"] = channels
            return nn.LayerNorm(**settings)
        case "rms_norm":
            settings["normalized_shape"] = channels
            return nn.RMSNorm(**settings)
        case "prelu":
            return nn.PReLU(**settings)
        case "dropout":
            return nn.Dropout(**settings)
        case "multihead_attention":
            module = Attention(channels, settings["num_heads"], bias=settings["bias"], batch_first=True)
            module.causal = settings["is_causal"]
            return module
        case "positional_encoding":
            return Waves(settings["base"])
        case "positional_embedding":
            return Vectors(x.shape[1], channels)
        case "sequential":
            return build_all(settings["layers"], x)
        case "residual":
            return Residual(*build_all(settings["layers"], x))
        case "parallel":
            return Parallel([build_all(b, x) for b in settings["branches"]], settings["merge"])
        case "flatten":
            return Shape(lambda x: x.flatten(1))
        case "reshape":
            return Shape(lambda x, shape=settings["shape"]: x.reshape(-1, *shape))
        case "transpose":
            return Shape(lambda x: x.transpose(1, 2))
        case "last_step":
            return Shape(lambda x: x[:, -1])
    raise SystemExit(f"no module for {kind}")


def build_all(layers, x):
    modules = []
    for layer in layers:
        modules.append(build(layer, x).eval())
        with torch.no_grad():
            x = modules[-1](x)
    return nn.Sequential(*modules)


def read_safetensors(path):
    """The layers and the weights of a file, and what missing inputs count as."""
    data = path.read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:end])
    network = json.loads(header.pop("__metadata__")["whimbrel.network"])
    weights = {}
    for name, entry in header.items():
        start, stop = entry["data_offsets"]
        flat = np.frombuffer(data[end + start : end + stop], "<f4").copy()
        weights[name] = torch.from_numpy(flat.reshape(entry["shape"]))
    return network["layers"], weights, network.get("inputs", {}).get("mean")


def by_pytorch(path, x):
    layers, weights, means = read_safetensors(path)
    x = torch.from_numpy(x)
    x = x if means is None else torch.where(x.isnan(), torch.tensor(means), x)
    x = x.long() if "embedding" in json.dumps(layers[0]) else x
    network = build_all(layers, x)
    network.load_state_dict(weights)
    with torch.no_grad():
        return network.eval()(x).numpy()


def by_onnx(path, x):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    whole = session.get_inputs()[0].type == "tensor(int64)"
    return session.run(None, {"x": x.astype(np.int64) if whole else x})[0]


def read_rows(path):
    """All columns of a file but the last, which is the target; NaN where nothing stands."""
    with open(path) as file:
        number = lambda text: math.nan if text in ("", "NA") else float(text)
        rows = [[number(text) for text in row[:-1]] for row in list(csv.reader(file))[1:]]
    return np.array(rows, np.float32)


def main(folder):
    wrong = 0
    for ours in sorted(folder.glob("*.jsonl")):
        own = ours.with_suffix(".csv")
        x = read_rows(own if own.exists() else folder / "rows.csv")
        expected = np.array([json.loads(line)["scores"] for line in ours.open()], np.float32)
        for ending, run in ((".safetensors", by_pytorch), (".onnx", by_onnx)):
            found = run(ours.with_suffix(ending), x)
            off = float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))
            print(f"{ours.stem:<12} {run.__name__:<11} {off:.2e}")
            wrong += found.shape != expected.shape or not off <= TOLERANCE
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
