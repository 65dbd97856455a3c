"""Memory of NeuralForecast: cases `resident/MODEL`, nothing timed, the answer being the most bytes that
were resident in a process that trains the model with batches of 32."""

import pathlib
import subprocess
import sys

from forecasters import name_of  # noqa: F401

PROCESS = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import forecasters
settings = {"max_steps": 100, "windows_batch_size": 32}
forecasters.forecaster(sys.argv[2], **settings).fit(forecasters.panel(100, 124), val_size=0)
print(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def variants(case: str) -> dict:
    return {"fit": lambda: lambda: None}


def answer(case: str, call):
    _, model = case.split("/")
    here = str(pathlib.Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", PROCESS, here, model], check=True, stdout=subprocess.PIPE)
    return [float(done.stdout.split()[-1])]
