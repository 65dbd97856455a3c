"""Writes the corpus: small files, good ones and nasty ones, a folder for each reader.

    python fuzz/make_corpus.py        # needs numpy

Inputs that broke a reader are added by hand and are not made here.
"""

import gzip
import io
import json
import pathlib
import struct

import numpy as np

HERE = pathlib.Path(__file__).parent / "corpus"


def write(reader: str, name: str, content) -> None:
    folder = HERE / reader
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def fann():
    """A network of two inputs, two hidden neurons and an output, in each version, and what breaks it."""
    settings = """num_layers=3
learning_rate=0.700000
connection_rate=1.000000
network_type=0
learning_momentum=0.000000
training_algorithm=2
train_error_function=1
train_stop_function=0
cascade_output_change_fraction=0.010000
quickprop_decay=-0.000100
quickprop_mu=1.750000
rprop_increase_factor=1.200000
rprop_decrease_factor=0.500000
rprop_delta_min=0.000000
rprop_delta_max=50.000000
rprop_delta_zero=0.100000
cascade_output_stagnation_epochs=12
cascade_candidate_change_fraction=0.010000
cascade_candidate_stagnation_epochs=12
cascade_max_out_epochs=150
cascade_min_out_epochs=50
cascade_max_cand_epochs=150
cascade_min_cand_epochs=50
cascade_num_candidate_groups=2
"""
    floats = """bit_fail_limit=3.5e-01
cascade_candidate_limit=1e+03
cascade_weight_multiplier=4e-01
cascade_activation_functions_count=2
cascade_activation_functions=3 5 
cascade_activation_steepnesses_count=1
cascade_activation_steepnesses=5e-01 
layer_sizes=3 3 2 
"""
    neurons = "neurons (num_inputs, activation_function, activation_steepness)="
    links = "connections (connected_to_neuron, weight)="
    inputs = "(0, 0, 0) (0, 0, 0) (0, 0, 0) "
    full = neurons + inputs + "(3, 5, 5e-01) (3, 5, 5e-01) (0, 0, 0) (3, 3, 5e-01) (0, 0, 0) \n"
    rows = links + "(0, 1.5) (1, -1) (2, .5) (0, 1) (1, 2) (2, 3) (3, 1) (4, -1) (5, 0.25) \n"
    plain = "FANN_FLO_2.1\n" + settings + floats + "scale_included=0\n" + full + rows
    scale = "".join(
        f"scale_{what}_{side}=" + "0.5 " * count + "\n"
        for side, count in [("in", 2), ("out", 1)]
        for what in ["mean", "deviation", "new_min", "factor"]
    )
    sparse = neurons + inputs + "(2, 5, 5e-01) (1, 7, 5e-01) (0, 0, 0) (2, 14, 1) (0, 0, 0) \n"
    sparse += links + "(2, 1.5) (1, -1) (2, .5) (3, 1) (5, 2) \n"
    shortcut = neurons + inputs + "(3, 5, 5e-01) (4, 3, 5e-01) \n"
    shortcut += links + "(0, 1.5) (1, -1) (2, .5) (0, 1) (1, 1) (2, 1) (3, 2) \n"
    fixed = settings + floats.replace("3.5e-01", "358").replace("1e+03", "1024000")
    fixed = fixed.replace("4e-01", "410").replace("5e-01", "512")
    old = "3 0.6 1.0 0 5 3 0.5 0.5\n3 3 2 \n0 0 0 3 3 0 3 0 \n"
    old += "(0 0.5) (1 -0.5) (2 0.25) (0 1.5) (1 0.5) (2 0.125) (3 1.0) (4 -1.0) (5 0.5) \n"
    networks = {
        "plain": plain,
        "version_2_0": plain.replace("2.1", "2.0", 1).replace("scale_included=0\n", ""),
        "scaled": plain.replace("scale_included=0\n", "scale_included=1\n" + scale),
        "sparse": plain.replace("connection_rate=1.0", "connection_rate=0.5").replace(full + rows, sparse),
        "shortcut": plain.replace("network_type=0", "network_type=1")
        .replace("3 3 2 \n", "3 1 1 \n")
        .replace(full + rows, shortcut),
        "fixed": "FANN_FIX_2.0\ndecimal_point=10\n"
        + fixed
        + full.replace("5e-01", "512")
        + links
        + "(0, 15) (1, -1) (2, 5) (0, 1) (1, 2) (2, 3) (3, 1) (4, -1) (5, 25) \n",
        "version_1": "FANN_FLO_1.1\n" + old,
        "empty": "",
        "version_only": "FANN_FLO_2.1\n",
        "version_3": plain.replace("2.1", "3.0", 1),
        "negative": plain.replace("num_layers=3", "num_layers=-3"),
        "huge_layers": plain.replace("3 3 2 \n", "4294967295 4294967295 2 \n"),
        "huge_counts": plain.replace("(3, 5", "(4294967295, 5"),
        "out_of_range": plain.replace("(5, 0.25)", "(500, 0.25)"),
        "backwards": plain.replace("(0, 1.5)", "(6, 1.5)"),
        "not_a_number": plain.replace("1.5", "nan").replace("0.25", "-inf"),
    }
    data = {
        "plain": "2 2 1\n0 1\n1\n-0.5 1e-3\n0\n",
        "one_line": "2 2 1 0 1 1 2 3 0",
        "empty": "",
        "negative": "-2 2 1\n0 1\n1\n",
        "huge": "4294967295 4294967295 4294967295\n1 2\n",
        "no_columns": "4294967295 0 0\n",
        "short": "3 2 1\n0 1\n1\n",
        "words": "1 2 1\nzero one\ntwo\n",
    }
    for reader, files in [("fann_net", networks), ("fann_data", data)]:
        for name, content in files.items():
            write(reader, name, content)


