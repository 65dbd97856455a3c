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
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        module.weight.data[module.padding_idx] = 0


def case(name, settings, module, x, into, out=None, training=True, run=lambda module, x: module(x)):
    """`into` and `out` lay input and result out as Whimbrel does; `run` applies the module."""
    out = out or into
    scatter(module)
    module.train(training)
    state = {n: parameter_layout(n, t.clone()) for n, t in module.state_dict().items() if t.is_floating_point()}
    x = x.clone().requires_grad_(x.is_floating_point())
    y = run(module, x)
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


def convolutions():
    settings = {"type": "conv1d", "out_channels": 6, "kernel_size": 3}
    case("conv1d", settings, nn.Conv1d(4, 6, 3), randn(2, 4, 9), channels_first)
    case("conv1d_all", settings | {"stride": 2, "padding": 2, "dilation": 2, "groups": 2, "bias": False},
         nn.Conv1d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2, bias=False), randn(2, 4, 9), channels_first)
    case("conv1d_same", settings | {"kernel_size": 4, "padding": "same"},
         nn.Conv1d(4, 6, 4, padding="same"), randn(2, 4, 9), channels_first)
    causal = nn.Conv1d(4, 6, 3, dilation=2)
    causal.register_forward_pre_hook(lambda _, x: nn.functional.pad(x[0], (4, 0)))
    case("conv1d_causal", settings | {"dilation": 2, "padding": "causal"}, causal, randn(2, 4, 9), channels_first)


