"""Single kernels.

Cases: `{add,relu,scale,exp,tanh,sigmoid,gelu}/LENGTH` over stream 1 (and stream 2 for add);
`mv/ROWSxCOLUMNS`, the matrix being stream 1 and the vector stream 2; `adam/LENGTH`, one update of
stream 1 by the gradient stream 2; `gather/ROWSxFEATURESxITEMS`, rows of the table stream 1 in steps
of 7919; `{softmax,layer-norm}/ROWSxCOLUMNS`, along the rows of stream 1. Where they can they write
into a given output.
"""

import torch
import torch.nn.functional as F

import fill


def stream(seed: int, *shape: int):
    count = 1
    for size in shape:
        count *= size
    return torch.from_numpy(fill.values(seed, count)).reshape(shape)


def variants(case: str) -> dict:
    parts = case.split("/")
    name, sizes = parts[0], [int(size) for size in parts[-1].split("x")]
    if name == "adam":
        return adam(sizes[0])
    if name == "gather":
        return gather(*sizes)
    x = stream(1, *sizes)
    out = torch.empty_like(x)
    if name == "mv":
        vector, product = stream(2, sizes[1]), torch.empty(sizes[0])
        return {"mv": lambda: lambda: torch.mv(x, vector, out=product)}
    if name == "add":
        y = stream(2, *sizes)
        return {"add": lambda: lambda: torch.add(x, y, out=out)}
    calls = {
        "softmax": {"softmax": lambda: torch.softmax(x, 1, out=out)},
        "layer-norm": {"layer_norm": lambda: F.layer_norm(x, sizes[1:])},
        "relu": {
            "clamp_min": lambda: torch.clamp_min(x, 0.0, out=out),
            "threshold": lambda: torch.ops.aten.threshold.out(x, 0.0, 0.0, out=out),
        },
        "scale": {"mul": lambda: torch.mul(x, 1.5, out=out)},
        "exp": {"exp": lambda: torch.exp(x, out=out)},
        "tanh": {"tanh": lambda: torch.tanh(x, out=out)},
        "sigmoid": {"sigmoid": lambda: torch.sigmoid(x, out=out)},
        "gelu": {
            "gelu out": lambda: torch.ops.aten.gelu.out(x, approximate="none", out=out),
            "gelu": lambda: F.gelu(x),
        },
    }[name]
    return {form: (lambda call=call: call) for form, call in calls.items()}


def adam(length: int) -> dict:
    parameter = torch.nn.Parameter(stream(1, length))
    parameter.grad = stream(2, length)

    def form(**options):
        return lambda: torch.optim.Adam([parameter], lr=1e-3, **options).step

    return {"fused-adam": form(fused=True), "foreach-adam": form(foreach=True)}


def gather(rows: int, features: int, items: int) -> dict:
    table, out = stream(1, rows, features), torch.empty(items, features)
    index = torch.arange(items) * 7919 % rows
    return {
        "index": lambda: lambda: table[index],
        "index_select": lambda: lambda: torch.index_select(table, 0, index, out=out),
    }


def answer(case: str, call):
    return call().numpy()