def csv():
    files = {
        "plain": "a,b,c\n1,2.5,x\n-3,4e-5,y\n",
        "empty": "",
        "header_only": "a,b",
        "newline_only": "\n",
        "mark_only": b"\xef\xbb\xbf",
        "mark": b"\xef\xbb\xbfa,b\n1,2\n",
        "crlf": "a,b\r\n1,2\r\n3,4\r\n",
        "cr": "a,b\r1,2\r3,4",
        "quotes": 'a,b\n"x,""y""\nz",1\n"",2\n',
        "open_quote": 'a,b\n"x,1\n2,3\n',
        "quote_inside": 'a,b\nx"y,1\n',
        "after_quote": 'a,b\n"x"y,1\n',
        "ragged": "a,b\n1\n1,2,3\n",
        "blank_lines": "a,b\n\n1,2\n\n\n3,4\n\n",
        "missing": "a,b\n,NA\nnull,NaN\n",
        "twice": "a,a\n1,2\n",
        "unnamed": ",\n1,2\n",
        "not_text": b"a,b\n\xff\xfe,\xc3\n",
        "zero_bytes": b"a\0,b\0\n\0,1\n",
        "times": "a,b\n2024-02-29,1\n2023-02-29T24:61:61,2\n",
        "numbers": "a,b\n1e999,-1e-999\n0x1p3,1_000\n+.5,5.\n18446744073709551616,-9223372036854775809\n",
        "long_number": "a\n" + "9" * 400 + "." + "1" * 400 + "\n",
        "wide": ",".join(f"c{i}" for i in range(300)) + "\n" + ",".join("1" for _ in range(300)) + "\n",
        "gzip": gzip.compress(b"a,b\n1,2\n", mtime=0),
        "gzip_cut": gzip.compress(b"a,b\n1,2\n3,4\n", mtime=0)[:-9],
        "gzip_start": b"\x1f\x8b",
        "gzip_twice": 2 * gzip.compress(b"a,b\n1,2\n", mtime=0),
    }
    for name, content in files.items():
        write("csv", name, content)


