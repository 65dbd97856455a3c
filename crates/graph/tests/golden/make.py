"""Writes golden.json: what PyTorch makes of small cases, in f64, in Whimbrel's layout (batch last).

    .venv/bin/python crates/graph/tests/golden/make.py

Each case has its inputs, the result `y`, random `weights` of the same shape, and the gradients of
sum(y * weights) with respect to the inputs named in `gradients`. `state` is what a case begins with
besides its inputs, `after` what becomes of it. Minus infinity is written as null.
"""

import json
import math
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
    """Ten digits are enough for a comparison of six."""
    numbers = [float(f"{v:.10g}") for v in x.detach().reshape(-1)]
    return {"shape": list(x.shape), "data": [None if v == -math.inf else v for v in numbers]}


def case(name, inputs, y, ours, layout=lambda x: x, **more):
    """`ours` maps names to (leaf tensor, how its values and gradient are laid out)."""
    weights = torch.randn_like(y)
    leaves = [leaf for leaf, _ in ours.values() if leaf.requires_grad]
    grads = torch.autograd.grad((y * weights).sum(), leaves, materialize_grads=True)
    grads = dict(zip([n for n, (leaf, _) in ours.items() if leaf.requires_grad], grads))
    CASES.append({
        "name": name,
        "inputs": {n: dump(how(leaf)) for n, (leaf, how) in ours.items()} | inputs,
        "weights": dump(layout(weights)),
        "y": dump(layout(y)),
        "gradients": {n: dump(ours[n][1](g)) for n, g in grads.items()},
    } | more)


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def same(x):
    return x


def column(x):
    return x[:, None]


def recurrent(name, kind, start, **settings):
    """All states of one layer, then the last hidden state and of an LSTM the last cell state; `start` names the
    initial states that are given."""
    batch, time, channels, hidden = 2, 3, 2, 3
    net = getattr(torch.nn, kind)(channels, hidden, batch_first=True, **settings)
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    x = leaf(batch, time, channels)
    ours = {"x": (x, last), "w_ih": (net.weight_ih_l0, same), "w_hh": (net.weight_hh_l0, same)}
    if kind == "GRU":
        ours |= {"b_ih": (net.bias_ih_l0, column), "b_hh": (net.bias_hh_l0, column)}
    else:
        torch.nn.init.zeros_(net.bias_hh_l0)
        ours |= {"bias": (net.bias_ih_l0, column)}
    given = {state: leaf(1, batch, hidden) for state in start}
    ours |= {state: (value, lambda t: t[0].T) for state, value in given.items()}
    h0, c0 = (given.get(state, torch.zeros(1, batch, hidden)) for state in ("h0", "c0"))
    hs, ends = net(x, (h0, c0) if kind == "LSTM" else h0)
    ends = ends if kind == "LSTM" else (ends,)
    case(name, {}, torch.cat([hs, *(end.transpose(0, 1) for end in ends)], 1), ours, last)


def recurrences():
    for kind in ("LSTM", "GRU", "RNN"):
        recurrent(kind.lower(), kind, [])
        recurrent(f"{kind.lower()}_h0", kind, ["h0"])
    recurrent("lstm_c0", "LSTM", ["c0"])
    recurrent("lstm_h0_c0", "LSTM", ["h0", "c0"])
    recurrent("rnn_relu", "RNN", [], nonlinearity="relu")
    recurrent("rnn_relu_h0", "RNN", ["h0"], nonlinearity="relu")


def time_first(x):
    """[batch, channel, time] to [time, channel, batch]."""
    return x.permute(2, 1, 0)


