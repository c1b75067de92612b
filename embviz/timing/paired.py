"""Measurements as logarithms by process and round, and their differences round by round.

Two cases of one round share the phase of the machine, so their difference is what counts. Nothing
is judged here (see `verdicts`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean, linear_regression

from embviz.timing.intervals import FEWEST
from embviz.timing.results import Measurement


def differences(a: Measurement, b: Measurement) -> list[list[float]]:
    """log(time of `a` / time of `b`) in each round that has both, by process."""
    return _by_process(a, b, of=lambda x, y: x - y)


def slopes(points: Sequence[tuple[float, Measurement]]) -> list[list[float]]:
    """The slope of log(time) against log(value) in each round that has all points, by process."""
    values = [math.log(value) for value, _ in points]
    return _by_process(
        *(one for _, one in points), of=lambda *logs: linear_regression(values, logs).slope
    )


def _by_process(*those: Measurement, of: Callable[..., float]) -> list[list[float]]:
    """`of` the logarithms of each round that all have, by process."""
    found: dict[int, list[float]] = {}
    for process, number in those[0].by_place:
        logs = [one.by_place.get((process, number)) for one in those]
        if None not in logs:
            found.setdefault(process, []).append(of(*logs))
    return list(found.values())


def places(anchor: Measurement) -> float | None:
    """The largest difference of the anchor's mean logarithm between two places.

    Only rounds with all places count; None with fewer than three of these, or for a single place.
    """
    rounds = list(anchor.blocks.values())
    count = max(map(len, rounds), default=0)
    whole = [[math.log(one) for one in blocks] for blocks in rounds if len(blocks) == count]
    if count < 2 or len(whole) < FEWEST:
        return None
    means = [fmean(those) for those in zip(*whole, strict=True)]
    return max(means) - min(means)