def series():
    head = "unique_id,ds,y\n"
    files = {
        "days": head + "a,2024-02-28,1\na,2024-02-29,2\na,2024-03-01,3\nb,2024-02-28,4\nb,2024-02-29,5\n",
        "month_ends": head + "".join(f"a,2023-{m:02}-{d},{m}\n" for m, d in [(1, 31), (2, 28), (3, 31), (5, 31)]),
        "quarters": head + "a,2023Q1,1\na,2023Q2,2\na,2023-Q3,3\n",
        "numbers": head + "a,1,1\na,2,2\na,4,4\na,9223372036854775807,5\n",
        "backwards": head + "b,3,1\na,2,1\nb,2,1\na,1,\nb,1,NaN\na,3,4\n",
        "twice": head + "a,1,1\na,1,2\n",
        "one_row": head + "a,2024-01-01,1\n",
        "nothing": head + "a,1,\na,2,NA\n",
        "zones": head + "a,2024-03-31T01:00+01:00,1\na,2024-03-31T03:00+02:00,2\na,2024-03-31 04:00Z,3\n",
        "spellings": head + "a,1.2.2024,1\na,2024/2/2,2\na,2024-02-03,3\n",
        "mixed": head + "a,2024-01-01,1\na,5,2\n",
        "midnights": head + "a,2024-03-30T00:00+01:00,1\na,2024-03-31T00:00+01:00,2\na,2024-04-01T00:00+02:00,3\n",
        "slashes": head + "a,30/01/2024,1\na,31/01/2024,2\na,01/02/2024,3\n",
        "month_names": head + "a,Jan 2024,1\na,1-Feb-2024,2\na,01 Mar 2024 0:00,3\n",
        "month_numbers": head + "a,202411,1\na,202412,2\na,202501,3\n",
        "working_days": head + "".join(f"a,2024-01-{d:02},{d}\n" for d in (4, 5, 8, 9, 10, 15)),
        "far": head + "a,0000-01-01 00:00:00,1\na,0000-01-01 00:00:01,1\na,9999-12-31 23:59:59,2\n",
        "huge": head + "a,1,1e39\na,2,-1e300\n",
        "alone": "ds,y\n1,5\n2,6\n",
        "wide": "day,north,south\n2024-01-01,1,\n2024-01-02,,2\n2024-01-04,3,4\n",
        "unnamed": ",north\n1,1\n2,2\n",
        "two_bytes": b"\xff\xfe" + (head + "a,1,1\na,2,2\n").encode("utf-16-le"),
        "two_bytes_cut": b"\xfe\xff" + (head + "a,1,1\n").encode("utf-16-be")[:-1],
        "parquet": b"PAR1\x00\x00",
        "packed": gzip.compress((head + "a,1,1\na,2,2\n").encode(), mtime=0),
    }
    for name, content in files.items():
        write("series", name, content)