def convolutions():
    def convolution(name, taps, channels, outputs, groups=1, pad=(0, 0), **settings):
        x, w = leaf(2, channels, 9), leaf(outputs, channels // groups, taps)
        y = F.conv1d(F.pad(x, pad), w, groups=groups, **settings)
        case(name, {}, y, {"x": (x, time_first), "w": (w, lambda t: t.permute(2, 0, 1))}, time_first)

    convolution("conv1d", 3, 2, 3)
    convolution("conv1d_all", 3, 4, 6, groups=2, pad=(2, 1), stride=2, dilation=2)
    convolution("conv1d_causal", 3, 2, 3, pad=(4, 0), dilation=2)


def pools():
    x = leaf(2, 3, 7)
    dilated = torch.full((3, 1, 3), 1 / 3)
    for name, y in {
        "max_pool": F.max_pool1d(x, 3),
        "max_pool_all": F.max_pool1d(x, 3, stride=2, padding=1, dilation=2),
        "avg_pool": F.avg_pool1d(x, 3),
        # PyTorch's mean has no dilation; a convolution of equal weights has.
        "avg_pool_all": F.conv1d(x, dilated, stride=2, padding=1, dilation=2, groups=3),
    }.items():
        case(name, {}, y, {"x": (x, time_first)}, time_first)


def attention(name, d=3, dv=3, shared=False, additive=None, scale=None, results=("out",)):
    """`additive` is a leaf [batch or 1, heads, queries, keys]; `results` are named rows of y."""
    heads, queries, keys, batch = 2, 3, 4, 2
    split = lambda t, heads: t.reshape(batch, keys, heads, -1).transpose(1, 2)
    q, k, v = leaf(batch, queries, heads * d), leaf(batch, keys, heads * d), leaf(batch, keys, dv * (1 if shared else heads))
    ours = {"q": (q, last), "k": (k, last), "v": (v, last)}
    if additive is not None:
        ours |= {"additive": (additive, lambda t: t.permute(1, 2, 3, 0))}
    q = q.reshape(batch, queries, heads, d).transpose(1, 2)
    k, v = split(k, heads), split(v, 1).expand(-1, heads, -1, -1) if shared else split(v, heads)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=additive, scale=scale)
    scores = q @ k.transpose(-1, -2) * (scale or d**-0.5) + (0 if additive is None else additive)
    made = {"out": out.transpose(1, 2), "probs": scores.softmax(-1), "scores": scores}
    rows = torch.cat([made[result].reshape(batch, -1) for result in results], 1)
    case(name, {}, rows, ours, lambda t: t.T)


def hidden(*places):
    """Additive scores for all items that hide the keys at these [head, query, key]."""
    additive = torch.zeros(1, 2, 3, 4)
    for place in places:
        additive[(0, *place)] = -math.inf
    return additive.requires_grad_()


def attentions():
    some, all_of_one = [(0, 0, 3), (0, 1, 0), (1, 2, 1)], [(1, 2, key) for key in range(4)]
    attention("attention")
    attention("attention_of_narrow_values", d=4, dv=2, scale=0.7)
    attention("attention_shared", shared=True)
    attention("attention_added", additive=leaf(2, 2, 3, 4))
    attention("attention_added_to_all_items", additive=leaf(1, 2, 3, 4))
    attention("attention_masked", additive=hidden(*some))
    attention("attention_of_nothing", additive=hidden(*all_of_one))
    attention("attention_shared_added", shared=True, additive=leaf(2, 2, 3, 4))
    attention("attention_shared_masked", shared=True, additive=hidden(*some))
    attention("attention_probs", results=["probs"])
    attention("attention_scores", results=["scores"])
    attention("attention_results", additive=leaf(2, 2, 3, 4), results=["out", "probs", "scores"])
    attention("attention_shared_results", shared=True, additive=leaf(1, 2, 3, 4), results=["out", "probs", "scores"])


def norms():
    x, w, b = leaf(2, 3, 5), leaf(5), leaf(5)
    ours = {"x": (x, last), "w": (w, column), "b": (b, column)}
    for also, given in {"": "xwb", "_weight": "xw", "_bias": "xb", "_plain": "x"}.items():
        y = F.layer_norm(x, (5,), w if "w" in given else None, b if "b" in given else None, 1e-5)
        case(f"layer_norm{also}", {}, y, {n: ours[n] for n in given}, last)
    y = F.layer_norm(x.transpose(1, 2), (3,), eps=0.01).transpose(1, 2)
    case("layer_norm_of_steps", {}, y, {"x": (x, last)}, last)


