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


def case(kind, settings, errors, prediction, target, finish=lambda mean: mean, **more):
    """All elements alike, then with weights of the items, then with a mask over NaNs as well, then with the mask
    alone. `finish` makes the loss of the mean of the errors."""
    settings = {"type": kind} | settings
    prediction = prediction.clone().requires_grad_()
    name = "_".join([kind, *more.pop("also", [])])
    each = errors(prediction, target)
    weight = representable(torch.rand(target.shape[-1]) + 0.1)
    mask = (torch.rand(each.shape) > 0.3).double()
    unknown = torch.where(mask > 0, target, torch.nan)
    mean = lambda weights: finish((each * weights).sum() / weights.broadcast_to(each.shape).sum())
    given = lambda **tensors: tensors | more
    add(name, settings, prediction, given(target=target), finish(each.mean()))
    add(f"{name}_weighted", settings, prediction, given(target=target, weight=weight), mean(weight))
    add(f"{name}_masked", settings, prediction, given(target=unknown, weight=weight, mask=mask), mean(weight * mask))
    add(f"{name}_mask_alone", settings, prediction, given(target=unknown, mask=mask), mean(mask))


def points():
    x, y = randn(3, 5), randn(3, 5)
    case("mse", {}, lambda p, t: F.mse_loss(p, t, reduction="none"), x, y)
    case("mse", {}, lambda p, t: F.mse_loss(p, t, reduction="none"), randn(2, 3, 5), randn(2, 3, 5), also=["steps"])
    case("rmse", {}, lambda p, t: F.mse_loss(p, t, reduction="none"), x, y, finish=torch.sqrt)
    case("mae", {}, lambda p, t: F.l1_loss(p, t, reduction="none"), x, y)
    case("mae", {}, lambda p, t: F.l1_loss(p, t, reduction="none"), x, torch.where(y > 0, y, x), also=["exact"])
    case("huber", {}, lambda p, t: F.huber_loss(p, t, reduction="none"), x, y)
    case("huber", {"delta": 0.5}, lambda p, t: F.huber_loss(p, t, reduction="none", delta=0.5), x, y, also=["delta"])
    case("log_cosh", {}, lambda p, t: (p - t).cosh().log(), x, y)
    case("mape", {}, lambda p, t: (p - t).abs() / t.abs(), x, y)
    case("smape", {}, lambda p, t: 2 * (p - t).abs() / (p.abs() + t.abs()), x, y)
    history = randn(7, 5)
    for season, also in ((1, []), (2, ["season"])):
        naive = (history[season:] - history[:-season]).abs().mean(0)
        settings = {"seasonality": season} if also else {}
        case("mase", settings, lambda p, t: (p - t).abs() / naive, x, y, history=history, also=also)


def quantiles():
    def pinball(p, t, q):
        return torch.maximum(q * (t - p), (q - 1) * (t - p))

    case("quantile", {}, lambda p, t: pinball(p, t, 0.5), randn(3, 5), randn(3, 5), also=["half"])
    case("quantile", {"q": 0.25}, lambda p, t: pinball(p, t, 0.25), randn(3, 5), randn(3, 5))
    several = [0.25, 0.5, 0.75]
    errors = lambda p, t: sum(pinball(part, t, q) for part, q in zip(p.chunk(3, -2), several)) / 3
    case("multi_quantile", {"quantiles": several}, errors, randn(9, 5), randn(3, 5))
    case("multi_quantile", {"quantiles": several}, errors, randn(2, 9, 5), randn(2, 3, 5), also=["steps"])


def likelihoods():
    D, softplus = torch.distributions, F.softplus

    def gaussian(p, t, eps=1e-6):
        mean, raw = p.chunk(2, -2)
        return -D.Normal(mean, softplus(raw) + eps, validate_args=False).log_prob(t)

    def student_t(p, t, eps=1e-6):
        freedom, mean, scale = p.chunk(3, -2)
        return -D.StudentT(softplus(freedom) + 3, mean, softplus(scale) + eps, validate_args=False).log_prob(t)

    def negative_binomial(p, t, eps=1e-6):
        total, logits = p.chunk(2, -2)
        return -D.NegativeBinomial(softplus(total) + eps, logits=logits, validate_args=False).log_prob(t)

    counts = torch.randint(0, 9, (3, 5)).double()
    for kind, errors, parts, target in (
        ("gaussian", gaussian, 2, lambda *shape: randn(*shape)),
        ("student_t", student_t, 3, lambda *shape: representable(3 * randn(*shape))),
        ("negative_binomial", negative_binomial, 2, lambda *shape: torch.randint(0, 9, shape).double()),
    ):
        case(kind, {}, errors, randn(3 * parts, 5), target(3, 5))
        case(kind, {}, errors, randn(2, 3 * parts, 5), target(2, 3, 5), also=["steps"])
        case(kind, {"eps": 0.5}, lambda p, t: errors(p, t, 0.5), randn(3 * parts, 5), target(3, 5), also=["eps"])
    case("poisson", {}, lambda p, t: F.poisson_nll_loss(p, t, reduction="none"), randn(3, 5), counts)
    rates = lambda p, t: F.poisson_nll_loss(p, t, log_input=False, reduction="none")
    case("poisson", {"log_input": False}, rates, representable(randn(3, 5).abs() + 0.1), counts, also=["rates"])
    exact = lambda p, t: -D.Poisson(p.exp(), validate_args=False).log_prob(t)
    case("poisson", {"full": True}, exact, randn(3, 5), counts, also=["full"])
    exact = lambda p, t: p - t * (p + 0.5).log() + torch.lgamma(t + 1)
    case("poisson", {"log_input": False, "full": True, "eps": 0.5}, exact, representable(randn(3, 5).abs()), counts, also=["all"])


