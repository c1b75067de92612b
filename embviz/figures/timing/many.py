"""More runs than a chart can show one by one: a band from the fastest to the slowest, and a median.

The median run is drawn as a line: a real one, whose times are in the middle over all cases. Numbers
of threads differ between machines, so they do not divide the band.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from embviz.timing.chart_lines import Line, lines, without
from embviz.timing.runs import Run

SEPARATE = 8  # runs of one chart, each with its own curves
Key = tuple[Any, ...]


class Many:
    """The runs of a band.

    Args:
        runs: of one or several machines.
        axis: the field on the horizontal axis.
    """

    def __init__(self, runs: Sequence[Run], axis: str) -> None:
        self.count = len(runs)
        self._seconds: dict[tuple[Key, Any], dict[int, float]] = {}
        for index, run in enumerate(runs):
            for line in lines(run.results, axis):
                for value, one in line.measured.items():
                    seconds = self._seconds.setdefault((without_threads(line), value), {})
                    seconds[index] = one.median_s
        deviations: dict[int, list[float]] = {}
        for seconds in self._seconds.values():
            middle = median(map(math.log, seconds.values()))
            for index, taken in seconds.items():
                deviations.setdefault(index, []).append(math.log(taken) - middle)
        order = sorted(deviations, key=lambda index: fmean(deviations[index]))
        self.middle = runs[order[(len(order) - 1) // 2] if order else 0]

    def times(self, line: Line, value: Any) -> tuple[float, float]:
        """Seconds for one call of the fastest and of the slowest run."""
        seconds = self._seconds[without_threads(line), value].values()
        return min(seconds), max(seconds)

    def ratios(self, line: Line, base: Line, value: Any) -> tuple[float, float]:
        """The smallest and the largest ratio of two lines that one run measured."""
        mine, other = (self._seconds[without_threads(one), value] for one in (line, base))
        ratios = [mine[index] / other[index] for index in mine.keys() & other.keys()]
        return min(ratios), max(ratios)


def without_threads(line: Line) -> Key:
    """Equal for the lines of one method and setting on several machines."""
    return without(line.setting, "threads"), line.method, line.output
