"""Writes `distributions.json`: the likelihoods that models of distributions learn by, and what their outputs would
have to change, by PyTorch.

    .venv/bin/python crates/forecast/tests/golden/distributions.py

Outputs become parameters as in NeuralForecast's `scale_decouple`, but for one place that docs/forecast/workflow.md
names: the mean of the negative binomial distribution comes out of the outputs and the window together, as the rate of
Poisson's does. `settled` has those parameters, laid out as the outputs.
"""

import json
import pathlib

import torch
import torch.distributions as dist
import torch.nn.functional as F
from neuralforecast.losses.pytorch import normal_scale_decouple, poisson_scale_decouple, student_scale_decouple

HORIZON, BATCH = 3, 4
torch.manual_seed(7)


def binomial_scale_decouple(outputs, shift, scale):
    (mean,) = poisson_scale_decouple(outputs[:1], shift, scale)
    return mean, (F.softplus(outputs[1]) + 1e-3) / (scale + 1)


def negative_binomial(mean, dispersion):
    return dist.NegativeBinomial(1 / dispersion, logits=torch.log(mean * dispersion))


KINDS = {
    "gaussian": (2, normal_scale_decouple, dist.Normal),
    "student_t": (3, student_scale_decouple, dist.StudentT),
    "poisson": (1, poisson_scale_decouple, dist.Poisson),
    "negative_binomial": (2, binomial_scale_decouple, negative_binomial),
}

cases = {}
for kind, (parameters, decouple, make) in KINDS.items():
    counts = kind in ("poisson", "negative_binomial")
    shift = (torch.rand(BATCH) * 20 + 3).float().double()
    scale = (torch.rand(BATCH) * 5 + 0.5).float().double()
    target = torch.poisson(torch.full((HORIZON, BATCH), 12.0)).double()
    # What is forecast lies on the last axis but the batch, as in Whimbrel: horizon, parameters, batch.
    outputs = torch.randn(HORIZON, parameters, BATCH).float().double().requires_grad_()
    settled = decouple(outputs.unbind(1), shift, scale)
    likelihood = make(*settled).log_prob(target)
    # Of scaled values the density is that of the values times the scale.
    loss = -(likelihood if counts else likelihood + torch.log(scale)).mean()
    (gradient,) = torch.autograd.grad(loss, outputs)
    flat = lambda tensor: tensor.detach().flatten().tolist()
    cases[kind] = {
        "parameters": parameters,
        "outputs": flat(outputs),
        "shift": flat(shift),
        "scale": flat(scale),
        "target": flat((target - shift) / scale),
        "loss": loss.item(),
        "gradient": flat(gradient),
        "settled": flat(torch.stack(settled, 1)),
    }

path = pathlib.Path(__file__).parent / "distributions.json"
path.write_text(json.dumps(cases, indent=1) + "\n")
print(path.name, path.stat().st_size, "bytes,", len(cases), "cases")
