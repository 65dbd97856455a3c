"""Element-wise kernels and matrix times vector.

Cases: `{add,relu,scale,exp,tanh,sigmoid,gelu}/LENGTH` over stream 1 (and stream 2 for add), and
`mv/ROWSxCOLUMNS`, the matrix being stream 1 and the vector stream 2. All write into a given output.
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
    x = stream(1, *sizes)
    out = torch.empty_like(x)
    if name == "mv":
        vector, product = stream(2, sizes[1]), torch.empty(sizes[0])
        return {"mv": lambda: lambda: torch.mv(x, vector, out=product)}
    if name == "add":
        y = stream(2, *sizes)
        return {"add": lambda: lambda: torch.add(x, y, out=out)}
    calls = {
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


def answer(case: str, call):
    return call().numpy()