def pooling():
    x = randn(2, 3, 10)
    pools = {
        "max_pool1d": (nn.MaxPool1d(3), {"kernel_size": 3}),
        "avg_pool1d": (nn.AvgPool1d(3), {"kernel_size": 3}),
        "adaptive_avg_pool1d": (nn.AdaptiveAvgPool1d(4), {"output_size": 4}),
        "adaptive_max_pool1d": (nn.AdaptiveMaxPool1d(1), {}),
    }
    for kind, (module, settings) in pools.items():
        case(kind, {"type": kind} | settings, module, x, channels_first)
    case("max_pool1d_all", {"type": "max_pool1d", "kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2},
         nn.MaxPool1d(3, stride=2, padding=1, dilation=2), x, channels_first)
    case("avg_pool1d_all", {"type": "avg_pool1d", "kernel_size": 3, "stride": 2, "padding": 1},
         nn.AvgPool1d(3, stride=2, padding=1), x, channels_first)


def norms():
    for training in (True, False):
        phase = "training" if training else "predicting"
        case(f"batch_norm1d_{phase}", {"type": "batch_norm1d"}, nn.BatchNorm1d(3), randn(6, 3), flat, training=training)
        case(f"batch_norm1d_steps_{phase}", {"type": "batch_norm1d", "momentum": 0.3, "eps": 0.01},
             nn.BatchNorm1d(3, momentum=0.3, eps=0.01), randn(4, 3, 5), channels_first, training=training)
    case("batch_norm1d_plain", {"type": "batch_norm1d", "affine": False}, nn.BatchNorm1d(3, affine=False), randn(6, 3), flat)
    case("layer_norm", {"type": "layer_norm"}, nn.LayerNorm(5), randn(4, 3, 5), steps)
    case("layer_norm_no_bias", {"type": "layer_norm", "bias": False}, nn.LayerNorm(5, bias=False), randn(4, 5), flat)
    case("layer_norm_plain", {"type": "layer_norm", "elementwise_affine": False},
         nn.LayerNorm(5, elementwise_affine=False), randn(4, 5), flat)
    case("rms_norm", {"type": "rms_norm", "eps": 1e-6}, nn.RMSNorm(5, eps=1e-6), randn(4, 3, 5), steps)


def embedding():
    settings = {"type": "embedding", "num_embeddings": 7, "embedding_dim": 3}
    case("embedding", settings, nn.Embedding(7, 3), torch.tensor([2, 0, 6, 2]), lambda x: x, flat)
    tokens = torch.randint(7, (4, 5))
    case("embedding_of_steps", settings, nn.Embedding(7, 3), tokens, lambda x: x.T, steps)
    tokens = torch.tensor([[2, 5, 0, 2, 2], [5, 2, 1, 6, 2]])
    case("embedding_padded", settings | {"padding_idx": 2}, nn.Embedding(7, 3, padding_idx=2), tokens, lambda x: x.T, steps)


def recurrent():
    for kind, module in (("rnn", nn.RNN), ("lstm", nn.LSTM), ("gru", nn.GRU)):
        for name, hyper in {
            "": {},
            "_stacked": {"num_layers": 2},
            "_bidirectional": {"num_layers": 2, "bidirectional": True},
            "_no_bias": {"bias": False},
        }.items():
            settings = {"type": kind, "input_size": 3, "hidden_size": 4} | hyper
            net = module(3, 4, batch_first=True, **hyper)
            case(kind + name, settings, net, randn(2, 5, 3), steps, run=lambda net, x: net(x)[0])
    case("rnn_relu", {"type": "rnn", "hidden_size": 4, "nonlinearity": "relu"},
         nn.RNN(3, 4, nonlinearity="relu", batch_first=True), randn(2, 5, 3), steps, run=lambda net, x: net(x)[0])


def attention():
    def attend(net, x, mask=None):
        return net(x, x, x, attn_mask=mask, need_weights=False)[0]

    settings = {"type": "multihead_attention", "num_heads": 2}
    case("multihead_attention", settings, nn.MultiheadAttention(6, 2, batch_first=True), randn(3, 4, 6), steps, run=attend)
    case("multihead_attention_no_bias", settings | {"bias": False},
         nn.MultiheadAttention(6, 2, bias=False, batch_first=True), randn(3, 4, 6), steps, run=attend)
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    case("multihead_attention_causal", settings | {"embed_dim": 6, "num_heads": 3, "is_causal": True},
         nn.MultiheadAttention(6, 3, batch_first=True), randn(3, 4, 6), steps, run=lambda net, x: attend(net, x, mask))


def positions():
    def waves(_, x):
        time, channels = x.shape[1:]
        angle = torch.arange(time)[:, None] / 10000 ** (torch.arange(0, channels, 2) / channels)
        return x + torch.stack([angle.sin(), angle.cos()], -1).reshape(time, channels)

    case("positional_encoding", {"type": "positional_encoding"}, nn.Identity(), randn(2, 7, 6), steps, run=waves)
    case("positional_embedding", {"type": "positional_embedding"}, nn.Embedding(7, 6), randn(2, 7, 6), steps,
         run=lambda net, x: x + net(torch.arange(7)))


class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


class Parallel(nn.ModuleList):
    def __init__(self, merge, *branches):
        super().__init__(branches)
        self.merge = merge

    def forward(self, x):
        return self.merge([branch(x) for branch in self])


def structures():
    narrow, wide = ({"type": "linear", "out_features": n} for n in (2, 3))
    tanh = {"type": "tanh"}
    case("residual", {"type": "residual", "layers": [wide, tanh]}, Residual(nn.Linear(3, 3), nn.Tanh()), randn(4, 3), flat)
    branches = lambda out: [nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.Sequential(nn.Linear(3, out))]
    case("parallel_concat", {"type": "parallel", "branches": [[wide, tanh], [narrow], []]},
         Parallel(lambda made: torch.cat(made, 1), *branches(2), nn.Identity()), randn(4, 3), flat)
    for merge, join in (("sum", lambda made: made[0] + made[1]), ("product", lambda made: made[0] * made[1])):
        case(f"parallel_{merge}", {"type": "parallel", "branches": [[wide, tanh], [wide]], "merge": merge},
             Parallel(join, *branches(3)), randn(4, 3), flat)
    case("flatten", {"type": "flatten"}, nn.Flatten(), randn(4, 2, 3), steps, flat)
    case("reshape", {"type": "reshape", "shape": [3, 2]}, nn.Unflatten(1, (3, 2)), randn(4, 6), flat, steps)
    case("transpose", {"type": "transpose"}, nn.Identity(), randn(4, 2, 3), steps,
         run=lambda _, x: x.transpose(1, 2))
    case("last_step", {"type": "last_step"}, nn.Identity(), randn(4, 2, 3), steps, flat, run=lambda _, x: x[:, -1])


def write():
    linear()
    activations()
    convolutions()
    pooling()
    norms()
    embedding()
    recurrent()
    attention()
    positions()
    structures()
    FIXTURE.write()
