"""DLinear and NLinear in PyTorch on the ETT data, learned by the settings they were published with.

    python bench/peers/ett-linear.py SET MODEL HORIZON SEED

SET is h1, h2 or m1. Prints the MSE and the MAE over every window of the test part, the best loss of the validation and
its epoch. The data are in the folder WHIMBREL_DATA, or in `../shared/data` beside the project.
"""

import copy
import json
import os
import sys

import numpy as np
import pandas as pd
import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.environ.get("WHIMBREL_DATA") or os.path.join(ROOT, "..", "shared", "data")
# Rows of thirty days, the rate, and the points of time in a step.
SETS = {"h1": ("ETTh1.csv", 720, 5e-3, 32), "h2": ("ETTh2.csv", 720, 5e-2, 32), "m1": ("ETTm1.csv.gz", 2880, 1e-4, 8)}
LOOK_BACK, AVERAGE, EPOCHS, PATIENCE, BLOCK = 336, 25, 10, 3, 256


class NLinear(torch.nn.Module):
    def __init__(self, horizon):
        super().__init__()
        self.linear = torch.nn.Linear(LOOK_BACK, horizon)

    def forward(self, past):
        last = past[..., -1:]
        return self.linear(past - last) + last


class DLinear(torch.nn.Module):
    def __init__(self, horizon):
        super().__init__()
        self.season, self.trend = torch.nn.Linear(LOOK_BACK, horizon), torch.nn.Linear(LOOK_BACK, horizon)
        at = np.arange(LOOK_BACK)[:, None] + np.arange(AVERAGE) - AVERAGE // 2
        shares = np.zeros((LOOK_BACK, LOOK_BACK), np.float32)
        np.add.at(shares, (np.arange(LOOK_BACK)[:, None], at.clip(0, LOOK_BACK - 1)), 1 / AVERAGE)
        self.shares = torch.tensor(shares)

    def forward(self, past):
        trend = past @ self.shares.T
        return self.season(past - trend) + self.trend(trend)


def windows(rows, horizon):
    """Every window of all channels: [channel, window, time]."""
    return torch.tensor(np.ascontiguousarray(rows.T)).unfold(1, LOOK_BACK + horizon, 1)


@torch.no_grad()
def errors(model, part):
    squared, absolute, count = 0.0, 0.0, 0
    for block in part.split(BLOCK, dim=1):
        error = (model(block[..., :LOOK_BACK]) - block[..., LOOK_BACK:]).double()
        squared, absolute, count = squared + error.square().sum(), absolute + error.abs().sum(), count + error.numel()
    return float(squared / count), float(absolute / count)


def main(name, kind, horizon, seed):
    file, month, rate, points = SETS[name]
    values = pd.read_csv(f"{DATA}/{file}").drop(columns="date").to_numpy()[: 20 * month]
    learn = values[: 12 * month]
    values = ((values - learn.mean(0)) / learn.std(0)).astype(np.float32)
    parts = (slice(0, 12 * month), slice(12 * month - LOOK_BACK, 16 * month), slice(16 * month - LOOK_BACK, None))
    learn, validate, test = (windows(values[part], horizon) for part in parts)
    torch.manual_seed(seed)
    model = {"nlinear": NLinear, "dlinear": DLinear}[kind](horizon)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    best, kept = None, None
    for epoch in range(EPOCHS):
        for group in optimiser.param_groups:
            group["lr"] = rate * 0.5 ** max(epoch - 1, 0)
        order = torch.randperm(learn.shape[1])
        for chosen in order[: len(order) // points * points].split(points):
            batch = learn[:, chosen]
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(model(batch[..., :LOOK_BACK]), batch[..., LOOK_BACK:]).backward()
            optimiser.step()
        loss = errors(model, validate)[0]
        if best is None or loss <= best[0]:
            best, kept = (loss, epoch), copy.deepcopy(model.state_dict())
        elif epoch - best[1] >= PATIENCE:
            break
    model.load_state_dict(kept)
    mse, mae = errors(model, test)
    print(json.dumps({"case": f"ett/{name}/{kind}/{horizon}", "seed": seed, "mse": mse, "mae": mae,
                      "validation": best[0], "epoch": best[1] + 1}))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
