"""Verdicts of a run: which of its cases are told apart, judged all together.

All comparisons of a run are listed before any is judged: each method against the base of its
setting at each value, all pairs of kinds, each line against itself on another device or with
another cache, each exponent against 0. Each has a t-interval from the differences of its rounds.
By Holm's correction, the chance of any false statement in a run is at most 1 %, if rounds are
independent. A difference must exceed the noise: within a point that of a method measured twice,
across points that of the anchor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from embviz.timing.cases import Case
from embviz.timing.chart_lines import (
    Line,
    beside,
    by_setting,
    headline,
    lines,
    shared,
    varying,
)
from embviz.timing.growth import Growth, growths
from embviz.timing.intervals import LEVEL, Estimate, estimate, estimates, judge
from embviz.timing.paired import differences, places
from embviz.timing.phrases import spanned, times
from embviz.timing.results import Measurement, Pool, Result
from embviz.timing.settings import AXES

MIN_NOISE = 1.02  # a smaller ratio is no finding, however quiet the machine

Verdict = Literal["slower", "faster", "not told apart"]
NOT_TOLD: Literal["not told apart"] = "not told apart"
Point = tuple[Case, str]  # see Case.group
Key = tuple[Case, Case] | Line
Question = tuple[Key, list[list[float]], float]  # the differences, and the margin of their mean


@dataclass(frozen=True)
class Compared:
    """One comparison: of two cases as a ratio of their times, or of an exponent with 0.

    Attributes:
        estimate: of the logarithm of the ratio, or of the exponent.
        level: at which Holm's correction judges it.
        told: whether the difference exceeds the noise at that level.
    """

    estimate: Estimate
    level: float = LEVEL
    told: bool = False

    @property
    def verdict(self) -> Verdict:
        """On the first against the second."""
        if not self.told:
            return NOT_TOLD
        return "slower" if self.estimate.mean > 0 else "faster"

    @property
    def ratio(self) -> float:
        """The time of the first by that of the second."""
        return math.exp(self.estimate.mean)

    @property
    def interval(self) -> tuple[float, float]:
        """Of the ratio, at its level; 0 and infinity with too few rounds."""
        low, high = self.estimate.interval(self.level)
        return math.exp(max(low, -700.0)), math.exp(high) if high < 700 else math.inf

    @property
    def words(self) -> str:
        """The ratio with its interval: `1.31x (1.27x to 1.36x)`."""
        return spanned(times, self.ratio, *self.interval)

    @property
    def reversed(self) -> Compared:
        """The second against the first."""
        return replace(self, estimate=replace(self.estimate, mean=-self.estimate.mean))


class Judged:
    """The results of a run with the verdicts on them.

    Attributes:
        axis: the field that varies.
        lines: those with a measurement, as `chart_lines.lines` sorts them.
        noises: of each point with a control: the ratio of a method to itself, 1 or more.
        across: the noise between points, a ratio of 1 or more; None without an anchor in three
            whole rounds.
        too_few: whether there are comparisons, but too few rounds for any.
    """

    def __init__(self, results: Iterable[Result], axis: str = "") -> None:
        pool = Pool()
        for result in results:
            pool.add(result)
        self.axis = axis or varying(one.case for one in pool.results)
        self.lines = [line for line in lines(pool.results, self.axis) if line.measured]
        helpers = [one for one in pool.results if isinstance(one, Measurement) and one.helps]
        self.noises = dict(self._noises(one for one in helpers if one.again))
        self.across = _across([one for one in helpers if one.anchor])
        self.growths: dict[Line, Growth] = {}
        self._found = self._judge()

    @property
    def measured(self) -> list[Measurement]:
        """The measurements of all lines."""
        return [one for line in self.lines for one in line.measured.values()]

    def compared(self, a: Measurement, b: Measurement) -> Compared | None:
        """`a` against `b`; None where it is not known, such as across points without an anchor."""
        if found := self._found.get((a.case, b.case)):
            return found
        back = self._found.get((b.case, a.case))
        return back and back.reversed

    def ratio(self, a: Measurement, b: Measurement) -> float:
        """The time of `a` by that of `b`: of their medians where it is not compared."""
        found = self.compared(a, b)
        return found.ratio if found else a.median_s / b.median_s

    def verdict(self, a: Measurement, b: Measurement) -> Verdict:
        """Whether `a` is told to be slower or faster than `b`."""
        found = self.compared(a, b)
        return found.verdict if found else NOT_TOLD

    def along(self, line: Line, base: Line) -> list[tuple[Any, Verdict]]:
        """The verdict on `line` against `base` at each value where both were measured."""
        pairs = [(v, line.measured[v], base.measured[v]) for v in shared(line, base)]
        return [(value, self.verdict(a, b)) for value, a, b in pairs]

    def exponent(self, line: Line) -> Compared | None:
        """The exponent of the line against 0; None where it is not known."""
        return self._found.get(line)

    def _noises(self, controls: Iterable[Measurement]) -> Iterator[tuple[Point, float]]:
        measured = {one.case: one for one in self.measured}
        for control in controls:
            if one := measured.get(control.case):
                found = estimate(differences(control, one))
                yield one.case.group, math.exp(abs(found.mean))

    def _judge(self) -> dict[Key, Compared]:
        questions = list(self._questions())
        answers = estimates([found for _, found, _ in questions])
        asked = [
            (key, found, margin)
            for (key, _, margin), found in zip(questions, answers, strict=True)
            if math.isfinite(found.error)
        ]
        self.too_few = bool(questions) and not asked
        decided = judge([found for _, found, _ in asked], [margin for *_, margin in asked])
        return {
            key: Compared(found, level, told)
            for (key, found, _), (level, told) in zip(asked, decided, strict=True)
        }

    def _questions(self) -> Iterator[Question]:
        """Every comparison of the run, with its differences and its margin."""
        for those in by_setting(self.lines):
            base, other = headline(those)
            for line in those:
                if other and line is not other and line.record.builds:
                    yield from self._ratios(line, other)
                if base and line is not base:
                    yield from self._ratios(line, base)
                if AXES[self.axis].compared:
                    for a, b in combinations(line.measured.values(), 2):
                        yield from self._ratio(a, b)
            found = growths(those, self.axis) if self.across else {}
            self.growths |= found
            noise = math.log(max(self.across or 1.0, MIN_NOISE))
            for line, growth in found.items():
                yield line, growth.slopes, growth.leverage * noise
        for one in beside(self.lines):
            yield from self._ratios(one.line, one.base)

    def _ratios(self, line: Line, base: Line) -> Iterator[Question]:
        for value in shared(line, base):
            yield from self._ratio(line.measured[value], base.measured[value])

    def _ratio(self, a: Measurement, b: Measurement) -> Iterator[Question]:
        together = a.case.group == b.case.group
        noise = self.noises.get(a.case.group, MIN_NOISE) if together else self.across
        if noise is not None:
            yield (a.case, b.case), differences(a, b), math.log(max(noise, MIN_NOISE))


def _across(anchors: list[Measurement]) -> float | None:
    """The noise between points, from an anchor that at least three rounds have."""
    for one in anchors:
        if (found := places(one)) is not None:
            return math.exp(found)
    return None