def softmaxes():
    x = leaf(2, 3, 5)
    masked = torch.randn(2, 3, 5)
    masked[0, 1, 2:4] = masked[1, :, 0] = -math.inf
    masked.requires_grad_()
    for name in ("softmax", "log_softmax"):
        f = getattr(F, name)
        case(name, {}, f(x, -1), {"x": (x, last)}, last)
        case(f"{name}_of_steps", {}, f(x, 1), {"x": (x, last)}, last)
    case("softmax_masked", {}, F.softmax(masked, -1), {"x": (masked, last)}, last)
    x = leaf(4, 3)
    for name, labels in {"cross_entropy": [2, 0, 1, 1], "cross_entropy_ignored": [2, -100, 1, -100]}.items():
        labels = torch.tensor(labels)
        y = F.cross_entropy(x, labels, reduction="none")[None]
        case(name, {"labels": dump(labels)}, y, {"x": (x, lambda t: t.T)})


def batch_norms():
    """Every phase with and without weight and bias, for [channel, batch] and [time, channel, batch]."""
    for steps in ("", "_steps"):
        for phase in ("training", "predicting"):
            for affine in ("", "_affine"):
                x = leaf(3, 4, 2) if steps else leaf(6, 4)
                layout = time_first if steps else lambda t: t.T
                keep = (lambda t: t.reshape(1, 4, 1)) if steps else column
                running = {"norm.running_mean": torch.randn(4), "norm.running_var": torch.rand(4) + 0.5}
                state = {n: dump(keep(t)) for n, t in running.items()}
                learned = {"w": leaf(4), "b": leaf(4)} if affine else {}
                settings = {"training": phase == "training", "momentum": 0.3, "eps": 0.01}
                y = F.batch_norm(x, *running.values(), *learned.values(), **settings)
                ours = {"x": (x, layout)} | {n: (t, column) for n, t in learned.items()}
                after = {n: dump(keep(t)) for n, t in running.items()} if settings["training"] else {}
                case(f"batch_norm_{phase}{affine}{steps}", {}, y, ours, layout, state=state, after=after)


def functions():
    x = leaf(3, 4)
    for name in ("gelu", "silu", "softplus", "relu"):
        case(name, {}, getattr(F, name)(x), {"x": (x, same)})
    for name in ("tanh", "sigmoid", "erf", "neg", "abs", "sign", "square", "exp", "sin", "cos", "floor"):
        case(name, {}, getattr(torch, name)(x), {"x": (x, same)})
    x = (torch.rand(3, 4) + 0.1).requires_grad_()
    for name, y in {"sqrt": x.sqrt(), "rsqrt": x.rsqrt(), "recip": 1 / x, "log": x.log(), "log1p": x.log1p()}.items():
        case(name, {}, y, {"x": (x, same)})


def optimisers():
    out = []
    optim = torch.optim
    for name, make in {
        "adam": lambda p: optim.Adam(p, lr=0.05),
        "adam_decay": lambda p: optim.Adam(p, lr=0.05, weight_decay=0.1),
        "adam_all": lambda p: optim.Adam(p, lr=0.05, betas=(0.8, 0.99), eps=0.01, weight_decay=0.1),
        "adamw": lambda p: optim.AdamW(p, lr=0.05, weight_decay=0.1),
        "adamw_all": lambda p: optim.AdamW(p, lr=0.05, betas=(0.8, 0.99), eps=0.01, weight_decay=0.1),
        "sgd": lambda p: optim.SGD(p, lr=0.05),
        "sgd_decay": lambda p: optim.SGD(p, lr=0.05, weight_decay=0.1),
        "sgd_momentum": lambda p: optim.SGD(p, lr=0.05, momentum=0.9),
        "sgd_nesterov": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
        "sgd_all": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1),
    }.items():
        p = leaf(2, 3)
        start, gradients = dump(p), [torch.randn(2, 3) for _ in range(10)]
        optimiser = make([p])
        for gradient in gradients:
            p.grad = gradient.clone()
            optimiser.step()
        out.append({"name": name, "start": start, "gradients": [dump(g) for g in gradients], "end": dump(p)})
    return out


recurrences()
convolutions()
pools()
attentions()
norms()
softmaxes()
batch_norms()
functions()
path = pathlib.Path(__file__).with_name("golden.json")
path.write_text(json.dumps({"torch": torch.__version__, "cases": CASES, "optimisers": optimisers()}, separators=(",", ":")))
print(path.stat().st_size, "bytes,", len(CASES), "cases")
