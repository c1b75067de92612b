"""Two runs of the same cases: how the time of each case changed from one to the other.

Rounds of two runs are not paired, so the mean logarithms of both are compared by Welch's t, with
rounds and processes as levels. The machine may be slower during one of the runs. That hits all
cases of a round alike: their median deviation is divided out of each case and judged by itself. A
change of most cases at once is therefore a change of that shared part. The anchor is not used for
this, because a slower anchor would hide its own method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from embviz.timing.cases import Case
from embviz.timing.chart_lines import varying
from embviz.timing.intervals import LEVEL, Estimate, difference, estimate, judge
from embviz.timing.phrases import as_sentence, case_words, format_time, listed, times
from embviz.timing.physical import Ceilings, ceilings
from embviz.timing.results import Failure, Measurement, Place
from embviz.timing.runs import Run
from embviz.timing.table import FIELDS, WHOLE, Table, fields, shown
from embviz.timing.verdicts import MIN_NOISE, NOT_TOLD, Compared, Verdict

FEWEST_PROCESSES = 3
FEWEST_CASES = 4  # with fewer, a shared change cannot be told from a change of one case
THRESHOLD = 0.05
NAMED = 5  # cases in a sentence
WIDEST = math.log(1000)  # of an interval: few processes leave it nearly unbounded
FACTS = {  # of two environments, named where they differ
    "hostname": "The host",
    "cpu": "The processor",
    "gpus": "The GPU",
    "threads": "The number of threads",
    "torch": "PyTorch",
    "blas": "BLAS",
    "numpy": "NumPy",
    "python": "Python",
    "platform": "The system",
}

_SPEEDS: dict[str, Callable[[Ceilings], float]] = {
    "copies": lambda one: median(one.copies.values()),
    "matrix product": lambda one: one.gflop_per_s,
}

Values = dict[Place, float]  # logarithms of seconds


@dataclass(frozen=True)
class Change:
    """The time of one case after, by its time before; a case of None is all cases together.

    Attributes:
        before_s: seconds for one call.
        after_s: the same in the second run.
        raw: of the logarithm of the ratio.
        own: the same without the shared change; it is judged.
        level: of the test that the verdict passed, or that it failed.
    """

    case: Case | None
    before_s: float
    after_s: float
    raw: Estimate
    own: Estimate
    verdict: Verdict = NOT_TOLD
    level: float = LEVEL

    @property
    def ratio(self) -> float:
        """Above 1 where the second run is slower."""
        return math.exp(self.raw.mean)

    @property
    def words(self) -> str:
        """`1.12x slower (1.05x to 1.20x)`, without the shared change."""
        sign = -1 if self.own.mean < 0 else 1
        low, high = sorted(sign * one for one in self.own.interval(self.level))
        word = "faster" if sign < 0 else "slower"
        return f"{_times(sign * self.own.mean)} {word} ({_times(low)} to {_times(high)})"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; `own_ratio` and its interval are without the shared change."""
        return {
            "case": None if self.case is None else self.case.to_dict(),
            "before_s": self.before_s,
            "after_s": self.after_s,
            "ratio": self.ratio,
            "interval": _interval(self.raw, self.level),
            "own_ratio": math.exp(self.own.mean),
            "own_interval": _interval(self.own, self.level),
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Comparison:
    """What `compare` finds.

    Attributes:
        changes: of the cases that both measured.
        shared: the change that all cases share; None with fewer than FEWEST_CASES.
        processes: the fewest of any case in any of the two runs.
        notes: sentences on what differs between the runs beside their times.
    """

    changes: list[Change]
    shared: Change | None
    processes: int
    notes: tuple[str, ...]

    @property
    def judged(self) -> bool:
        """Whether both runs have enough processes."""
        return bool(self.changes) and self.processes >= FEWEST_PROCESSES

    @property
    def regressed(self) -> bool:
        """Whether any case is slower, or all of them together."""
        every = [*self.changes, *([self.shared] if self.shared else [])]
        return any(one.verdict == "slower" for one in every)

    def table(self) -> Table:
        """One row for each case; `own change` is without the change that all cases share."""
        differ, same = fields([one.case for one in self.changes if one.case])
        rows = []
        for one in self.changes:
            case = one.case.to_dict() if one.case else {}
            seconds = [format_time(time, 3) for time in (one.before_s, one.after_s)]
            found = [one.words, one.verdict] if self.judged else ["", "not judged"]
            rows.append((*(shown(case[f]) for f in differ), *seconds, times(one.ratio), *found))
        heads = (*(FIELDS[f] for f in differ), "before", "after", "ratio", "own change", "verdict")
        right = tuple(head in WHOLE or head in ("before", "after", "ratio") for head in heads)
        return Table(heads, rows, right, tuple(same))

    def to_dict(self, named: str) -> dict[str, Any]:
        """For JSON. Args: as of `sentence`."""
        return {
            "regressed": self.regressed,
            "judged": self.judged,
            "processes": self.processes,
            "found": self.sentence(named),
            "notes": self.notes,
            "shared": None if self.shared is None else self.shared.to_dict(),
            "changes": [one.to_dict() for one in self.changes],
        }

    def sentence(self, named: str) -> str:
        """What changed, in a few sentences.

        Args:
            named: the first run, such as `the run of 2026-11-22`.
        """
        if not self.changes:
            return f"No case of {named} was measured again."
        if not self.judged:
            return (
                f"A comparison with {named} needs --repeat {FEWEST_PROCESSES} or more in both "
                f"runs; one of them has {self.processes} "
                f"{'process' if self.processes == 1 else 'processes'}."
            )
        axis = varying(one.case for one in self.changes if one.case)
        told = sorted(
            (one for one in self.changes if one.verdict != NOT_TOLD),
            key=lambda one: -abs(one.own.mean),
        )
        parts = [f"{case_words(one.case, axis)} is {one.words}" for one in told[:NAMED] if one.case]
        if more := len(told) - len(parts):
            parts.append(f"{more:,} more changed too")
        if left := len(self.changes) - len(told):
            others = f"the other {left:,} cases are" if left > 1 else "the other case is"
            parts.append(
                f"{others} not told apart" if told else f"none of {left:,} cases is told apart"
            )
        found = as_sentence(f"compared with {named}, {'; '.join(parts)}")
        if self.shared is not None:
            unclear = ", not told apart from no change" * (self.shared.verdict == NOT_TOLD)
            found += (
                f" All cases together are {self.shared.words}{unclear}. This is divided out of "
                "each case: it may be the machine's speed or the code."
            )
        return found


def compare(before: Run, after: Run, threshold: float = THRESHOLD) -> Comparison:
    """Compare two runs, case by case.

    Args:
        before: the first run.
        after: the second run.
        threshold: a change up to this share of the time is none.
    """
    firsts, seconds = _measured(before), _measured(after)
    both = [case for case in firsts if case in seconds]
    raw = [{case: found[case].by_place for case in both} for found in (firsts, seconds)]
    parted = _parted(raw) if len(both) >= FEWEST_CASES else []
    own = [found for found, _ in parted] or raw
    processes = [len({process for process, _ in one}) for found in raw for one in found.values()]
    fewest, margin = min(processes, default=0), max(1 + threshold, MIN_NOISE)
    changes = [
        Change(
            case,
            firsts[case].median_s,
            seconds[case].median_s,
            _change(*(found[case] for found in raw)),
            _change(*(found[case] for found in own)),
        )
        for case in both
    ]
    shared = None
    if parted:
        change = _change(*(found for _, found in parted))
        shared = Change(None, 0.0, 0.0, change, change)
    speeds = calibrations(before, after)
    if fewest >= FEWEST_PROCESSES:
        changes, shared = _judged(
            changes, shared, margin, max(map(abs, speeds.values()), default=0)
        )
    return Comparison(changes, shared, fewest, tuple(_notes(before, after, speeds)))


def calibrations(before: Run, after: Run) -> dict[str, float]:
    """Log of the speeds after by those before, of copies and of the matrix product, where known."""
    found: dict[str, list[float]] = {}
    first, second = ceilings(before.end), ceilings(after.end)
    for key in first.keys() & second.keys():
        for name, speed in _SPEEDS.items():
            change = math.log(speed(second[key]) / speed(first[key]))
            found.setdefault(name, []).append(change)
    return {name: median(logs) for name, logs in found.items()}


def _measured(run: Run) -> dict[Case, Measurement]:
    return {one.case: one for one in run.results if isinstance(one, Measurement) and not one.helps}


def _parted(runs: Sequence[dict[Case, Values]]) -> list[tuple[dict[Case, Values], Values]]:
    """Each run without the median deviation of its cases in each round, and that deviation."""
    level = {case: fmean(value for run in runs for value in run[case].values()) for case in runs[0]}
    parted = []
    for run in runs:
        rounds: dict[Place, list[float]] = {}
        for case, values in run.items():
            for place, value in values.items():
                rounds.setdefault(place, []).append(value - level[case])
        shared = {place: median(deviations) for place, deviations in rounds.items()}
        own = {
            case: {place: value - shared[place] for place, value in values.items()}
            for case, values in run.items()
        }
        parted.append((own, shared))
    return parted


def _change(before: Values, after: Values) -> Estimate:
    """Of after - before."""
    estimates = []
    for values in (before, after):
        processes: dict[int, list[float]] = {}
        for (process, _), value in values.items():
            processes.setdefault(process, []).append(value)
        estimates.append(estimate(list(processes.values())))
    return difference(estimates[1], estimates[0])


def _interval(change: Estimate, level: float) -> tuple[float, float] | None:
    """Of the ratio; None where its error is not known."""
    if math.isinf(change.error):
        return None
    low, high = (max(-WIDEST, min(WIDEST, one)) for one in change.interval(level))
    return math.exp(low), math.exp(high)


def _times(log: float) -> str:
    beyond = ">" * (log > WIDEST) or "<" * (log < -WIDEST)
    return beyond + times(math.exp(max(-WIDEST, min(WIDEST, log))))


def _judged(
    changes: list[Change], shared: Change | None, margin: float, machine: float
) -> tuple[list[Change], Change | None]:
    """The same with verdicts, by Holm's correction over all of them.

    Args:
        changes: of the cases.
        shared: of all cases together.
        margin: a smaller ratio is no change.
        machine: log of the ratio by which the machine's calibration changed; the shared change
            must exceed it too.
    """
    every = [*changes, *([shared] if shared else [])]
    margins = [math.log(margin) + (machine if one.case is None else 0.0) for one in every]
    decided = judge([one.own for one in every], margins)
    found = [
        replace(one, verdict=Compared(one.own, level, told).verdict, level=level)
        for one, (level, told) in zip(every, decided, strict=True)
    ]
    return found[: len(changes)], found[-1] if shared else None


def _facts(before: Run, after: Run) -> Iterator[str]:
    """The facts of the machine and its software that differ."""
    for key, name in FACTS.items():
        first, second = (_fact(run.environment.get(key)) for run in (before, after))
        if first != second and first and second:
            yield f"{name} differs: {first} before, {second} after."


def _notes(before: Run, after: Run, speeds: dict[str, float]) -> Iterator[str]:
    """What differs between the runs beside their times."""
    yield from _facts(before, after)
    if speeds:
        parts = [f"{name} {times(math.exp(log))}" for name, log in speeds.items()]
        yield f"Speed of the machine's calibration, after by before: {listed(parts)}."
    firsts, seconds = _measured(before), _measured(after)
    axis = varying(*([one.case for one in run.results] for run in (before, after)))
    for own, other, when in ((firsts, after, "before"), (seconds, before, "after")):
        reasons = {one.case: one.reason for one in other.results if isinstance(one, Failure)}
        alone = [case for case in own if case not in firsts or case not in seconds]
        words = [case_words(case, axis) for case in alone]
        words[NAMED:] = [f"{len(words) - NAMED:,} more"] if len(words) > NAMED else []
        if words:
            why = next((f" ({reasons[case]})" for case in alone if case in reasons), "")
            yield f"Measured only {when}: {listed(words)}{why}."


def _fact(value: object) -> str:
    """A fact of an environment; empty where it is not known."""
    return shown(value or "")
