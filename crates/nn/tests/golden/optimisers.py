"""Optimisers: ten steps of a small network on ten batches, and where its parameters are then."""

import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from fixture import Fixture, randn, representable

FIXTURE = Fixture("optimisers")
STEPS, BATCH = 10, 6


def network():
    net = nn.Sequential(nn.Linear(3, 20), nn.Tanh(), nn.Linear(20, 2))
    for parameter in net.parameters():
        parameter.data = representable(parameter.data)
    return net


class Start:
    """What all cases begin with."""

    def __init__(self):
        self.net, self.x, self.y = network(), randn(STEPS, BATCH, 3), randn(STEPS, BATCH, 2)


def case(start, name, settings, make, clip=None, ema=None):
    net = copy.deepcopy(start.net)
    optimiser = make(net)
    average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(ema)) if ema else None
    losses = []
    for x, y in zip(start.x, start.y):
        optimiser.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        if clip:
            clip(net.parameters())
        optimiser.step()
        if average:
            average.update_parameters(net)
        losses.append(loss.detach())
    tensors = {"x": start.x.permute(0, 2, 1), "y": start.y.permute(0, 2, 1), "losses": torch.stack(losses)}
    tensors |= {f"start/{n}": p for n, p in start.net.named_parameters()}
    tensors |= {f"end/{n}": p for n, p in net.named_parameters()}
    if average:
        tensors |= {f"end/{n}.ema": p for n, p in average.module.named_parameters()}
    FIXTURE.add(name, settings, tensors)


def rule(start, name, kind, make, **hyper):
    case(start, name, {"rule": {"type": kind} | hyper}, lambda net: make(net.parameters(), **hyper))


def write():
    optim, start = torch.optim, Start()
    rule(start, "sgd", "sgd", optim.SGD, lr=0.1)
    rule(start, "sgd_momentum", "sgd", optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.01)
    rule(start, "sgd_nesterov", "sgd", optim.SGD, lr=0.1, momentum=0.9, nesterov=True)
    rule(start, "sgd_all", "sgd", optim.SGD, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
    rule(start, "adam", "adam", optim.Adam, lr=0.05)
    rule(start, "adam_all", "adam", optim.Adam, lr=0.05, betas=[0.8, 0.99], eps=1e-6, weight_decay=0.01)
    rule(start, "adamw", "adamw", optim.AdamW, lr=0.05, weight_decay=0.1)
    rule(start, "adamw_all", "adamw", optim.AdamW, lr=0.05, betas=[0.8, 0.99], eps=1e-6, weight_decay=0.1)
    rule(start, "rmsprop", "rmsprop", optim.RMSprop, lr=0.01)
    rule(start, "rmsprop_momentum", "rmsprop", optim.RMSprop, lr=0.01, momentum=0.5)
    rule(start, "rmsprop_centered", "rmsprop", optim.RMSprop, lr=0.01, centered=True)
    rule(start, "rmsprop_all", "rmsprop", optim.RMSprop, lr=0.01, alpha=0.9, eps=1e-6, weight_decay=0.01, momentum=0.5, centered=True)
    rule(start, "adagrad", "adagrad", optim.Adagrad, lr=0.1)
    rule(start, "adagrad_all", "adagrad", optim.Adagrad, lr=0.1, lr_decay=0.1, weight_decay=0.01, initial_accumulator_value=0.5, eps=1e-6)
    rule(start, "rprop", "rprop", optim.Rprop, lr=0.01)
    rule(start, "rprop_all", "rprop", optim.Rprop, lr=0.02, etas=[0.4, 1.5], step_sizes=[1e-3, 0.05])

    sgd = {"type": "sgd", "lr": 0.5}
    make = lambda net: optim.SGD(net.parameters(), lr=0.5)
    case(start, "clip_norm", {"rule": sgd, "clip": {"norm": 0.5}}, make, clip=lambda p: nn.utils.clip_grad_norm_(p, 0.5))
    case(start, "clip_value", {"rule": sgd, "clip": {"value": 0.05}}, make, clip=lambda p: nn.utils.clip_grad_value_(p, 0.05))
    case(start, "ema", {"rule": sgd, "ema": {"decay": 0.75}}, make, ema=0.75)

    def groups(net):
        biases = [p for n, p in net.named_parameters() if n.endswith(".bias")]
        last = [net[2].weight]
        return optim.AdamW([
            {"params": biases, "weight_decay": 0.0},
            {"params": last, "lr": 0.025},
            {"params": [net[0].weight]},
        ], lr=0.05, weight_decay=0.1)

    case(start, "groups", {
        "rule": {"type": "adamw", "lr": 0.05, "weight_decay": 0.1},
        "groups": [{"parameters": "*.bias", "weight_decay": 0.0}, {"parameters": "2.*", "lr_scale": 0.5}],
    }, groups)
    FIXTURE.write()
