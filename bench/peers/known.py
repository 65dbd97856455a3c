"""What earlier calibrations found, so that hopeless forms need not be built again.

Building a compiled form takes many seconds. A form more than twice as slow as the best one of its
case is left out the next time. Only calibrations made while nobody else used the machine are kept,
because a disturbed one could condemn the wrong form. Deleting `.venv/known-forms.json` forgets all.
"""

import json
import os
import time

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".venv", "known-forms.json")
HOPELESS = 2.0
QUIET = 0.1


class Watch:
    """The share of the machine's CPU time that others used since the watch was made."""

    def __init__(self):
        self.start = self._now()

    @staticmethod
    def _now():
        with open("/proc/stat") as stat:
            user, nice, system, _idle, _wait, irq, softirq, steal = map(int, stat.readline().split()[1:9])
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        return busy, sum(os.times()[:4]), time.perf_counter()

    def others(self) -> float:
        busy, own, seconds = (now - then for now, then in zip(self._now(), self.start))
        return max(0.0, (busy - own) / (seconds * os.cpu_count()))


def load() -> dict:
    try:
        with open(PATH) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def promising(key: str, forms: dict) -> dict:
    """The forms worth building: those not known to be hopeless."""
    seconds = load().get(key, {})
    if not seconds:
        return forms
    limit = HOPELESS * min(seconds.values())
    return {name: build for name, build in forms.items() if seconds.get(name, 0.0) <= limit}


def keep(key: str, seconds: dict, others: float) -> None:
    """Remembers what a calibration found, unless it was disturbed."""
    if others > QUIET:
        return
    known = load()
    merged = known.setdefault(key, {})
    for name, value in seconds.items():
        merged[name] = min(value, merged.get(name, value))
    # Another peer process may be writing too: replacing is atomic.
    part = f"{PATH}.{os.getpid()}"
    with open(part, "w") as file:
        json.dump(known, file, indent=1)
    os.replace(part, PATH)
