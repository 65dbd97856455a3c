"""Writes initialisers.json: mean, deviation and extremes of what each initialiser of PyTorch gives.

    .venv/bin/python crates/nn/tests/golden/initialisers.py

A shape is Whimbrel's, `[tap, output, input]` for convolutions; PyTorch's has the taps last.
"""

import json
import pathlib

import torch
from torch.nn import init

LINEAR, CONVOLUTION = [300, 200], [5, 80, 40]
CASES = [
    ({"type": "zeros"}, lambda w: init.zeros_(w)),
    ({"type": "ones"}, lambda w: init.ones_(w)),
    ({"type": "constant", "val": 0.3}, lambda w: init.constant_(w, 0.3)),
    ({"type": "uniform"}, lambda w: init.uniform_(w)),
    ({"type": "uniform", "a": -0.1, "b": 0.4}, lambda w: init.uniform_(w, -0.1, 0.4)),
    ({"type": "normal"}, lambda w: init.normal_(w)),
    ({"type": "normal", "mean": 2.0, "std": 0.1}, lambda w: init.normal_(w, 2.0, 0.1)),
    ({"type": "trunc_normal"}, lambda w: init.trunc_normal_(w)),
    ({"type": "trunc_normal", "mean": 0.5, "std": 2.0, "a": 0.0, "b": 3.0}, lambda w: init.trunc_normal_(w, 0.5, 2.0, 0.0, 3.0)),
    ({"type": "xavier_uniform"}, lambda w: init.xavier_uniform_(w)),
    ({"type": "xavier_uniform", "gain": 2.0}, lambda w: init.xavier_uniform_(w, 2.0)),
    ({"type": "xavier_normal"}, lambda w: init.xavier_normal_(w)),
    ({"type": "kaiming_uniform"}, lambda w: init.kaiming_uniform_(w)),
    ({"type": "kaiming_uniform", "a": 0.5, "mode": "fan_out"}, lambda w: init.kaiming_uniform_(w, 0.5, "fan_out")),
    ({"type": "kaiming_normal", "nonlinearity": "relu"}, lambda w: init.kaiming_normal_(w, nonlinearity="relu")),
    ({"type": "kaiming_normal", "nonlinearity": "tanh", "mode": "fan_out"},
     lambda w: init.kaiming_normal_(w, mode="fan_out", nonlinearity="tanh")),
    ({"type": "kaiming_normal", "nonlinearity": "selu"}, lambda w: init.kaiming_normal_(w, nonlinearity="selu")),
    ({"type": "kaiming_normal", "nonlinearity": "sigmoid"}, lambda w: init.kaiming_normal_(w, nonlinearity="sigmoid")),
    ({"type": "kaiming_normal", "nonlinearity": "linear"}, lambda w: init.kaiming_normal_(w, nonlinearity="linear")),
    ({"type": "orthogonal"}, lambda w: init.orthogonal_(w)),
    ({"type": "orthogonal", "gain": 3.0}, lambda w: init.orthogonal_(w, 3.0)),
]

if __name__ == "__main__":
    torch.manual_seed(7)
    found = []
    for settings, fill in CASES:
        for shape in (LINEAR, CONVOLUTION):
            w = torch.empty(shape[1:] + shape[:1] if len(shape) == 3 else shape)
            fill(w)
            figures = {"mean": w.mean(), "std": w.std(correction=0), "min": w.min(), "max": w.max()}
            found.append({"settings": settings, "shape": shape} | {k: v.item() for k, v in figures.items()})
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n")
    print(path.name, path.stat().st_size, "bytes,", len(found), "cases")
