"""Golden data: what a model computes, for tests that compare.

    .venv/bin/python bench/peers/golden.py MODEL FILE [--batch 4] [--steps 3] [--init fill|library]

The safetensors file holds, dropout off, in f32: `param/NAME`, `input` [B, 24], `target` [B, 12],
`output` [B, 12], `loss` [], `grad/NAME`, `losses` [steps] and `after/NAME`, the parameters after
`steps` Adam steps on this batch. With `--init fill` (the default) parameters are the streams of
`parameters.py`, so a test may make them itself. `buffer/NAME` holds what is not trained.
"""

import argparse

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

import fill
import models
from parameters import fill_parameters
from steps import RATE


def golden(model: str, batch: int, steps: int, init: str) -> dict:
    torch.manual_seed(0)
    net = models.library(model, dropout=False)
    if init == "fill":
        fill_parameters(net)
    net.train()
    every = {name.removeprefix("net."): value for name, value in net.named_parameters()}
    named = {name: value for name, value in every.items() if value.requires_grad}
    fixed = {name: value for name, value in every.items() if not value.requires_grad}
    fixed |= {name.removeprefix("net."): value for name, value in net.named_buffers()}
    x = torch.from_numpy(fill.values(101, batch * models.INPUT)).reshape(batch, models.INPUT)
    y = torch.from_numpy(fill.values(102, batch * models.HORIZON)).reshape(batch, models.HORIZON)

    def forward():
        output = net(x.unsqueeze(-1)).squeeze(-1)
        return output, F.l1_loss(output, y)

    tensors = {"input": x, "target": y}
    tensors |= {f"param/{name}": value.detach().clone() for name, value in named.items()}
    tensors |= {f"buffer/{name}": value.detach().clone() for name, value in fixed.items()}
    tensors["output"], tensors["loss"] = forward()
    tensors["loss"].backward()
    tensors |= {f"grad/{name}": value.grad.clone() for name, value in named.items()}
    net.zero_grad()
    optimiser, losses = torch.optim.Adam(net.parameters(), lr=RATE), []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = forward()[1]
        losses.append(loss.item())
        loss.backward()
        optimiser.step()
    tensors["losses"] = torch.tensor(losses)
    tensors |= {f"after/{name}": value for name, value in named.items()}
    return {name: value.detach().clone().contiguous() for name, value in tensors.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=models.SIZES)
    parser.add_argument("file")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--init", choices=("fill", "library"), default="fill")
    args = parser.parse_args()
    tensors = golden(args.model, args.batch, args.steps, args.init)
    metadata = {
        "model": args.model,
        "init": args.init,
        "rate": str(RATE),
        "steps": str(args.steps),
        "made_by": f"bench/peers/golden.py with torch {torch.__version__.split('+')[0]}",
    }
    save_file(tensors, args.file, metadata)


if __name__ == "__main__":
    main()