def cross_entropies(logits, labels, weight):
    """Of class weights and smoothing every kind; items that do not count because their class is negative or a mask
    says so, with weights or without."""

    def entropy(name, ours, hyper, x, right, items, **given):
        """x [class, batch] or [time, class, batch]; `items` is how much each of the right classes counts."""
        x = x.clone().requires_grad_()
        classes_last = x.T if x.dim() == 2 else x.permute(0, 2, 1).reshape(-1, x.shape[1])
        each = F.cross_entropy(classes_last, right.reshape(-1), reduction="none", **hyper).reshape(right.shape)
        of_class = hyper["weight"][right.clamp(0)] if "weight" in hyper else torch.ones(right.shape)
        items = items * (right >= 0)
        add(name, ours, x, {"target": right} | given, (each * items).sum() / (of_class * items).sum())

    settings = {"plain": {}, "smooth": {"label_smoothing": 0.25}, "classes": {"weight": weight},
                "both": {"label_smoothing": 0.25, "weight": weight}}
    for name, hyper in settings.items():
        ours = {"type": "cross_entropy"} | {k: v if k != "weight" else v.tolist() for k, v in hyper.items()}
        of_steps = torch.randint(4, (3, 2))
        for also, x, right in (("", logits, labels), ("_steps", randn(3, 4, 2), of_steps)):
            name_of = lambda what: f"cross_entropy_{name}{also}{what}"
            ignored = torch.where(right == right.flatten()[0], -100, right)
            everything = torch.ones(right.shape)
            entropy(name_of(""), ours, hyper, x, right, everything)
            entropy(name_of("_ignored"), ours, hyper, x, ignored, everything)
            items = representable(torch.rand(right.shape[-1]) + 0.1)
            entropy(name_of("_weighted"), ours, hyper, x, right, items.expand(right.shape), weight=items)
            mask = (torch.rand(right.shape) > 0.4).double()
            mask.view(-1)[1] = 1.0
            entropy(name_of("_masked"), ours, hyper, x, ignored, items * mask, weight=items, mask=mask)
            entropy(name_of("_mask_alone"), ours, hyper, x, right, mask, mask=mask)
            # What does not count may be anything, even no class at all.
            unknown = torch.where(mask > 0, right, 77)
            entropy(name_of("_mask_over_unknown"), ours, hyper, x, right, mask, target=unknown, mask=mask)
    # PyTorch's own mean, which the cases above write out.
    x = logits.clone().requires_grad_()
    ours = {"type": "cross_entropy", "label_smoothing": 0.25, "weight": weight.tolist()}
    loss = F.cross_entropy(x.T, labels, weight=weight, label_smoothing=0.25)
    add("cross_entropy_mean", ours, x, {"target": labels}, loss)


def classes():
    logits, labels = randn(4, 6), torch.tensor([2, 0, 3, 1, 1, 2])
    weight = torch.tensor([0.5, 1.0, 2.0, 0.25])
    cross_entropies(logits, labels, weight)

    yes = (torch.rand(4, 6) > 0.5).double()
    bce = lambda p, t, **more: F.binary_cross_entropy_with_logits(p, t, reduction="none", **more)
    case("binary_cross_entropy", {}, bce, logits, yes)
    case("binary_cross_entropy", {"pos_weight": weight.tolist()}, lambda p, t: bce(p, t, pos_weight=weight[:, None]),
         logits, yes, also=["classes"])
    case("binary_cross_entropy", {"label_smoothing": 0.25}, lambda p, t: bce(p, 0.75 * t + 0.125), logits, yes,
         also=["smooth"])
    case("binary_cross_entropy", {"label_smoothing": 0.25, "pos_weight": [3.0]},
         lambda p, t: bce(p, 0.75 * t + 0.125, pos_weight=torch.tensor(3.0)), logits, yes, also=["all"])
    case("binary_cross_entropy", {"pos_weight": weight.tolist()}, lambda p, t: bce(p, t, pos_weight=weight[:, None]),
         randn(2, 4, 6), (torch.rand(2, 4, 6) > 0.5).double(), also=["steps"])

    shares = representable(torch.softmax(randn(4, 6), 0))
    shares[0, 0] = 0.0
    kl = lambda p, t: F.kl_div(p, t, reduction="none").sum(-2, keepdim=True)
    case("kl_divergence", {}, kl, representable(torch.log_softmax(logits, 0)), shares)
    case("kl_divergence", {}, kl, representable(torch.log_softmax(randn(2, 4, 6), 1)),
         representable(torch.softmax(randn(2, 4, 6), 1)), also=["steps"])
    logs = representable(torch.log_softmax(randn(4, 6), 0))
    kl_log = lambda p, t: F.kl_div(p, t, reduction="none", log_target=True).sum(-2, keepdim=True)
    case("kl_divergence", {"log_target": True}, kl_log, representable(torch.log_softmax(logits, 0)), logs, also=["log"])


def write():
    points()
    quantiles()
    likelihoods()
    classes()
    FIXTURE.write()
