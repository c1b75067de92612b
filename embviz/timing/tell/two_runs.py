"""Two runs of the same cases: how the time of each case changed from one to the other.

Parts of two runs are not paired, so the medians of their processes are compared, by Welch's t-test
with Holm's correction. The machine's speed differs by the hour and hits all cases alike: the median
change of all cases is divided out of each and reported. It is not judged, because a slower machine
and code that slows every case look the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from embviz.text.refused import Refused
from embviz.text.wording import counted
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import FEWEST
from embviz.timing.tell.statistics import clock_of, told_apart
from embviz.timing.tell.times import UNJUDGED, UNSURE, longer

LEVEL = 0.05  # Chance that identical code is called slower or faster anywhere.
FEWEST_CASES = 4  # Cases: with fewer, a change of all cannot be told from a change of one.
FACTS = ("cpu", "gpus", "torch", "blas", "numpy", "python", "platform")


@dataclass(frozen=True)
class Changes:
    """The changes that `compare` finds.

    Attributes:
        table: a row for each case that both measured: its fields, the seconds `before` and
            `after`; `ratio`, the second by the first without the shared change, from `low` to
            `high`; `verdict`: slower, faster, not told apart or not judged.
        shared: the change of all cases, which is divided out of each; 1 with few cases.
        notes: sentences: what differs beside the times, what is shared, and what was not judged.
    """

    table: pd.DataFrame
    shared: float
    notes: tuple[str, ...]

    @property
    def regressed(self) -> bool:
        """Whether any case is slower."""
        return bool((self.table["verdict"] == "slower").any())


def changes_of(before: Run, after: Run, threshold: float = 0.05) -> Changes:
    """Compare two runs, case by case.

    Args:
        before: the first run.
        after: the second run.
        threshold: a change up to this share of the time is none.

    Raises:
        Refused: no case is in both.
    """
    clocks = {clock_of(run.times) for run in (before, after)}
    clock = "gpu" if clocks == {"gpu"} else "wait"
    first, second = (run.sample_medians(clock) for run in (before, after))
    cases = [case for case in first if case in second]
    if not cases:
        raise Refused("the runs have no case in common.")
    first, second = first[cases], second[cases]
    table = pd.DataFrame([asdict(case) for case in cases]).assign(
        before=np.exp(first.mean()).to_numpy(), after=np.exp(second.mean()).to_numpy()
    )
    shared = 1.0
    if len(cases) >= FEWEST_CASES:
        level = (first.mean() + second.mean()) / 2
        drifts = [medians.sub(level).median(axis=1) for medians in (first, second)]
        first, second = (
            medians.sub(drift, axis=0)
            for medians, drift in zip((first, second), drifts, strict=True)
        )
        shared = float(np.exp(drifts[1].mean() - drifts[0].mean()))
    table = table.join(_judged(first, second, float(np.log1p(threshold))))
    counts = [run.times["process"].nunique() for run in (before, after)]
    if min(counts) < FEWEST:
        table["verdict"] = UNJUDGED
    notes = *_notes(before, after), *_change_notes(table, shared, counts)
    return Changes(table, shared, notes)


def _judged(first: pd.DataFrame, second: pd.DataFrame, margin: float) -> pd.DataFrame:
    """The ratio, its interval and the verdict of each case, in order.

    Args:
        first: medians of the logarithms of seconds: a row a process, a column a case.
        second: those of the run after.
        margin: logarithm of the largest ratio that is no change.
    """
    change = (second.mean() - first.mean()).to_numpy()
    table = pd.DataFrame({"ratio": np.exp(change), "low": np.nan, "high": np.nan})
    table["verdict"] = UNJUDGED
    judged = ((first.count() >= FEWEST) & (second.count() >= FEWEST)).to_numpy()
    if not judged.any():
        return table
    both = [medians.loc[:, judged] for medians in (first, second)]
    errors = np.array([medians.sem() ** 2 for medians in both])
    freedoms = np.array([medians.count() - 1 for medians in both])
    variance = np.maximum(errors.sum(0), 1e-30)  # Equal times have none.
    freedom = variance**2 / np.maximum((errors**2 / freedoms).sum(0), 1e-300)
    found = told_apart(change[judged], np.sqrt(variance), freedom, margin, LEVEL)
    words = np.select([~found["told"], found["ratio"] > 1], [UNSURE, "slower"], "faster")
    table.loc[judged, "low"], table.loc[judged, "high"] = found["low"].array, found["high"].array
    table.loc[judged, "verdict"] = words
    return table


def _notes(before: Run, after: Run) -> Iterator[str]:
    """The differences beside the times."""
    for name in FACTS:
        first, second = (run.environment.get(name) for run in (before, after))
        if first and second and first != second:
            yield f"{name} differs: {first} before, {second} after."
    if alone := set(before.measured) ^ set(after.measured):
        yield f"Cases of one run alone: {len(alone):,}."


def _change_notes(table: pd.DataFrame, shared: float, counts: Sequence[int]) -> Iterator[str]:
    """The shared change, and why cases were not judged."""
    if len(table) >= FEWEST_CASES:
        yield (
            f"All cases together: {longer(shared)}. Each ratio is without this: a slower machine "
            "and code that slows all cases look alike."
        )
    else:
        yield f"A change of the machine's own speed is divided out of {FEWEST_CASES} cases or more."
    unjudged = (table["verdict"] == UNJUDGED).sum()
    if min(counts) < FEWEST:
        yield (
            f"Nothing is judged: the runs have {counts[0]} and {counted(counts[1], 'process')}, "
            f"and both need {FEWEST} (--repeat {FEWEST})."
        )
    elif unjudged:
        yield f"Not judged, because a run has them in fewer than {FEWEST} processes: {unjudged:,}."
