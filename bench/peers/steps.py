"""Training steps and inference of whole models.

Cases: `train/MODEL/bBATCH` and `infer/MODEL/bBATCH`, with `/no-dropout` appended where dropout is to
be off. A training step gathers its batch from 10,000 windows, then forward, mean absolute error,
backward, Adam. Windows are streams 101 and 102 of `fill`; batches walk them in steps of 7919.
"""

import torch
import torch.nn.functional as F

import fill
import models
from parameters import fill_parameters

WINDOWS, STRIDE, RATE = 10_000, 7919, 1e-3
ANSWER_STEPS = 8


def windows():
    x = torch.from_numpy(fill.values(101, WINDOWS * models.INPUT)).reshape(WINDOWS, models.INPUT)
    y = torch.from_numpy(fill.values(102, WINDOWS * models.HORIZON)).reshape(WINDOWS, models.HORIZON)
    return x, y


def read(case: str):
    mode, model, batch, *rest = case.split("/")
    return mode, model, int(batch[1:]), "no-dropout" not in rest


def network(model: str, form: str, dropout: bool):
    """The network and the windows in the shape it takes."""
    x, y = windows()
    if form == "plain":
        return models.plain(model), x, y
    return models.library(model, dropout), x.unsqueeze(-1), y.unsqueeze(-1)


def trainer(net, x, y, batch: int, fused: bool, compiled: bool):
    """One training step as a call that returns its loss."""
    net.train()
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE, fused=fused)
    order = torch.arange(WINDOWS) * STRIDE % WINDOWS
    batches = [order[at : at + batch] for at in range(0, WINDOWS - batch + 1, batch)]
    at = 0

    def loss_of(inputs, targets):
        return F.l1_loss(net(inputs), targets)

    loss_of = torch.compile(loss_of, dynamic=False) if compiled else loss_of

    def step():
        nonlocal at
        index = batches[at]
        at = at + 1 if at + 1 < len(batches) else 0
        optimiser.zero_grad(set_to_none=True)
        loss = loss_of(x[index], y[index])
        loss.backward()
        optimiser.step()
        return loss

    return step


def predictor(net, x, batch: int, compiled: bool, **options):
    net.eval()
    inputs = x[:batch].contiguous()
    forward = torch.compile(net, dynamic=False, options=options or None) if compiled else net

    def predict():
        with torch.inference_mode():
            return forward(inputs)

    return predict


def variants(case: str) -> dict:
    # Compiled code of earlier cases would count against the limit of recompilations.
    torch._dynamo.reset()
    mode, model, batch, dropout = read(case)
    torch.manual_seed(0)

    def train(form, fused, compiled):
        def build():
            net, x, y = network(model, form, dropout)
            return trainer(net, x, y, batch, fused, compiled)

        return build

    def infer(form, compiled, **options):
        def build():
            net, x, _ = network(model, form, dropout)
            return predictor(net, x, batch, compiled, **options)

        return build

    if mode == "train":
        forms = {
            "eager": train("library", False, False),
            "eager fused-adam": train("library", True, False),
            "compile": train("library", True, True),
        }
        if models.plain(model) is not None:
            forms["plain fused-adam"] = train("plain", True, False)
            forms["plain compile"] = train("plain", True, True)
        return forms
    forms = {
        "eager": infer("library", False),
        "compile": infer("library", True),
        "compile frozen": infer("library", True, freezing=True),
    }
    if models.plain(model) is not None:
        forms["plain eager"] = infer("plain", False)
        forms["plain compile"] = infer("plain", True)
    return forms


def answer(case: str, call):
    """With filled parameters and no dropout: the losses of eight steps, or the forecasts.

    Worked out by the library's module, whatever form is timed.
    """
    mode, model, batch, _ = read(case)
    net, x, y = network(model, "library", dropout=False)
    fill_parameters(net)
    if mode == "infer":
        return predictor(net, x, batch, compiled=False)().numpy()
    step = trainer(net, x, y, batch, fused=True, compiled=False)
    return [step().item() for _ in range(ANSWER_STEPS)]
