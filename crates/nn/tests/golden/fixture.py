"""Writes golden data: one safetensors file for each family of cases.

The metadata `cases` maps the name of a case to its settings, as JSON; the tensors of a case are
called `<case>/<what>`. Numbers are made in f64 from inputs that f32 can hold, then rounded.
"""

import json
import pathlib

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent


class Fixture:
    def __init__(self, family, folder=HERE):
        self.family, self.folder, self.cases, self.tensors = family, folder, {}, {}

    def add(self, case, settings, tensors):
        assert case not in self.cases, case
        self.cases[case] = settings
        for what, tensor in tensors.items():
            kind = torch.float32 if tensor.is_floating_point() else torch.int32
            # A copy of its own: safetensors refuses tensors that share memory.
            self.tensors[f"{case}/{what}"] = tensor.detach().to(kind).contiguous().clone()

    def write(self):
        path = self.folder / f"{self.family}.safetensors"
        save_file(self.tensors, path, metadata={"cases": json.dumps(self.cases)})
        print(path.name, path.stat().st_size, "bytes,", len(self.cases), "cases")


def representable(x):
    """The nearest numbers that f32 can hold, still in f64."""
    return x.detach().float().double()


def randn(*shape):
    return representable(torch.randn(*shape))
