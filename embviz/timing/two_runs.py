"""Two runs of the same cases: how the time of each case changed from one to the other.

Rounds of two runs are not paired, so their processes are compared, by Welch's t. The machine's
speed differs by the hour and hits all cases alike: the median change of all cases is divided out
of each, and judged by itself beside the change of both runs' calibrations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from embviz.text.refused import Refused
from embviz.timing.run import Run
from embviz.timing.sentences import longer
from embviz.timing.statistics import BORROWED, WIDEST, holm, rounds
from embviz.timing.timed import FEWEST

LEVEL = 0.05  # Chance that identical code is called slower or faster anywhere.
MEDIAN = float(np.log(2))  # Median by mean of a chi-squared variable with 2 degrees of freedom.
FEWEST_CASES = 4  # Cases: with fewer, a change of all cannot be told from a change of one.
ALL = "all cases together"
VERDICTS = ("not judged", "not told apart", "slower")
FACTS = ("cpu", "gpus", "torch", "blas", "numpy", "python", "platform")


@dataclass(frozen=True)
class Comparison:
    """The changes that `compare` finds.

    Attributes:
        table: a row for each case that both measured: its fields, the mean seconds `before` and
            `after`; `ratio`, the second by the first without the shared change, from `low` to
            `high`; `verdict`: slower, faster, not told apart
            or not judged. From 4 cases on the last row is the shared change, of the method ALL.
        notes: sentences: what differs beside the times, what is shared, and what was found.
    """

    table: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def regressed(self) -> bool:
        """Whether any case is slower, or all of them together."""
        return bool((self.table["verdict"] == "slower").any())


def compare(before: Run, after: Run, threshold: float = 0.05) -> Comparison:
    """Compare two runs, case by case.

    Args:
        before: the first run.
        after: the second run.
        threshold: a change up to this share of the time is none.

    Raises:
        Refused: no case is in both.
    """
    first, second = (rounds(run.times) for run in (before, after))
    cases = [case for case in first if case in second]
    if not cases:
        raise Refused("the runs have no case in common.")
    first, second = first[cases], second[cases]
    shared = len(cases) >= FEWEST_CASES
    level = (first.mean() + second.mean()) / 2 if shared else None
    (mean, error, free, count), (later, *others) = (_means(one, level) for one in (first, second))
    change, scale = later - mean, np.sqrt(error + others[0])
    freedom = scale**4 / (error**2 / free + others[0] ** 2 / others[1])
    machine = float(np.log(_rates(before) / _rates(after)).median())
    # The machine's own change is still in these.
    whole = (change.index == ALL) | (not shared)
    margin = np.log1p(threshold) + np.where(whole, abs(machine), 0)
    p = 2 * stdtr(freedom, (margin - change.abs()) / scale).clip(0, 0.5)
    p[np.minimum(count, others[2]) < FEWEST] = np.nan
    levels = holm(p.to_numpy(), LEVEL)
    width = stdtrit(freedom, np.where(levels, levels, LEVEL / max(1, len(p))) / 2) * scale
    fields = [{"method": ALL} if case == ALL else asdict(case) for case in change.index]
    table = pd.DataFrame(fields, change.index, dtype=object).assign(
        before=np.exp(first.mean()),
        after=np.exp(second.mean()),
        ratio=np.exp(change),
        low=np.exp(change + width.clip(-WIDEST)),  # The width is a quantile below 0.
        high=np.exp(change - width.clip(-WIDEST)),
        verdict=np.select([p.isna(), levels == 0, change > 0], VERDICTS, "faster"),
    )
    notes = *_notes(before, after), *_found(table, machine)
    return Comparison(table.reset_index(drop=True), notes)


def _means(logs: pd.DataFrame, level: pd.Series[float] | None) -> tuple[pd.Series[float], ...]:
    """Mean, squared error, its freedom and the count of the process medians of each case of a run.

    The variance of a case is the weighted mean of its own and the usual one of all cases, which
    counts as BORROWED degrees of freedom, and never as more than the other cases have. With a
    `level` for each case, what all share in a round is taken from each, and is a column of its own.
    """
    if level is not None:
        drift = (logs - level).median(axis=1)
        logs = logs.sub(drift, axis=0).assign(**{ALL: drift})
    means = logs.groupby("process").median()
    count = means.count()
    free, squares = count - 1, means.var() * (count - 1)
    # Without a level the machine moves all alike.
    own = (free.index != ALL) & (level is not None)
    lent = (free[own].sum() - free).clip(0, BORROWED) * own
    usual = np.nan_to_num((squares / free)[own].median()) / MEDIAN
    variance = (squares + lent * usual) / (free + lent)
    return means.mean(), variance / count, free + lent, count


def _rates(run: Run) -> pd.Series[float]:
    """The speeds of a run's calibrations: copies by size, and the matrix product."""
    return pd.Series(
        {
            f"{one['device']} {one['dtype']} {one['threads']} {name}": rate
            for one in run.environment.get("calibrations", [])
            for name, rate in (*one["copy_gb_per_s"].items(), ("product", one["gflop_per_s"]))
        },
        dtype=float,
    )


def _notes(before: Run, after: Run) -> Iterator[str]:
    """The differences beside the times."""
    for name in FACTS:
        first, second = (run.environment.get(name) for run in (before, after))
        if first and second and first != second:
            yield f"{name} differs: {first} before, {second} after."
    if alone := set(before.measured) ^ set(after.measured):
        yield f"Cases of one run alone: {len(alone):,}."


def _found(table: pd.DataFrame, machine: float) -> Iterator[str]:
    if np.isfinite(machine):
        yield f"The machine's calibrations: {longer(np.exp(machine))}."
    if ALL in table.index:
        ratio, verdict = table.loc[ALL, ["ratio", "verdict"]]
        yield f"All cases together: {longer(ratio)}, {verdict}; divided out of each."
    if (table["verdict"] == VERDICTS[0]).any():
        yield f"A case is judged where both runs have it in {FEWEST} processes (--repeat {FEWEST})."
