"""The comparisons of a run as rows: two cases, both times, the verdict, and a reason.

Direction, ratio and times all come from `medians.sample_medians`, as the verdict does. Sentences
read these rows and remember nothing between them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from embviz.text.wording import counted
from embviz.timing.measure.axes import AXES
from embviz.timing.measure.medians import sample_name, typical_seconds
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import FEWEST, Timed
from embviz.timing.tell.questions import ONE_HOT
from embviz.timing.tell.reasons import reason
from embviz.timing.tell.statistics import MARGIN, clock_of, pairs, verdicts
from embviz.timing.tell.times import UNJUDGED, UNSURE, at, format_ratio, longer_within, ratio_shown


class Row(NamedTuple):
    """A comparison: the time of `a` by that of `b`.

    Attributes:
        field: in which the two differ, as of `statistics.pairs`.
        a: the case that is told.
        b: the case that it is told by.
        ratio: of both times as they are shown.
        words: the verdict.
        told: whether the two are told apart.
        low: the lower end of the ratio's interval; NaN where it was not judged.
        high: the upper end.
        processes: that would tell the two apart; NaN where no count would.
        reason: why the two differ, as a clause; empty where it is not known, or not told.
    """

    field: str
    a: Timed
    b: Timed
    ratio: float
    words: str
    told: bool = False
    low: float = math.nan
    high: float = math.nan
    processes: float = math.nan
    reason: str = ""

    @property
    def is_kind(self) -> bool:
        """Whether a method is compared with itself, in another kind."""
        return self.field not in ("method", ONE_HOT)

    @property
    def is_rival(self) -> bool:
        """Whether the two are a matmul and a lookup."""
        return self.field == "method" and self.a.record.route != self.b.record.route

    @property
    def is_same(self) -> bool:
        """Whether the interval lies within 2 % of 1."""
        return _is_same(self.low, self.high)

    @property
    def may_win(self) -> bool:
        """Whether it is open that `a` is faster: no interval excludes it."""
        return not self.told and not self.is_same and not self.low >= 1


class Compared(NamedTuple):
    """All comparisons of a run, by the clock of its answer.

    Attributes:
        axis: the field that varies.
        clock: `wait` or `gpu`.
        sample: a `process` or a `placement`.
        seconds: of each case.
        rows: the comparisons of the run's question, in the order of its cases.
    """

    axis: str
    clock: str
    sample: str
    seconds: Mapping[Timed, float]
    rows: list[Row]

    def where(self, case: Timed, without: str = "") -> str:
        """The place of a case: all that varies in the run but the method and one field."""
        fields = [
            name
            for name in dict.fromkeys([self.axis, *AXES, "device", "cache", "mode"])
            if name == self.axis or len({getattr(other, name) for other in self.seconds}) > 1
        ]
        fields += ["precision"] * (case.precision != "highest")
        return " ".join(at(name, getattr(case, name)) for name in fields if name != without)


def compared(run: Run) -> Compared:
    """The comparisons of a run's question."""
    clock = clock_of(run.times, run.question)
    samples = run.sample_medians(clock)
    seconds: dict[Timed, float] = typical_seconds(samples).dropna().to_dict()
    judged = {(row.a, row.b): row for row in verdicts(run).itertuples()}
    sample, rows = sample_name(run.times), []
    calibrations = run.environment.get("calibrations", [])
    for field, a, b in pairs(seconds, run.question):
        ratio, found = ratio_shown(seconds[a], seconds[b]), judged.get((a, b))
        if found is None:
            words = f"{UNJUDGED} ({_too_few(samples[[a, b]], sample)})"
            rows.append(Row(field, a, b, ratio, words))
            continue
        words = verdict(found.told, ratio, found.low, found.high)
        why = reason(a, b, seconds, clock, calibrations) if found.told else ""
        ends = found.low, found.high, found.processes
        rows.append(Row(field, a, b, ratio, words, bool(found.told), *ends, why))
    return Compared(run.axis, clock, sample, seconds, rows)


def verdict(told: bool, ratio: float, low: float, high: float) -> str:
    """The verdict of a comparison that was judged, in words."""
    if told:
        return longer_within(ratio, low, high)
    if _is_same(low, high):
        return "the same within 2 %"
    return f"{UNSURE} ({format_ratio(low)} to {format_ratio(high)} times as long)"


def _is_same(low: float, high: float) -> bool:
    return -MARGIN < math.log(low) <= math.log(high) < MARGIN


def _too_few(medians: pd.DataFrame, sample: str) -> str:
    """Why two cases were not judged."""
    both = int(medians.notna().all(axis=1).sum())
    if both >= FEWEST:
        return "not measured in the same samples"
    return f"{counted(both, sample)}, {FEWEST} are needed"
