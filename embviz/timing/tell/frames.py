"""The numbers of timing runs as tables with readable names and units."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from embviz.timing.measure.run import Run, labels
from embviz.timing.tell.statistics import verdicts
from embviz.timing.tell.times import case_words

# The name with a unit, and that unit's number in one of ours, by column of the points.
UNITS = {
    "seconds": ("time, µs", 1e6),
    "low": ("lower quartile, µs", 1e6),
    "high": ("upper quartile, µs", 1e6),
    "gpu_seconds": ("GPU work, µs", 1e6),
    "gb_per_s": ("GB/s", 1),
    "share_of_copy": ("% of a copy's GB/s", 100),
    "gflop_per_s": ("GFLOP/s", 1),
    "share_of_product": ("% of a product's GFLOP/s", 100),
    "memory_bytes": ("memory held, computed, MiB", 2**-20),
    "peak_bytes": ("peak of GPU memory, MiB", 2**-20),
}
CASES = ["case", "compared with"]
COMPARED = dict(zip("ab", CASES, strict=True)) | {"ratio": "times as long"}
COMPARED |= {"low": "interval from", "high": "interval to", "told": "told apart"}
COMPARED["processes"] = "processes that would tell them apart"


def of_points(points: pd.DataFrame) -> pd.DataFrame:
    """The points of `run.points`, without what all have in common, in four digits."""
    frame = points.assign(method=[case.record.label for case in points["case"]])
    for name, (words, factor) in UNITS.items():
        frame[words] = _rounded(frame.pop(name).astype(float) * factor)
    frame = frame.drop(columns=["case", "floor"])
    return frame.loc[:, (frame.nunique() > 1) | (len(frame) < 2)]


def of_verdicts(runs: Sequence[Run]) -> pd.DataFrame:
    """Every comparison with its interval; the machine where there are several."""
    frames = []
    for run, label in zip(runs, labels(runs), strict=True):
        frame = verdicts(run)
        for column in "ab":
            frame[column] = [case_words(case, run.axis) for case in frame[column]]
        frames.append(frame.assign(machine=label) if runs[1:] else frame)
    table = pd.concat(frames)
    table[["ratio", "low", "high"]] = table[["ratio", "low", "high"]].apply(_rounded)
    # A p of eight samples has more digits than it knows.
    table = table.drop(columns="p")
    if table["processes"].isna().all():  # every comparison is told, or no count would tell it
        table = table.drop(columns="processes")
    return table.rename(columns=COMPARED)


def _rounded(values: pd.Series) -> pd.Series:
    return values.map("{:.4g}".format).astype(float)