def npy_bytes(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npy_of(header: str, data: bytes = b"", version: int = 1) -> bytes:
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + data


def npy():
    def header(shape, descr="'<f4'", fortran="False"):
        return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n"

    small = np.arange(6, dtype=np.float32).reshape(2, 3)
    files = {
        "f32": npy_bytes(small),
        "f64_big": npy_bytes(small.astype(">f8")),
        "fortran": npy_bytes(np.asfortranarray(small)),
        "scalar": npy_bytes(np.float32(1)),
        "no_elements": npy_bytes(small[:0]),
        "bools": npy_bytes(small > 2),
        "structure": npy_bytes(np.zeros(2, dtype=[("a", "f4"), ("b", "i4")])),
        "magic": b"\x93NUMPY",
        "version_9": npy_of(header("(1,)"), bytes(4), 9),
        "version_2": npy_of(header("(1,)"), bytes(4), 2),
        "long_header": b"\x93NUMPY\x02\0\xff\xff\xff\xff{}",
        "huge": npy_of(header("(9999999999999999, 9999999999999999)")),
        "overflow": npy_of(header("(4611686018427387904, 4)")),
        "nothing_of_much": npy_of(header("(0, 9223372036854775807)", fortran="True")),
        "negative": npy_of(header("(-1,)")),
        "no_tuple": npy_of(header("3"), bytes(12)),
        "no_shape": npy_of("{'descr': '<f4', 'fortran_order': False}"),
        "objects": npy_of(header("(1,)", "'|O'"), b"\x80\x04N."),
        "text": npy_of(header("(1,)", "'<U3'"), bytes(12)),
        "too_much": npy_of(header("(1,)"), bytes(8)),
    }
    for name, content in files.items():
        write("npy", name, content)
    for name, save in {"stored": np.savez, "packed": np.savez_compressed}.items():
        file = io.BytesIO()
        save(file, a=small, b=small > 2)
        write("npz", name, file.getvalue())
    write("npz", "cut", file.getvalue()[:-30])
    write("npz", "empty_archive", b"PK\x05\x06" + bytes(18))
    write("npz", "start", b"PK\x03\x04")


def idx():
    files = {
        "u8": b"\0\0\x08\x02" + struct.pack(">II", 2, 3) + bytes(range(6)),
        "i16": b"\0\0\x0b\x01" + struct.pack(">Ihh", 2, -1, 5),
        "f64": b"\0\0\x0e\x01" + struct.pack(">Id", 1, 0.5),
        "packed": gzip.compress(b"\0\0\x08\x01" + struct.pack(">I", 3) + b"abc", mtime=0),
        "number": b"\0\0\x08\0\x07",
        "empty": b"",
        "zeros": bytes(4),
        "no_sizes": b"\0\0\x08\x03",
        "many_axes": b"\0\0\x08\xff" + 255 * b"\0\0\0\x01" + b"x",
        "huge": b"\0\0\x0d\x02" + 8 * b"\xff",
        "huge_and_nothing": b"\0\0\x0d\x03" + 8 * b"\xff" + bytes(4),
        "unknown_type": b"\0\0\x01\x01" + struct.pack(">I", 1) + b"x",
        "cut": b"\0\0\x0c\x01" + struct.pack(">I", 2) + bytes(7),
    }
    for name, content in files.items():
        write("idx", name, content)


def safetensors():
    def file(header, data=b"", length=None):
        text = header if isinstance(header, str) else json.dumps(header)
        return struct.pack("<Q", len(text) if length is None else length) + text.encode() + data

    def tensor(shape, start, end, dtype="F32"):
        return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}

    both = {"w": tensor([2, 3], 0, 24), "b": tensor([2, 1], 24, 32)}
    files = {
        "good": file(both, bytes(32)),
        "metadata": file({"__metadata__": {"whimbrel.checkpoint": "{}"}} | both, bytes(32)),
        "metadata_of_numbers": file({"__metadata__": {"a": 1}} | both, bytes(32)),
        "empty": b"",
        "no_header": bytes(8),
        "long_header": file("{}", length=2**63),
        "header_is_list": file("[]"),
        "header_is_cut": file('{"w":'),
        "deep": file("[" * 2000),
        "missing": file({"w": tensor([2, 3], 0, 24)}, bytes(24)),
        "other_shape": file({"w": tensor([3, 2], 0, 24), "b": tensor([2, 1], 24, 32)}, bytes(32)),
        "other_type": file({"w": tensor([2, 3], 0, 48, "F64"), "b": tensor([2, 1], 48, 56)}, bytes(56)),
        "unknown_type": file({"w": tensor([2, 3], 0, 24, "F7")}, bytes(24)),
        "overlap": file({"w": tensor([2, 3], 0, 24), "b": tensor([2, 1], 20, 28)}, bytes(28)),
        "backwards": file({"w": tensor([2, 3], 24, 0)}, bytes(24)),
        "huge_shape": file({"w": tensor([2**62, 8], 0, 24)}, bytes(24)),
        "huge_offsets": file({"w": tensor([2, 3], 2**63, 2**63 + 24)}, bytes(24)),
        "negative": file('{"w":{"dtype":"F32","shape":[-2,3],"data_offsets":[0,24]}}', bytes(24)),
        "cut": file(both, bytes(31)),
        "too_long": file(both, bytes(33)),
        "not_a_number": file(both, b"\xff" * 32),
    }
    for name, content in files.items():
        write("safetensors", name, content)


