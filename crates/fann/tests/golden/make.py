"""Writes the golden data of this folder: networks of libfann 2.2.0, what they answer, and how they learn.

    python3 crates/fann/tests/golden/make.py

needs Debian's libfann-dev. Each case is a network file NAME.net, and lines of expected.txt: its name, what
the numbers are, and the numbers. Training starts from the file, on waves.data or wide.data.
"""

import ctypes
import math
import pathlib
import random
from ctypes import c_double, c_float, c_int, c_uint, c_void_p

HERE = pathlib.Path(__file__).parent
ACTIVATIONS = 18
THRESHOLD, GAUSSIAN_STEPWISE, SIGMOID_SYMMETRIC = 1, 9, 5
INCREMENTAL, BATCH, RPROP, QUICKPROP, SARPROP = range(5)
expected = []


class Library:
    """One of the three libraries, with the types it needs to be told."""

    def __init__(self, name, number):
        self.fann = ctypes.CDLL(f"lib{name}.so.2")
        self.number = number
        pointers = ["fann_create_from_file", "fann_create_standard_array", "fann_create_sparse_array",
                    "fann_create_shortcut_array", "fann_read_train_from_file"]
        for function in pointers:
            getattr(self.fann, function).restype = c_void_p
        self.fann.fann_run.restype = ctypes.POINTER(number)
        for function in ["fann_train_epoch", "fann_get_MSE", "fann_test_data"]:
            if hasattr(self.fann, function):
                getattr(self.fann, function).restype = c_float

    def run(self, ann, inputs):
        row = (self.number * len(inputs))(*inputs)
        outputs = self.fann.fann_run(ann, row)
        return [outputs[i] for i in range(self.fann.fann_get_num_output(ann))]


FLOAT = Library("floatfann", c_float)
DOUBLE = Library("doublefann", c_double)
FIXED = Library("fixedfann", c_int)
lib = FLOAT.fann


def expect(name, what, numbers):
    expected.append(f"{name} {what} " + " ".join(repr(float(x)) for x in numbers))


def create(kind, sizes, rate=1.0):
    layers = (c_uint * len(sizes))(*sizes)
    if kind == "standard":
        ann = c_void_p(lib.fann_create_standard_array(len(sizes), layers))
    elif kind == "shortcut":
        ann = c_void_p(lib.fann_create_shortcut_array(len(sizes), layers))
    else:
        ann = c_void_p(lib.fann_create_sparse_array(c_float(rate), len(sizes), layers))
    ctypes.CDLL(None).srand(sum(sizes))
    lib.fann_randomize_weights(ann, c_float(-1.0), c_float(1.0))
    return ann


def save(ann, name):
    lib.fann_save(ann, str(HERE / f"{name}.net").encode())


def load(library, name):
    return c_void_p(library.fann.fann_create_from_file(str(HERE / f"{name}.net").encode()))


def data_file(name, rows, inputs, outputs):
    draw = random.Random(name)
    with open(HERE / f"{name}.data", "w") as file:
        file.write(f"{rows} {inputs} {outputs}\n")
        for _ in range(rows):
            xs = [round(draw.uniform(-1, 1), 3) for _ in range(inputs)]
            ys = [round(0.6 * math.sin(2 * sum(xs) + i), 3) for i in range(outputs)]
            file.write(" ".join(map(str, xs)) + "\n" + " ".join(map(str, ys)) + "\n")


def answers(name, points):
    for library in [FLOAT, DOUBLE]:
        ann = load(library, name)
        numbers = [y for point in points for y in library.run(ann, point)]
        expect(name, "outputs_" + library.number.__name__, numbers)


def learns(name, data, algorithms):
    for what, algorithm, epochs, rate in algorithms:
        for library in [FLOAT, DOUBLE]:
            ann = load(library, name)
            samples = c_void_p(library.fann.fann_read_train_from_file(str(HERE / f"{data}.data").encode()))
            library.fann.fann_set_training_algorithm(ann, algorithm)
            library.fann.fann_set_learning_rate(ann, c_float(rate))
            errors, bits = [], []
            for _ in range(epochs):
                errors.append(library.fann.fann_train_epoch(ann, samples))
                bits.append(library.fann.fann_get_bit_fail(ann))
            kind = library.number.__name__
            expect(name, f"{what}_{kind}", errors)
            expect(name, f"{what}_bits_{kind}", bits)


