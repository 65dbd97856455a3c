"""libfann's side of the suite `fann`, one thread.

Cases: `NET/ALGORITHM` with NET `xor` (2-4-1, a new network for 2,000 epochs a call) or `mlp-I-H-O` (an
epoch over 512 rows a call); `run/xor` and `run/I-H-O`; `many-xor`, 1,000 networks for 100 more epochs of
RPROP each, one after another; `c-api/xor-train`, as a program calls it; `final/ALGORITHM/SEED`,
`cascade/PROBLEM/SEED` and `memory/I-H-O`, which are figures. Rows are the streams 201 and 202 of `fill`, weights stream 203. Needs a C
compiler and libfann with its headers.
"""

import ctypes
import os
import subprocess
import tempfile

import numpy as np

import fill

ALGORITHMS = {"incremental": 0, "batch": 1, "rprop": 2, "quickprop": 3}
SIGMOID, SIGMOID_SYMMETRIC = 3, 5
XOR_EPOCHS, MLP_ROWS, MANY, MANY_EPOCHS = 2_000, 512, 1_000, 100
ANSWER_EPOCHS = {"xor": 10, "mlp": 3}
FINAL_EPOCHS = 300


def build():
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fann_loops.c")
    folder = tempfile.mkdtemp()
    library = os.path.join(folder, "fann_loops.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", library, "-lfann", "-lm"], check=True)
    loops = ctypes.CDLL(library)
    for name in ("make", "data"):
        getattr(loops, name).restype = ctypes.c_void_p
    return loops


LOOPS = build()


def name_of(form: str) -> str:
    return "libfann 2.2.0 t1"


def floats(array):
    return np.ascontiguousarray(array, dtype=np.float32).ctypes.data_as(ctypes.POINTER(ctypes.c_float))


def network(sizes, algorithm: int, function: int, scale: float, stream=203, rate=None):
    count = sum((inputs + 1) * outputs for inputs, outputs in zip(sizes, sizes[1:]))
    weights = fill.values(stream, count) * np.float32(scale)
    layers = (ctypes.c_uint * len(sizes))(*sizes)
    made = ctypes.c_void_p(LOOPS.make(len(sizes), layers, algorithm, function, floats(weights)))
    # FANN's own rate, 0.7, makes errors of large networks follow their rounding.
    rate = rate or (0.7 if len(weights) == 17 else 0.05)
    LOOPS.fann_set_learning_rate(made, ctypes.c_float(rate))
    return made


def data(inputs, outputs):
    rows = ctypes.c_uint(len(inputs))
    made = LOOPS.data(rows, inputs.shape[1], outputs.shape[1], floats(inputs), floats(outputs))
    return ctypes.c_void_p(made)


def xor():
    rows = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]], dtype=np.float32)
    return data(rows, np.array([[-1], [1], [1], [-1]], dtype=np.float32))


def rows(sizes):
    x = fill.values(201, MLP_ROWS * sizes[0]).reshape(MLP_ROWS, sizes[0])
    y = fill.values(202, MLP_ROWS * sizes[-1]).reshape(MLP_ROWS, sizes[-1])
    return data(x, np.abs(y))


def spirals():
    turn = np.arange(97)
    radius, angle = (104 - turn) / 104, turn * np.pi / 16
    one = np.stack([radius * np.sin(angle), radius * np.cos(angle)], 1)
    x = np.stack([one, -one], 1).reshape(-1, 2)
    return data(x, np.tile([[1.0], [-1.0]], (97, 1)))


def parity():
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    return data(2.0 * bits - 1, 2.0 * (bits.sum(1, keepdims=True) % 2) - 1)


def setting(case: str):
    """The sizes, the data, the function, and the size of the weights of a case that trains or runs."""
    net = case.split("/")[1 if case.startswith(("run/", "c-api/")) else 0]
    if "xor" in net:
        return (2, 4, 1), xor(), SIGMOID_SYMMETRIC, 1.0
    sizes = tuple(int(size) for size in net.removeprefix("mlp-").split("-"))
    return sizes, rows(sizes), SIGMOID, 0.1


def variants(case: str) -> dict:
    kind = case.split("/")[0]
    if kind in ("final", "cascade", "memory"):
        return {"": lambda: lambda: None}
    sizes, samples, function, scale = setting(case)
    if kind == "run":
        made = network(sizes, 0, function, scale)
        rounds = 1_000 if sizes == (2, 4, 1) else 1
        return {"": lambda: lambda: LOOPS.run(made, samples, rounds)}
    if kind == "many-xor":

        def built():
            made = [network(sizes, ALGORITHMS["rprop"], function, scale) for _ in range(MANY)]

            def many():
                for each in made:
                    LOOPS.train(each, samples, MANY_EPOCHS, None)

            return many

        return {"": built}
    if kind == "c-api":

        def program():
            made = network(sizes, ALGORITHMS["rprop"], function, scale)
            LOOPS.train_on_data(made, samples, XOR_EPOCHS)
            LOOPS.fann_destroy(made)

        return {"": lambda: program}
    algorithm = ALGORITHMS[case.split("/")[1]]
    if kind == "xor":

        def anew():
            made = network(sizes, algorithm, function, scale)
            LOOPS.train(made, samples, XOR_EPOCHS, None)
            LOOPS.fann_destroy(made)

        return {"": lambda: anew}
    made = network(sizes, algorithm, function, scale)
    return {"": lambda: lambda: LOOPS.train(made, samples, 1, None)}


def answer(case: str, call):
    kind, *rest = case.split("/")
    figures = (ctypes.c_double * 3)()
    if kind == "cascade":
        problem, seed = rest
        samples, most = (spirals(), 40) if problem == "two-spirals" else (parity(), 30)
        LOOPS.cascade(samples, most, int(seed), figures)
        return list(figures)
    if kind == "final":
        name, seed = rest
        made = network((8, 12, 1), ALGORITHMS[name], SIGMOID_SYMMETRIC, 1.0, 300 + int(seed), 0.7)
        errors = np.zeros(FINAL_EPOCHS, dtype=np.float32)
        LOOPS.train(made, parity(), FINAL_EPOCHS, floats(errors))
        LOOPS.fann_destroy(made)
        return errors[-1:]
    if kind == "memory":
        sizes = tuple(int(size) for size in rest[0].split("-"))
        LOOPS.memory(len(sizes), (ctypes.c_uint * len(sizes))(*sizes), rows(sizes), figures)
        return list(figures)
    sizes, samples, function, scale = setting(case)
    trains = rest[0] if rest and kind != "c-api" else "rprop"
    algorithm = ALGORITHMS.get(trains, 0)
    made = network(sizes, algorithm, function, scale)
    if kind == "run":
        LOOPS.fann_run.restype = ctypes.POINTER(ctypes.c_float)
        x = np.array([-1, 1], dtype=np.float32) if sizes[0] == 2 else fill.values(201, sizes[0])
        output = LOOPS.fann_run(made, floats(x))
        return [output[i] for i in range(sizes[-1])]
    epochs = ANSWER_EPOCHS["xor" if sizes == (2, 4, 1) else "mlp"]
    errors = np.zeros(epochs, dtype=np.float32)
    LOOPS.train(made, samples, epochs, floats(errors))
    return errors
