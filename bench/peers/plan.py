"""Memory a training step keeps from forward to backward: cases `train/MODEL/bBATCH`.

The answer is the bytes of all tensors autograd saves, each storage counted once and parameters left
out; the smaller of the library's module and the plain one. Nothing is timed.
"""

import torch
import torch.nn.functional as F

import models
import steps


def variants(case: str) -> dict:
    return {"saved tensors": lambda: lambda: None}


def saved_bytes(net, x, y) -> int:
    net.train()
    known = {parameter.untyped_storage().data_ptr() for parameter in net.parameters()}
    kept, alive = {}, []

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage.nbytes()
            # A storage that is freed could lend its address to another.
            alive.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        F.l1_loss(net(x), y)
    return sum(kept.values())


def answer(case: str, call):
    _, model, batch, dropout = steps.read(case)
    forms = ["library"] + (["plain"] if models.plain(model) is not None else [])
    found = []
    for form in forms:
        net, x, y = steps.network(model, form, dropout)
        found.append(saved_bytes(net, x[:batch].clone(), y[:batch].clone()))
    return [min(found)]
