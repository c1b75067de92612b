"""The exponent with which time grows with a size: a slope in log scale.

Too few values have no exponent, nor have kinds (of ids, of dtypes). The fit says nothing about
values that were not measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import linear_regression

from embviz.timing.chart_lines import Line
from embviz.timing.settings import AXES

FEWEST_POINTS = 3  # of a slope


@dataclass(frozen=True)
class Growth:
    """Time grows as the value to the power `exponent`, by least squares from `start` on."""

    exponent: float
    start: int
    points: int


def growth(line: Line, field: str, start: int | None = None) -> Growth | None:
    """The slope of log(median time) against log(value).

    Args:
        line: the measurements.
        field: the axis; only sizes have a slope.
        start: smallest value that counts. By default the upper half of the values in log
            scale, or the largest three where that holds fewer.

    Returns:
        None with fewer than FEWEST_POINTS values.
    """
    values = sorted(line.measured) if AXES[field].size else []
    start = upper_start(values) if start is None else start
    values = [value for value in values if start is not None and value >= start]
    if len(values) < FEWEST_POINTS:
        return None
    times = [math.log(line.measured[value].median_s) for value in values]
    slope = linear_regression([math.log(value) for value in values], times).slope
    return Growth(slope, values[0], len(values))


def upper_start(values: Sequence[int]) -> int | None:
    """The first value of the upper half in log scale, with FEWEST_POINTS values left at least."""
    if len(values) < FEWEST_POINTS:
        return None
    middle = next(value for value in values if value * value >= values[0] * values[-1])
    return min(middle, values[-FEWEST_POINTS])
