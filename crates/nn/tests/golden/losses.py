"""Losses: their value, and the gradient of the prediction.

PyTorch's own where it has one, else the definition written out in PyTorch. `losses` are by element;
`case` takes their weighted mean over what counts.
"""

import torch
import torch.nn.functional as F

from fixture import Fixture, randn, representable

FIXTURE = Fixture("losses")


def add(name, settings, prediction, tensors, loss):
    grad, = torch.autograd.grad(loss, prediction, retain_graph=True)
    FIXTURE.add(name, settings, {"prediction": prediction, "loss": loss, "gradient": grad} | tensors)


def case(kind, settings, errors, prediction, target, **more):
    """All elements alike, then with weights of the items, then with a mask over NaNs as well."""
    settings = {"type": kind} | settings
    prediction = prediction.clone().requires_grad_()
    name = "_".join([kind, *more.pop("also", [])])
    add(name, settings, prediction, {"target": target} | more, errors(prediction, target).mean())

    weight = representable(torch.rand(target.shape[-1]) + 0.1)
    each = errors(prediction, target)
    weights = weight.broadcast_to(each.shape)
    add(f"{name}_weighted", settings, prediction, {"target": target, "weight": weight} | more,
        (each * weights).sum() / weights.sum())

    if each.shape == target.shape:
        mask = (torch.rand(target.shape) > 0.3).double()
        counted = (each * weights * mask).sum() / (weights * mask).sum()
        unknown = torch.where(mask > 0, target, torch.nan)
        add(f"{name}_masked", settings, prediction, {"target": unknown, "weight": weight, "mask": mask} | more, counted)


def points():
    x, y = randn(3, 5), randn(3, 5)
    case("mse", {}, lambda p, t: F.mse_loss(p, t, reduction="none"), x, y)
    case("mae", {}, lambda p, t: F.l1_loss(p, t, reduction="none"), x, y)
    case("huber", {}, lambda p, t: F.huber_loss(p, t, reduction="none"), x, y)
    case("huber", {"delta": 0.5}, lambda p, t: F.huber_loss(p, t, reduction="none", delta=0.5), x, y, also=["delta"])
    case("log_cosh", {}, lambda p, t: (p - t).cosh().log(), x, y)
    case("mape", {}, lambda p, t: (p - t).abs() / t.abs(), x, y)
    case("smape", {}, lambda p, t: 2 * (p - t).abs() / (p.abs() + t.abs()), x, y)
    history = randn(7, 5)
    naive = (history[2:] - history[:-2]).abs().mean(0)
    case("mase", {"seasonality": 2}, lambda p, t: (p - t).abs() / naive, x, y, history=history)
    prediction = x.clone().requires_grad_()
    add("rmse", {"type": "rmse"}, prediction, {"target": y}, F.mse_loss(prediction, y).sqrt())


def quantiles():
    def pinball(p, t, q):
        return torch.maximum(q * (t - p), (q - 1) * (t - p))

    case("quantile", {"q": 0.25}, lambda p, t: pinball(p, t, 0.25), randn(3, 5), randn(3, 5))
    several = [0.25, 0.5, 0.75]
    errors = lambda p, t: sum(pinball(part, t, q) for part, q in zip(p.chunk(3), several)) / 3
    case("multi_quantile", {"quantiles": several}, errors, randn(9, 5), randn(3, 5))


def likelihoods():
    D, softplus = torch.distributions, F.softplus

    def gaussian(p, t):
        mean, raw = p.chunk(2)
        return -D.Normal(mean, softplus(raw) + 1e-6).log_prob(t)

    def student_t(p, t):
        mean, scale, freedom = p.chunk(3)
        return -D.StudentT(softplus(freedom) + 2, mean, softplus(scale) + 1e-6, validate_args=False).log_prob(t)

    def negative_binomial(p, t):
        total, logits = p.chunk(2)
        return -D.NegativeBinomial(softplus(total) + 1e-6, logits=logits, validate_args=False).log_prob(t)

    counts = torch.randint(0, 9, (3, 5)).double()
    case("gaussian", {}, gaussian, randn(6, 5), randn(3, 5))
    case("student_t", {}, student_t, randn(9, 5), representable(3 * randn(3, 5)))
    case("negative_binomial", {}, negative_binomial, randn(6, 5), counts)
    case("poisson", {}, lambda p, t: F.poisson_nll_loss(p, t, reduction="none"), randn(3, 5), counts)
    rates = lambda p, t: F.poisson_nll_loss(p, t, log_input=False, reduction="none")
    case("poisson", {"log_input": False}, rates, representable(randn(3, 5).abs() + 0.1), counts, also=["rates"])
    exact = lambda p, t: -D.Poisson(p.exp(), validate_args=False).log_prob(t)
    case("poisson", {"full": True}, exact, randn(3, 5), counts, also=["full"])


def classes():
    logits, labels = randn(4, 6), torch.tensor([2, 0, 3, 1, 1, 2])
    weight = torch.tensor([0.5, 1.0, 2.0, 0.25])
    settings = {"plain": {}, "smooth": {"label_smoothing": 0.25}, "classes": {"weight": weight},
                "both": {"label_smoothing": 0.25, "weight": weight}}
    for name, hyper in settings.items():
        ours = {"type": "cross_entropy"} | {k: v if k != "weight" else v.tolist() for k, v in hyper.items()}
        for also, right in {"": labels, "_ignored": torch.where(labels == 3, -100, labels)}.items():
            x = logits.clone().requires_grad_()
            add(f"cross_entropy_{name}{also}", ours, x, {"target": right}, F.cross_entropy(x.T, right, **hyper))
        x = randn(3, 4, 2).requires_grad_()  # [time, class, batch]
        right = torch.randint(4, (3, 2))
        loss = F.cross_entropy(x.permute(2, 1, 0), right.T, **hyper)
        add(f"cross_entropy_{name}_steps", ours, x, {"target": right}, loss)
    x, items = logits.clone().requires_grad_(), representable(torch.rand(6))
    each = F.cross_entropy(x.T, labels, reduction="none")
    add("cross_entropy_weighted", {"type": "cross_entropy"}, x, {"target": labels, "weight": items},
        (each * items).sum() / items.sum())

    yes = (torch.rand(4, 6) > 0.5).double()
    bce = lambda p, t, **more: F.binary_cross_entropy_with_logits(p, t, reduction="none", **more)
    case("binary_cross_entropy", {}, bce, logits, yes)
    case("binary_cross_entropy", {"pos_weight": weight.tolist()}, lambda p, t: bce(p, t, pos_weight=weight[:, None]),
         logits, yes, also=["classes"])
    case("binary_cross_entropy", {"label_smoothing": 0.25}, lambda p, t: bce(p, 0.75 * t + 0.125), logits, yes,
         also=["smooth"])

    shares = representable(torch.softmax(randn(4, 6), 0))
    shares[0, 0] = 0.0
    kl = lambda p, t: F.kl_div(p, t, reduction="none").sum(0, keepdim=True)
    case("kl_divergence", {}, kl, representable(torch.log_softmax(logits, 0)), shares)
    logs = representable(torch.log_softmax(randn(4, 6), 0))
    kl_log = lambda p, t: F.kl_div(p, t, reduction="none", log_target=True).sum(0, keepdim=True)
    case("kl_divergence", {"log_target": True}, kl_log, representable(torch.log_softmax(logits, 0)), logs, also=["log"])


def write():
    points()
    quantiles()
    likelihoods()
    classes()
    FIXTURE.write()
