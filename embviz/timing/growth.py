"""How time grows with a size: the exponent, as a slope in log scale.

Where there are too few values there is no exponent, and kinds (of ids, of dtypes) have
none. The fit promises nothing beyond the values measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import linear_regression

from embviz.timing.chart_lines import NUMBERS, Line, lines
from embviz.timing.results import Result

FEWEST_POINTS = 3  # of a slope


@dataclass(frozen=True)
class Growth:
    """Time grows as the value to the power `exponent`, by least squares from `start` on."""

    exponent: float
    start: int
    points: int


def exponent(
    results: Iterable[Result],
    method: str,
    pass_: str,
    device: str,
    field: str,
    start: int | None = None,
) -> Growth | None:
    """How a method's time grows with a size; see `growth`.

    Where further fields vary, in the setting that came first.
    """
    those = [
        one
        for one in results
        if (one.case.method, one.case.pass_, one.case.device) == (method, pass_, device)
    ]
    found = lines(those, field)
    return growth(found[0], field, start) if found else None


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
    values = sorted(line.measured) if field in NUMBERS else []
    start = upper_start(values) if start is None else start
    values = [value for value in values if start is not None and value >= start]
    if len(values) < FEWEST_POINTS:
        return None
    times = [math.log(line.measured[value].median_s) for value in values]
    slope = linear_regression([math.log(value) for value in values], times).slope
    return Growth(slope, values[0], len(values))


def upper_start(values: Sequence[int]) -> int | None:
    """Where the upper half begins in log scale, but so that FEWEST_POINTS values are left."""
    if len(values) < FEWEST_POINTS:
        return None
    middle = next(value for value in values if value * value >= values[0] * values[-1])
    return min(middle, values[-FEWEST_POINTS])
