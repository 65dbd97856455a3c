"""Schedules: the learning rate of thirty steps; for the plateau, after each observed value."""

import torch
from torch.optim import lr_scheduler as S

from fixture import Fixture, representable

FIXTURE = Fixture("schedules")
STEPS, LR = 30, 0.5


def case(kind, settings, make, also="", values=None):
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=LR)
    schedule = make(optimiser)
    rates = []
    for step in range(STEPS):
        optimiser.step()
        if values is None:
            rates.append(optimiser.param_groups[0]["lr"])
            if step + 1 < STEPS:
                schedule.step()
        else:
            schedule.step(values[step].item())
            rates.append(optimiser.param_groups[0]["lr"])
    tensors = {"rates": torch.tensor(rates)}
    if values is not None:
        tensors["values"] = values
    FIXTURE.add(kind + also, {"type": kind} | settings, tensors)


def write():
    case("constant", {}, lambda o: S.ConstantLR(o, factor=1.0))
    case("constant", {"factor": 0.5, "total_iters": 4}, lambda o: S.ConstantLR(o, 0.5, 4), "_first")
    case("step", {"step_size": 7}, lambda o: S.StepLR(o, 7))
    case("step", {"step_size": 3, "gamma": 0.7}, lambda o: S.StepLR(o, 3, 0.7), "_gamma")
    case("exponential", {"gamma": 0.9}, lambda o: S.ExponentialLR(o, 0.9))
    case("cosine", {"T_max": 30}, lambda o: S.CosineAnnealingLR(o, 30))
    case("cosine", {"T_max": 12, "eta_min": 0.05}, lambda o: S.CosineAnnealingLR(o, 12, 0.05), "_wave")
    case("linear", {}, lambda o: S.LinearLR(o))
    case("linear", {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 20}, lambda o: S.LinearLR(o, 1.0, 0.1, 20), "_down")
    for strategy in ("cos", "linear"):
        case("one_cycle", {"total_steps": STEPS, "anneal_strategy": strategy},
             lambda o: S.OneCycleLR(o, LR, STEPS, anneal_strategy=strategy, cycle_momentum=False), f"_{strategy}")
    case("one_cycle", {"total_steps": STEPS, "pct_start": 0.5, "div_factor": 10.0, "final_div_factor": 100.0},
         lambda o: S.OneCycleLR(o, LR, STEPS, pct_start=0.5, div_factor=10.0, final_div_factor=100.0, cycle_momentum=False), "_all")

    case("one_cycle", {"total_steps": STEPS, "pct_start": 1.0},
         lambda o: S.OneCycleLR(o, LR, STEPS, pct_start=1.0, cycle_momentum=False), "_up")
    case("one_cycle", {"total_steps": STEPS, "pct_start": 0.0},
         lambda o: S.OneCycleLR(o, LR, STEPS, pct_start=0.0, cycle_momentum=False), "_down")

    def warm_up(o):
        up, down = S.LinearLR(o, 0.1, 1.0, 6), S.CosineAnnealingLR(o, 24)
        return S.SequentialLR(o, [up, down], milestones=[6])

    case("warm_up", {"warmup_steps": 6, "start_factor": 0.1, "decay": {"type": "cosine", "T_max": 24}}, warm_up)
    case("warm_up", {"warmup_steps": 6, "decay": {"type": "exponential", "gamma": 0.9}},
         lambda o: S.LambdaLR(o, lambda step: step / 6 if step < 6 else 0.9 ** (step - 6)), "_from_nothing")

    falling = representable(1 / torch.arange(1, 11) + 0.5)
    values = torch.cat([falling, falling[-1] + 0.01 * representable(torch.rand(20))])
    case("plateau", {"patience": 3, "factor": 0.5}, lambda o: S.ReduceLROnPlateau(o, patience=3, factor=0.5), values=values)
    case("plateau", {"mode": "max", "patience": 2, "factor": 0.3, "threshold": 0.01, "threshold_mode": "abs", "cooldown": 2, "min_lr": 0.02},
         lambda o: S.ReduceLROnPlateau(o, "max", 0.3, 2, 0.01, "abs", 2, 0.02), "_all", values=-values)
    for mode, threshold in (("min", "abs"), ("max", "rel")):
        case("plateau", {"mode": mode, "patience": 2, "factor": 0.5, "threshold": 0.05, "threshold_mode": threshold},
             lambda o: S.ReduceLROnPlateau(o, mode, 0.5, 2, 0.05, threshold), f"_{mode}_{threshold}",
             values=values if mode == "min" else representable(1 / values))
    case("plateau", {"patience": 1, "factor": 0.5, "eps": 0.1}, lambda o: S.ReduceLROnPlateau(o, patience=1, factor=0.5, eps=0.1),
         "_eps", values=values)
    FIXTURE.write()
