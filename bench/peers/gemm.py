"""Matrix products: C = A B in f32, cases `f32/t1/MxKxN` and `f32-packed/t1/MxKxN`.

A is stream 1, B is stream 2 of `fill`. The packed cases may keep B in any form made beforehand.
"""

import torch
import torch.nn.functional as F

import fill


def operands(case: str):
    m, k, n = (int(size) for size in case.split("/")[-1].split("x"))
    a = torch.from_numpy(fill.values(1, m * k)).reshape(m, k)
    b = torch.from_numpy(fill.values(2, k * n)).reshape(k, n)
    return a, b


def variants(case: str) -> dict:
    a, b = operands(case)
    out = torch.empty(a.shape[0], b.shape[1])

    def mm():
        return lambda: torch.mm(a, b, out=out)

    def linear():
        weight = b.t().contiguous()
        return inference(lambda: F.linear(a, weight))

    def mkl_packed():
        weight, rows = b.t().contiguous(), a.shape[0]
        packed = torch.ops.mkl._mkl_reorder_linear_weight(weight, rows)
        return inference(lambda: torch.ops.mkl._mkl_linear(a, packed, weight, None, rows))

    def onednn_packed():
        packed = torch.ops.mkldnn._reorder_linear_weight(b.t().contiguous(), a.shape[0])
        return inference(lambda: torch.ops.mkldnn._linear_pointwise(a, packed, None, "none", [], ""))

    forms = {"mm": mm, "linear": linear}
    if case.startswith("f32-packed/"):
        forms |= {"mkl packed": mkl_packed, "onednn packed": onednn_packed}
    return forms


def inference(call):
    """The call without the bookkeeping of gradients."""

    def run():
        with torch.inference_mode():
            return call()

    return run


def answer(case: str, call):
    return call().numpy()
