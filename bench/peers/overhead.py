"""Making a network: cases `create/HIDDEN`, a multilayer perceptron with two hidden layers and Adam.

The answer is the bytes of its parameters.
"""

import torch
from torch import nn

import models


def network(hidden: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(models.INPUT, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, models.HORIZON),
    )


def variants(case: str) -> dict:
    hidden = int(case.split("/")[-1])

    def create():
        net = network(hidden)
        return torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)

    return {"Sequential": lambda: create}


def answer(case: str, call):
    hidden = int(case.split("/")[-1])
    return [sum(parameter.untyped_storage().nbytes() for parameter in network(hidden).parameters())]
