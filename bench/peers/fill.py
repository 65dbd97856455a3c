"""Inputs both sides make for themselves, and digests of what came out.

The other half is `src/fill.rs`: the same bits, so change both.
"""

import numpy as np


def values(seed: int, count: int) -> np.ndarray:
    """The first `count` values of the stream `seed`: multiples of 2^-23 in [-1, 1), in f32."""
    h = np.arange(count, dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x7FEB352D)
    h = (h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B)
    h ^= h >> np.uint32(16)
    return (h >> np.uint32(8)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)


def digest(array) -> dict:
    """Sums and up to 64 evenly picked values: enough to tell whether two answers agree."""
    flat = np.asarray(array, dtype=np.float64).reshape(-1)
    picks = min(len(flat), 64)
    return {
        "len": len(flat),
        "sum": float(flat.sum()),
        "abs_sum": float(np.abs(flat).sum()),
        "picks": [float(flat[i * len(flat) // picks]) for i in range(picks)],
    }
