"""Parameters both sides can make for themselves.

The i-th of a module's trained parameters is stream 1000 + i of `fill`, scaled by 1 / sqrt(fan in); a
vector counts as fan in 100, and the weights of norms lie around 1.
"""

import math

import torch

import fill


def fill_parameters(net: torch.nn.Module) -> None:
    norms = {
        id(module.weight)
        for module in net.modules()
        if "Norm" in type(module).__name__ and getattr(module, "weight", None) is not None
    }
    with torch.no_grad():
        for index, parameter in enumerate(p for p in net.parameters() if p.requires_grad):
            fan_in = parameter[0].numel() if parameter.dim() > 1 else 100
            values = torch.from_numpy(fill.values(1000 + index, parameter.numel())) / math.sqrt(fan_in)
            parameter.copy_(values.reshape(parameter.shape) + (1.0 if id(parameter) in norms else 0.0))
