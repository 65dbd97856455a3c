"""Writes the golden data of this folder: what PyTorch makes of small cases.

    .venv/bin/python crates/nn/tests/golden/make.py

Everything is in Whimbrel's layout, the batch last.
"""

import torch

import layers
import losses
import networks
import optimisers
import schedules

torch.set_default_dtype(torch.float64)
for family in (layers, losses, networks, optimisers, schedules):
    torch.manual_seed(7)
    family.write()
