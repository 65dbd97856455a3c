"""Makes vowels.csv.gz from the files JapaneseVowels_TRAIN.ts and JapaneseVowels_TEST.ts.

    python examples/vowels.py FOLDER_OF_BOTH_FILES

The data are the Japanese Vowels of M. Kudo, J. Toyama and M. Shimbo (UCI Machine Learning Repository,
CC BY 4.0) in the form of the UEA archive of time series, which the Python package sktime carries: one
utterance a line, its 12 coefficients divided by colons, their frames by commas, the speaker at the end.
"""

import csv
import gzip
import io
import pathlib
import sys

FRAMES, COEFFICIENTS = 29, 12


def utterances(folder: pathlib.Path):
    """Frames and speaker of each utterance, those of the training file first."""
    for part in ("TRAIN", "TEST"):
        text = (folder / f"JapaneseVowels_{part}.ts").read_text()
        for line in text.split("@data", 1)[1].split():
            *coefficients, speaker = line.split(":")
            yield list(zip(*(series.split(",") for series in coefficients))), int(speaker) - 1


def table(folder: pathlib.Path) -> str:
    """One row for each utterance, frame by frame. Zeros stand before the first frame, so that all
    utterances end in the last one."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([f"f{f}c{c}" for f in range(FRAMES) for c in range(COEFFICIENTS)] + ["speaker"])
    for frames, speaker in utterances(folder):
        assert all(len(frame) == COEFFICIENTS for frame in frames)
        missing = [["0"] * COEFFICIENTS] * (FRAMES - len(frames))
        rows.writerow([x for frame in missing + frames for x in frame] + [speaker])
    return text.getvalue()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    packed = gzip.compress(table(pathlib.Path(sys.argv[1])).encode(), mtime=0)
    pathlib.Path(__file__).with_name("vowels.csv.gz").write_bytes(packed)