POINTS = [[-1.0, 0.4], [0.25, -0.75], [0.0, 0.0], [3.0, 2.5]]


def activations():
    for function in range(ACTIVATIONS):
        ann = create("standard", [2, 3, 1])
        lib.fann_set_activation_function_hidden(ann, function)
        lib.fann_set_activation_steepness_hidden(ann, c_float(0.8))
        lib.fann_set_activation_function_output(ann, 0)
        name = f"activation_{function}"
        save(ann, name)
        answers(name, POINTS)
        if function not in (THRESHOLD, GAUSSIAN_STEPWISE):
            learns(name, "pairs", [("batch", BATCH, 4, 0.3)])
    ann = create("standard", [2, ACTIVATIONS, ACTIVATIONS])
    for function in range(ACTIVATIONS):
        lib.fann_set_activation_function(ann, function, 1, function)
        lib.fann_set_activation_function(ann, function, 2, function)
        lib.fann_set_activation_steepness(ann, c_float(0.3 + 0.05 * function), 1, function)
    save(ann, "activations")
    answers("activations", POINTS)


def layouts():
    trainings = [("batch", BATCH, 100, 0.5), ("rprop", RPROP, 10, 0.7), ("quickprop", QUICKPROP, 10, 0.7),
                 ("sarprop", SARPROP, 2, 0.7)]
    incremental = [("incremental", INCREMENTAL, 20, 0.2)]
    for kind, sizes, data, more in [
        ("standard", [3, 8, 5, 2], "waves", incremental),
        ("shortcut", [3, 8, 5, 2], "waves", incremental),
        # libfann 2.2.0 trains sparse networks incrementally with the values of wrong neurons.
        ("sparse", [3, 8, 5, 2], "waves", []),
        ("wide", [20, 40, 6], "wide", incremental),
    ]:
        ann = create("standard" if kind == "wide" else kind, sizes, 0.6)
        lib.fann_set_activation_function_hidden(ann, SIGMOID_SYMMETRIC)
        lib.fann_set_activation_function_output(ann, SIGMOID_SYMMETRIC)
        save(ann, kind)
        learns(kind, data, trainings + more)
        if kind == "standard":
            lib.fann_set_learning_momentum(ann, c_float(0.3))
            lib.fann_set_train_error_function(ann, 0)
            save(ann, "momentum")
            learns("momentum", data, incremental + trainings[:1])


def scaled():
    ann = create("standard", [3, 4, 2])
    samples = c_void_p(lib.fann_read_train_from_file(str(HERE / "waves.data").encode()))
    low, high = c_float(-0.9), c_float(0.9)
    lib.fann_set_scaling_params(ann, samples, low, high, low, high)
    save(ann, "scaled")
    row = (c_float * 3)(0.3, -2.0, 5.5)
    lib.fann_scale_input(ann, row)
    expect("scaled", "input", row)
    outputs = (c_float * 2)(*FLOAT.run(ann, list(row)))
    lib.fann_descale_output(ann, outputs)
    expect("scaled", "output", outputs)


def fixed():
    ann = create("standard", [2, 5, 2])
    lib.fann_set_activation_function_hidden(ann, SIGMOID_SYMMETRIC)
    lib.fann_set_activation_function_output(ann, 3)
    save(ann, "floating")
    point = lib.fann_save_to_fixed(ann, str(HERE / "fixed.net").encode())
    expect("fixed", "decimal_point", [point])
    ann = load(FIXED, "fixed")
    rows = [[int(x * (1 << point)) for x in row] for row in POINTS[:3]]
    expect("fixed", "outputs", [y for row in rows for y in FIXED.run(ann, row)])


data_file("pairs", 9, 2, 1)
data_file("waves", 40, 3, 2)
data_file("wide", 50, 20, 6)
activations()
layouts()
scaled()
fixed()
(HERE / "expected.txt").write_text("\n".join(expected) + "\n")
