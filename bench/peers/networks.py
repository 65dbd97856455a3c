"""Networks from files of `examples/`, trained on tensors in memory by a plain loop.

Cases: `epoch/NAME`, one epoch with its new order and its validation; `accuracy/NAME`, nothing timed,
the answer being the share of right classes after the whole training, in percent, for five seeds.
"""

import math

import torch
import torch.nn.functional as F

import network_file

SEEDS = range(1, 6)


class Training:
    """A network file being trained."""

    def __init__(self, name: str, seed: int, fused: bool, compiled: bool):
        torch.manual_seed(seed)
        file = network_file.read(name)
        x, y = network_file.rows(file)
        learn, validate = network_file.split(y, file["data"]["validation"], seed)
        self.x, self.y, self.held_x, self.held_y = x[learn], y[learn], x[validate], y[validate]
        self.net = network_file.network(file["network"]["layers"], [x.shape[1]])
        self.settings = file["training"]
        rule = dict(self.settings["optimiser"])
        assert rule.pop("type") == "adamw"
        self.optimiser = torch.optim.AdamW(self.net.parameters(), fused=fused, **rule)
        self.base, self.step = rule["lr"], 0
        self.norm = self.settings.get("clip", {}).get("norm")
        loss = self.settings["loss"]
        assert loss["type"] == "cross_entropy"

        def loss_of(inputs, classes):
            smoothing = loss.get("label_smoothing", 0.0)
            return F.cross_entropy(self.net(inputs), classes, label_smoothing=smoothing)

        self.loss_of = torch.compile(loss_of, dynamic=False) if compiled else loss_of

    def rate(self) -> float:
        schedule = self.settings["schedule"]
        assert schedule["type"] == "cosine"
        return 0.5 * self.base * (1.0 + math.cos(math.pi * self.step / schedule["T_max"]))

    def epoch(self) -> float:
        """Learns from every row once; gives the share of right classes of the others, in percent."""
        self.net.train()
        total = torch.zeros(())
        for rows in torch.randperm(len(self.x)).split(self.settings["batch_size"]):
            for group in self.optimiser.param_groups:
                group["lr"] = self.rate()
            self.step += 1
            self.optimiser.zero_grad(set_to_none=True)
            loss = self.loss_of(self.x[rows], self.y[rows])
            loss.backward()
            if self.norm is not None:
                torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.norm)
            self.optimiser.step()
            total += loss.detach() * len(rows)
        total.item()
        self.net.eval()
        with torch.inference_mode():
            predictions = self.net(self.held_x)
            F.cross_entropy(predictions, self.held_y).item()
            return 100.0 * (predictions.argmax(dim=1) == self.held_y).float().mean().item()

    def whole(self) -> float:
        for _ in range(self.settings["epochs"]):
            accuracy = self.epoch()
        return accuracy


def variants(case: str) -> dict:
    torch._dynamo.reset()
    mode, name = case.split("/")
    if mode == "accuracy":
        return {"eager fused-adamw": lambda: lambda: None}
    forms = {"eager": (False, False), "eager fused-adamw": (True, False), "compile": (True, True)}
    return {form: lambda how=how: Training(name, 1, *how).epoch for form, how in forms.items()}


def answer(case: str, call):
    _, name = case.split("/")
    return [Training(name, seed, True, False).whole() for seed in SEEDS]
