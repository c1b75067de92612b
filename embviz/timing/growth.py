"""The exponent with which time grows with a size: the mean of each round's slope in log scale.

Too few values have no exponent, nor have kinds (of ids, of dtypes). The fit says nothing about
values that were not measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from embviz.timing.chart_lines import Line
from embviz.timing.paired import slopes
from embviz.timing.results import Measurement
from embviz.timing.settings import AXES

FEWEST_POINTS = 3  # of a slope


@dataclass(frozen=True)
class Growth:
    """Time grows as the value to the power of the mean slope, by least squares from `start` on.

    Attributes:
        slopes: of each round, by process.
        start: the smallest value that counts.
        leverage: the largest error of the slope if each point is wrong by at most half of a
            logarithm of 1 in either direction.
    """

    slopes: list[list[float]]
    start: int
    leverage: float


def growths(lines: Sequence[Line], field: str) -> dict[Line, Growth]:
    """The exponents of the lines of one setting, from the same value on where each has enough.

    Args:
        lines: of one setting.
        field: the axis; only sizes have a slope.
    """
    if not AXES[field].size:
        return {}
    shared = set.intersection(*(set(line.measured) for line in lines))
    start = upper_start(sorted(shared))
    found = {line: growth(line.measured, start) or growth(line.measured) for line in lines}
    return {line: one for line, one in found.items() if one}


def growth(measured: Mapping[int, Measurement], start: int | None = None) -> Growth | None:
    """The slope of log(time) against log(value).

    Args:
        measured: by value.
        start: smallest value that counts. By default the upper half of the values in log
            scale, or the largest three where that holds fewer.

    Returns:
        None with fewer than FEWEST_POINTS values.
    """
    values = sorted(measured)
    start = upper_start(values) if start is None else start
    values = [value for value in values if start is not None and value >= start]
    if len(values) < FEWEST_POINTS:
        return None
    places = [math.log(value) for value in values]
    offsets = [place - fmean(places) for place in places]
    leverage = sum(map(abs, offsets)) / 2 / sum(one * one for one in offsets)
    found = slopes([(value, measured[value]) for value in values])
    return Growth(found, values[0], leverage)


def upper_start(values: Sequence[int]) -> int | None:
    """The first value of the upper half in log scale, with FEWEST_POINTS values left at least."""
    if len(values) < FEWEST_POINTS:
        return None
    middle = next(value for value in values if value * value >= values[0] * values[-1])
    return min(middle, values[-FEWEST_POINTS])
