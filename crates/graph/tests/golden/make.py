"""Writes golden.json: what PyTorch makes of small cases, in f64, in Whimbrel's layout (batch last).

    .venv/bin/python crates/graph/tests/golden/make.py

Each case has its inputs, the result `y`, random `weights` of the same shape, and the gradients of
sum(y * weights) with respect to the inputs named in `gradients`.
"""

import json
import pathlib

import torch
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
CASES = []


def last(x):
    """[batch, time, channel] to [time, channel, batch]."""
    return x.permute(1, 2, 0)


def dump(x):
    return {"shape": list(x.shape), "data": [float(v) for v in x.detach().reshape(-1)]}


def case(name, inputs, y, ours, layout=lambda x: x):
    """`ours` maps names to (leaf tensor, how its values and gradient are laid out)."""
    weights = torch.randn_like(y)
    leaves = [leaf for leaf, _ in ours.values() if leaf.requires_grad]
    grads = torch.autograd.grad((y * weights).sum(), leaves)
    grads = dict(zip([n for n, (leaf, _) in ours.items() if leaf.requires_grad], grads))
    CASES.append({
        "name": name,
        "inputs": {n: dump(how(leaf)) for n, (leaf, how) in ours.items()} | inputs,
        "weights": dump(layout(weights)),
        "y": dump(layout(y)),
        "gradients": {n: dump(ours[n][1](g)) for n, g in grads.items()},
    })


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def same(x):
    return x


def column(x):
    return x[:, None]


def recurrent():
    batch, time, channels, hidden = 2, 3, 2, 3
    for kind, gates in (("lstm", 4), ("gru", 3), ("rnn", 1)):
        net = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}[kind](channels, hidden, batch_first=True)
        for parameter in net.parameters():
            torch.nn.init.normal_(parameter, std=0.5)
        x = leaf(batch, time, channels)
        y, _ = net(x)
        ours = {"x": (x, last), "w_ih": (net.weight_ih_l0, same), "w_hh": (net.weight_hh_l0, same)}
        if kind == "gru":
            ours |= {"b_ih": (net.bias_ih_l0, column), "b_hh": (net.bias_hh_l0, column)}
        else:
            torch.nn.init.zeros_(net.bias_hh_l0)
            y, _ = net(x)
            ours |= {"bias": (net.bias_ih_l0, column)}
        case(kind, {}, y, ours, last)


def convolution():
    x, w = leaf(2, 4, 9), leaf(6, 2, 3)  # [batch, channel, time], [out, in / groups, taps]
    y = F.conv1d(F.pad(x, (2, 1)), w, stride=2, dilation=2, groups=2)
    time_first = lambda t: t.permute(2, 1, 0)
    case("conv1d", {}, y, {"x": (x, time_first), "w": (w, lambda t: t.permute(2, 0, 1))}, time_first)
    x = leaf(2, 3, 7)
    for name, pool in (("max_pool", F.max_pool1d), ("avg_pool", F.avg_pool1d)):
        case(name, {}, pool(x, 3, stride=2, padding=1), {"x": (x, time_first)}, time_first)


def attention():
    heads, width, queries, keys, batch = 2, 3, 3, 4, 2
    split = lambda t: t.reshape(batch, -1, heads, width).transpose(1, 2)
    q, k, v = leaf(batch, queries, heads * width), leaf(batch, keys, heads * width), leaf(batch, keys, heads * width)
    y = F.scaled_dot_product_attention(split(q), split(k), split(v)).transpose(1, 2).reshape(batch, queries, -1)
    case("attention", {}, y, {"q": (q, last), "k": (k, last), "v": (v, last)}, last)


def norms():
    x, w, b = leaf(2, 3, 5), leaf(5), leaf(5)
    case("layer_norm", {}, F.layer_norm(x, (5,), w, b, 1e-5), {"x": (x, last), "w": (w, column), "b": (b, column)}, last)
    case("softmax", {}, F.softmax(x, -1), {"x": (x, last)}, last)
    case("log_softmax", {}, F.log_softmax(x, -1), {"x": (x, last)}, last)
    x = leaf(4, 3)
    labels = torch.tensor([2, 0, 1, 1])
    y = F.cross_entropy(x, labels, reduction="none")[None]
    case("cross_entropy", {"labels": dump(labels)}, y, {"x": (x, lambda t: t.T)})
    x = leaf(6, 4)
    y = F.batch_norm(x, None, None, training=True, eps=1e-5)
    case("batch_norm", {}, y, {"x": (x, lambda t: t.T)}, lambda t: t.T)


def functions():
    x = leaf(3, 4)
    for name in ("gelu", "silu", "softplus", "relu", "tanh", "sigmoid"):
        case(name, {}, getattr(F, name)(x), {"x": (x, same)})
    case("erf", {}, torch.erf(x), {"x": (x, same)})


def optimisers():
    out = []
    for name, make in {
        "adam": lambda p: torch.optim.Adam(p, lr=0.05, weight_decay=0.1),
        "adamw": lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.1),
        "sgd": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1),
    }.items():
        p = leaf(2, 3)
        start, gradients = dump(p), [torch.randn(2, 3) for _ in range(10)]
        optimiser = make([p])
        for gradient in gradients:
            p.grad = gradient.clone()
            optimiser.step()
        out.append({"name": name, "start": start, "gradients": [dump(g) for g in gradients], "end": dump(p)})
    return out


recurrent()
convolution()
attention()
norms()
functions()
path = pathlib.Path(__file__).with_name("golden.json")
path.write_text(json.dumps({"torch": torch.__version__, "cases": CASES, "optimisers": optimisers()}, separators=(",", ":")))
print(path.stat().st_size, "bytes,", len(CASES), "cases")
