"""Other readers of CSV, timed: `csv_peers.py FILE THREADS`, then names of readers on standard input.

Answers each with a line: seconds, rows. The example csv_speed runs it.
"""

import os
import sys
import time

path, threads = sys.argv[1], int(sys.argv[2])
os.environ["POLARS_MAX_THREADS"] = str(threads)

import pandas
import polars
import pyarrow
import pyarrow.csv

pyarrow.set_cpu_count(threads)

ARROW_TYPES = {"unique_id": pyarrow.string(), "ds": pyarrow.date32(), "y": pyarrow.float64()}
POLARS_TYPES = {"unique_id": polars.String, "ds": polars.Date, "y": polars.Float64}

READERS = {
    "pyarrow": lambda: pyarrow.csv.read_csv(path),
    "pyarrow-typed": lambda: pyarrow.csv.read_csv(
        path, convert_options=pyarrow.csv.ConvertOptions(column_types=ARROW_TYPES)
    ),
    "polars": lambda: polars.read_csv(path, try_parse_dates=True),
    "polars-typed": lambda: polars.read_csv(path, schema=POLARS_TYPES),
    "pandas": lambda: pandas.read_csv(path, parse_dates=["ds"]),
}

for line in sys.stdin:
    read = READERS[line.strip()]
    start = time.perf_counter()
    table = read()
    seconds = time.perf_counter() - start
    print(seconds, len(table), flush=True)
