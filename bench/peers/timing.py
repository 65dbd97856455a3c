"""Timing in the peer: blocks of calls, and the choice of the fastest form."""

import gc
import sys
import time
import traceback

from known import Watch


def repeat(call, count: int) -> float:
    """Seconds a call, the mean over `count` calls. The collector is off, as in `timeit`.

    A call with parts that do not count has a method `timed(count)` that does the same itself.
    """
    if hasattr(call, "timed"):
        return call.timed(count)
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - start) / count
    finally:
        if enabled:
            gc.enable()


def calls_per_block(call, seconds: float) -> int:
    """How many calls fill a block of about `seconds`."""
    count = 1
    while True:
        taken = repeat(call, count) * count
        if taken >= seconds / 10:
            return max(1, round(count * seconds / taken))
        count *= 4


def fastest(variants: dict, quick: bool):
    """Builds every form, times them in turn, returns (name, call, seconds by name, the share
    of the machine others used meanwhile).

    The best block of a form counts, since disturbance only adds. A form that cannot be built or run
    is left out, with its reason on stderr; at least one must work. Forms far behind after two turns
    are not timed again.
    """
    seconds = 0.02 if quick else 0.15
    calls, counts, best = {}, {}, {}
    for name, build in variants.items():
        try:
            call = build()
            for _ in range(3):
                call()
            counts[name] = calls_per_block(call, seconds)
            calls[name], best[name] = call, float("inf")
        except Exception:
            print(f"form {name} left out:", file=sys.stderr)
            traceback.print_exc()
    if not calls:
        raise RuntimeError("no form of the case works")
    near, watch = list(calls), Watch()
    for turn in range(4 if quick else 6):
        for name in near:
            best[name] = min(best[name], repeat(calls[name], counts[name]))
        if turn == 1:
            limit = 1.5 * min(best.values())
            near = [name for name in near if best[name] < limit]
    winner = min(near, key=best.get)
    print(winner, best, file=sys.stderr, flush=True)
    return winner, calls[winner], best, watch.others()
