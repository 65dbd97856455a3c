"""The peer process: answers one JSON line with one JSON line until its input ends.

    {"do": "prepare", "case": C, "quick": bool} -> {"peer_name", "seconds", "forms"}
    {"do": "measure", "seconds": S}             -> {"seconds"}  a call, over a block of about S
    {"do": "answer"}                            -> {"len", "sum", "abs_sum", "picks"}

A suite is a module beside this one with `variants(case)`, a dict from the name of every known form
to a function that builds it and returns the call to time (or what times itself, see `timing.repeat`),
and `answer(case, call)`, what the case computes; where it is not torch's, also `name_of(form)`. The
number of threads comes from OMP_NUM_THREADS. While it waits it uses no CPU.
"""

import importlib
import json
import os
import sys
import traceback

import fill
import known
import timing


def name_of(form: str) -> str:
    """Library, version, form and threads: `torch 2.15.0 compile t2`."""
    import torch

    version = torch.__version__.split("+")[0]
    return f"torch {version} {form} t{torch.get_num_threads()}"


class Peer:
    """The current case of one suite and its fastest form."""

    def __init__(self, suite: str):
        self.suite = importlib.import_module(suite)
        # A suite of other libraries names its forms itself and keeps them to the threads.
        self.name_of = getattr(self.suite, "name_of", name_of)
        if self.name_of is name_of:
            import torch

            torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
        self.case, self.call, self.usual = None, None, None

    def prepare(self, case: str, quick: bool = False) -> dict:
        self.call = None
        key = f"{self.suite.__name__} {case} {self.name_of('')}"
        forms = known.promising(key, self.suite.variants(case))
        form, self.call, forms, others = timing.fastest(forms, quick)
        known.keep(key, forms, others)
        self.case, self.usual = case, forms[form]
        return {"peer_name": self.name_of(form), "seconds": forms[form], "forms": forms}

    def measure(self, seconds: float) -> dict:
        self.call()
        return {"seconds": timing.repeat(self.call, max(1, round(seconds / self.usual)))}

    def answer(self) -> dict:
        return fill.digest(self.suite.answer(self.case, self.call))


def serve(suite: str) -> None:
    # Whatever a library prints goes to the log; only answers go into the pipe.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    peer = None
    for line in sys.stdin:
        try:
            question = json.loads(line)
            action = question.pop("do")
            peer = peer or Peer(suite)
            reply = {"prepare": peer.prepare, "measure": peer.measure, "answer": peer.answer}[action](**question)
        except Exception as error:  # the other side decides what a failure means
            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=answers, flush=True)


def versions() -> None:
    import neuralforecast
    import numpy
    import torch

    for library in (torch, neuralforecast, numpy):
        print(f"{library.__name__} {library.__version__}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: peer.py SUITE | --versions")
    if sys.argv[1] == "--versions":
        versions()
    else:
        serve(sys.argv[1])
