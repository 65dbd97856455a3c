"""Networks: ten steps of training on ten batches, the losses of the steps and where parameters and statistics end.

Modules here read sequences [batch, time, channel] and are named as Whimbrel names its layers, by position.
"""

import torch
from torch import nn

from fixture import Fixture, randn, representable
from layers import Residual

FIXTURE = Fixture("networks")
STEPS, BATCH, TIME = 10, 5, 6


def over_time(kind):
    """A module that reads [batch, channel, time], for sequences [batch, time, channel]."""
    return type(kind.__name__, (kind,), {"forward": lambda self, x: kind.forward(self, x.transpose(1, 2)).transpose(1, 2)})


def states(kind):
    """Of recurrent cells the states of all steps alone."""
    return type(kind.__name__, (kind,), {"forward": lambda self, x: kind.forward(self, x)[0]})


class Attention(nn.MultiheadAttention):
    def __init__(self, channels, heads, causal=False):
        super().__init__(channels, heads, batch_first=True)
        self.causal = causal

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        return super().forward(x, x, x, attn_mask=mask, need_weights=False)[0]


class LastStep(nn.Module):
    def forward(self, x):
        return x[:, -1]


LINEAR = {"type": "linear", "out_features": 2}
LAST = {"type": "last_step"}
SGD = {"type": "sgd", "lr": 0.1, "momentum": 0.9}
ADAM = {"type": "adam", "lr": 0.02}
RULES = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}


def case(name, layers, net, rule, classes=0):
    """Batches are of numbers to learn, or of tokens and the right of `classes` classes."""
    for parameter in net.parameters():
        parameter.data = representable(parameter.data)
    if classes:
        x, y = torch.randint(7, (STEPS, BATCH, TIME)), torch.randint(classes, (STEPS, BATCH))
        loss_of, into, out = nn.functional.cross_entropy, lambda x: x.permute(0, 2, 1), lambda y: y
    else:
        x, y = randn(STEPS, BATCH, TIME, 3), randn(STEPS, BATCH, 2)
        loss_of, into, out = nn.functional.mse_loss, lambda x: x.permute(0, 2, 3, 1), lambda y: y.permute(0, 2, 1)
    taps_first = lambda t: t.permute(2, 0, 1) if t.dim() == 3 else t
    kept = lambda: {n: taps_first(t).clone() for n, t in net.state_dict().items() if t.is_floating_point()}
    tensors = {"x": into(x), "y": out(y)} | {f"start/{n}": t for n, t in kept().items()}
    optimiser = RULES[rule["type"]](net.parameters(), **{k: v for k, v in rule.items() if k != "type"})
    losses = []
    for x, y in zip(x, y):
        optimiser.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    tensors |= {"losses": torch.stack(losses)} | {f"end/{n}": t for n, t in kept().items()}
    settings = {"network": layers, "loss": {"type": "cross_entropy" if classes else "mse"}, "optimiser": {"rule": rule}}
    FIXTURE.add(name, settings, tensors)


def recurrent():
    for kind, module in (("rnn", nn.RNN), ("lstm", nn.LSTM), ("gru", nn.GRU)):
        net = nn.Sequential(states(module)(3, 4, batch_first=True), LastStep(), nn.Linear(4, 2))
        case(kind, [{"type": kind, "hidden_size": 4}, LAST, LINEAR], net, SGD)
    deep = {"num_layers": 2, "bidirectional": True}
    net = nn.Sequential(states(nn.LSTM)(3, 3, batch_first=True, **deep), LastStep(), nn.Linear(6, 2))
    case("lstm_deep", [{"type": "lstm", "hidden_size": 3} | deep, LAST, LINEAR], net, ADAM)
    tokens = {"type": "embedding", "num_embeddings": 7, "embedding_dim": 3}
    net = nn.Sequential(nn.Embedding(7, 3), states(nn.GRU)(3, 4, batch_first=True), LastStep(), nn.Linear(4, 2))
    case("gru_of_tokens", [tokens, {"type": "gru", "hidden_size": 4}, LAST, LINEAR], net, ADAM, classes=2)


def convolutional():
    net = nn.Sequential(over_time(nn.Conv1d)(3, 4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(16, 2))
    layers = [{"type": "conv1d", "out_channels": 4, "kernel_size": 3}, {"type": "tanh"}, {"type": "flatten"}, LINEAR]
    case("conv1d", layers, net, SGD)
    net = nn.Sequential(over_time(nn.Conv1d)(3, 4, 3, padding="same"), over_time(nn.BatchNorm1d)(4), nn.GELU(),
                        over_time(nn.MaxPool1d)(2), nn.Flatten(), nn.Linear(12, 2))
    layers = [{"type": "conv1d", "out_channels": 4, "kernel_size": 3, "padding": "same"}, {"type": "batch_norm1d"},
              {"type": "gelu"}, {"type": "max_pool1d", "kernel_size": 2}, {"type": "flatten"}, LINEAR]
    case("conv1d_normalised", layers, net, SGD)


def attending():
    for name, causal in (("attention", False), ("attention_causal", True)):
        net = nn.Sequential(nn.Linear(3, 4), Residual(nn.LayerNorm(4), Attention(4, 2, causal)), LastStep(), nn.Linear(4, 2))
        attention = {"type": "multihead_attention", "num_heads": 2} | ({"is_causal": True} if causal else {})
        residual = {"type": "residual", "layers": [{"type": "layer_norm"}, attention]}
        case(name, [{"type": "linear", "out_features": 4}, residual, LAST, LINEAR], net, SGD)


def write():
    recurrent()
    convolutional()
    attending()
    FIXTURE.write()