def toml():
    good = (HERE.parent.parent / "examples/xor.toml").read_text()
    sequence = (HERE.parent.parent / "examples/vowels_attention.toml").read_text()
    layers = good.split("[training]")[0]
    training = "[training]" + good.split("[training]")[1]
    files = {
        "good": good,
        "sequence": sequence,
        "recurrent": good.replace('type = "tanh"', 'type = "reshape"\nshape = [4, 2]\n\n[[network.layers]]\ntype = "lstm"\nhidden_size = 3'),
        "empty": "",
        "not_text": b"\xff\xfe[data]",
        "zero_byte": "[data]\0",
        "no_layers": good.split("[[network.layers]]")[0] + "[network]\nlayers = []\n" + training,
        "unknown_layer": good.replace('"tanh"', '"than"'),
        "unknown_field": good.replace("out_features = 8", "out_features = 8\nbais = true"),
        "wrong_kind": good.replace("out_features = 8", 'out_features = "8"'),
        "negative": good.replace("out_features = 8", "out_features = -8"),
        "zero": good.replace("out_features = 8", "out_features = 0"),
        "huge": good.replace("out_features = 8", "out_features = 1048576"),
        "beyond": good.replace("out_features = 8", "out_features = 9223372036854775807"),
        "large_causal": layers + '[[network.layers]]\ntype = "reshape"\nshape = [1, 1]\n\n[[network.layers]]\ntype = "conv1d"\n'
        'out_channels = 1\nkernel_size = 1\npadding = 1000000\n\n[[network.layers]]\ntype = "multihead_attention"\nnum_heads = 1\nis_causal = true\n\n' + training,
        "large_waves": layers + '[[network.layers]]\ntype = "reshape"\nshape = [1, 1]\n\n[[network.layers]]\ntype = "conv1d"\n'
        'out_channels = 1000000\nkernel_size = 1\npadding = 1000000\n\n[[network.layers]]\ntype = "positional_encoding"\n\n' + training,
        "many_windows": layers + '[[network.layers]]\ntype = "reshape"\nshape = [1, 1]\n\n[[network.layers]]\ntype = "adaptive_avg_pool1d"\noutput_size = 1000000\n\n' + training,
        "many_recurrent_layers": layers + '[[network.layers]]\ntype = "reshape"\nshape = [1, 1]\n\n[[network.layers]]\ntype = "gru"\nhidden_size = 1\nnum_layers = 1000000\n\n' + training,
        "not_a_number": good.replace("lr = 0.05", "lr = nan"),
        "endless": good.replace("lr = 0.05", "lr = inf"),
        "deep": "a = " + "[" * 3000,
        "deep_layers": "network.layers = [" + '{ type = "residual", layers = [' * 200,
        "open_string": 'a = "',
        "same_key": "[data]\n[data]\n",
        "dates": "a = 2024-02-30T25:61:61Z\n",
        "dotted": "a.b.c.d.e = 1\na.b = 2\n",
    }
    for name, content in files.items():
        write("toml", name, content)


def columnar():
    """The tables that pyarrow wrote for the tests of the readers, plain ones and packed ones."""
    made = HERE.parent.parent / "crates" / "data" / "tests" / "fixtures"
    for name in ("table", "zstd"):
        write("parquet", name, (made / f"{name}.parquet").read_bytes())
        feather = (made / f"{name}.feather").read_bytes()
        write("arrow", name, feather)
        # Between eight bytes, and a footer, its length and six letters, lies a stream.
        footer = struct.unpack("<I", feather[-10:-6])[0]
        write("arrow", f"{name}_stream", feather[8 : -10 - footer])


for make in (csv, series, npy, idx, safetensors, toml, fann, columnar):
    make()
