"""Layers: the result, and the gradients of sum(y * dy) with respect to input and parameters."""

import torch
from torch import nn

from fixture import Fixture, randn, representable

FIXTURE = Fixture("layers")


def flat(x):
    """[batch, channel] to [channel, batch]."""
    return x.T


def steps(x):
    """[batch, time, channel] to [time, channel, batch]."""
    return x.permute(1, 2, 0)


def channels_first(x):
    """[batch, channel, time] to [time, channel, batch]."""
    return x.permute(2, 1, 0)


def parameter_layout(name, x):
    """Weights of convolutions have the taps first."""
    return x.permute(2, 0, 1) if x.dim() == 3 else x


def scatter(module):
    """Parameters and statistics away from their defaults, which would hide mistakes."""
    for tensor in [*module.parameters(), *(b for b in module.buffers() if b.is_floating_point())]:
        noise = torch.randn_like(tensor)
        tensor.data = representable(0.5 * (noise.abs() + 0.5 if tensor.data.min() >= 1 else noise))


def case(name, settings, module, x, into, out=None, training=True):
    """`into` and `out` lay input and result out as Whimbrel does."""
    out = out or into
    scatter(module)
    module.train(training)
    state = {n: parameter_layout(n, t.clone()) for n, t in module.state_dict().items() if t.is_floating_point()}
    x = x.clone().requires_grad_(x.is_floating_point())
    y = module(x)
    dy = randn(*y.shape)
    wanted = {n: p for n, p in module.named_parameters()}
    leaves = [*wanted.values()] + ([x] if x.requires_grad else [])
    grads = torch.autograd.grad((y * dy).sum(), leaves)
    tensors = {"x": into(x), "y": out(y), "dy": out(dy)}
    if x.requires_grad:
        tensors["dx"] = into(grads[-1])
    for (n, p), grad in zip(wanted.items(), grads):
        tensors[f"grad/{n}"] = parameter_layout(n, grad)
    for n, t in state.items():
        tensors[f"state/{n}"] = t
    for n, t in module.named_buffers():
        if t.is_floating_point() and training:
            tensors[f"after/{n}"] = t
    FIXTURE.add(name, settings | {"training": training}, tensors)


class Function(nn.Module):
    """A network without parameters of its own."""

    def __init__(self, function, *parts):
        super().__init__()
        self.function, self.parts = function, nn.ModuleList(parts)

    def forward(self, x):
        return self.function(x)


def linear():
    case("linear", {"type": "linear", "out_features": 5}, nn.Linear(3, 5), randn(4, 3), flat)
    case("linear_on_steps", {"type": "linear", "in_features": 3, "out_features": 5, "bias": False},
         nn.Linear(3, 5, bias=False), randn(4, 2, 3), steps)
    deep = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2))
    settings = {"type": "sequential", "layers": [
        {"type": "linear", "out_features": 6}, {"type": "tanh"}, {"type": "linear", "out_features": 2}]}
    case("sequential", settings, deep, randn(4, 3), flat)


def activations():
    functions = {
        "relu": nn.ReLU(), "relu6": nn.ReLU6(), "tanh": nn.Tanh(), "sigmoid": nn.Sigmoid(), "silu": nn.SiLU(),
        "mish": nn.Mish(), "softsign": nn.Softsign(), "log_sigmoid": nn.LogSigmoid(), "tanhshrink": nn.Tanhshrink(),
        "hardtanh": nn.Hardtanh(), "hardsigmoid": nn.Hardsigmoid(), "hardswish": nn.Hardswish(), "selu": nn.SELU(),
        "gelu": nn.GELU(), "leaky_relu": nn.LeakyReLU(), "elu": nn.ELU(), "celu": nn.CELU(), "softplus": nn.Softplus(),
        "softmax": nn.Softmax(1), "log_softmax": nn.LogSoftmax(1), "glu": nn.GLU(1), "prelu": nn.PReLU(),
    }
    for kind, module in functions.items():
        case(kind, {"type": kind}, module, 4 * randn(5, 6), flat)
    case("gelu_tanh", {"type": "gelu", "approximate": "tanh"}, nn.GELU("tanh"), randn(5, 6), flat)
    case("leaky_relu_slope", {"type": "leaky_relu", "negative_slope": 0.25}, nn.LeakyReLU(0.25), randn(5, 6), flat)
    case("elu_alpha", {"type": "elu", "alpha": 0.5}, nn.ELU(0.5), randn(5, 6), flat)
    case("celu_alpha", {"type": "celu", "alpha": 0.5}, nn.CELU(0.5), randn(5, 6), flat)
    case("softplus_beta", {"type": "softplus", "beta": 2.0}, nn.Softplus(2.0), randn(5, 6), flat)
    case("prelu_channels", {"type": "prelu", "num_parameters": 6}, nn.PReLU(6), randn(5, 6), flat)


def write():
    linear()
    activations()
    FIXTURE.write()
