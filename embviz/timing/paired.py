"""Measurements as logarithms by process and round, and their differences round by round.

Two cases of one round share the phase of the machine, so their difference is what counts. Nothing
is judged here (see `verdicts`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from statistics import fmean, linear_regression, median

from embviz.timing.intervals import FEWEST
from embviz.timing.results import Measurement

BATCHES = 12  # of the blocks of a file without rounds


def differences(a: Measurement, b: Measurement) -> list[list[float]]:
    """log(time of `a` / time of `b`) in each round that has both, by process.

    Old files have no rounds. Their blocks came in turns within a point: consecutive batches of
    them stand for rounds, because neighbouring blocks share the phase of the machine. A single
    round of a run under way has fewer blocks, and tells nothing.
    """
    if max(map(len, [*a.logs, *b.logs])) == 1:
        parts = zip(a.by_process, b.by_process, strict=False)
        return [_of_batches(*x, *y) for x, y in parts if x and y]
    return [
        [x - y for x, y in zip(*rounds, strict=False) if x is not None and y is not None]
        for rounds in zip(a.logs, b.logs, strict=False)
    ]


def slopes(points: Sequence[tuple[float, Measurement]]) -> list[list[float]]:
    """The slope of log(time) against log(value) in each round that has all points, by process."""
    values = [math.log(value) for value, _ in points]
    return [
        [
            linear_regression(values, [one for one in times if one is not None]).slope
            for times in zip_longest(*rounds)
            if None not in times
        ]
        for rounds in zip(*(one.logs for _, one in points), strict=False)
    ]


def places(anchor: Measurement) -> float | None:
    """The largest difference of the anchor's mean logarithm between two places.

    Only rounds with all places count; None with fewer than three of these, or for a single place.
    """
    rounds = [blocks for those in anchor.by_process for blocks in those if blocks]
    count = max(map(len, rounds), default=0)
    whole = [[math.log(one) for one in blocks] for blocks in rounds if len(blocks) == count]
    if count < 2 or len(whole) < FEWEST:
        return None
    means = [fmean(those) for those in zip(*whole, strict=True)]
    return max(means) - min(means)


def _of_batches(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """The differences of consecutive batches; none with fewer blocks than BATCHES."""
    if min(len(a), len(b)) < BATCHES:
        return []
    return [x - y for x, y in zip(_batches(a), _batches(b), strict=True)]


def _batches(times: Sequence[float]) -> list[float]:
    ends = [len(times) * k // BATCHES for k in range(BATCHES + 1)]
    return [median(map(math.log, times[start:end])) for start, end in pairwise(ends)]
