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

from embviz.timing.run import Run
from embviz.timing.sentences import times
from embviz.timing.statistics import BORROWED, LEVEL, holm, rounds

FEWEST = 3  # processes in each run
FEWEST_CASES = 4  # with fewer, a change of all cannot be told from a change of one
ALL = "all cases together"
FACTS = ("hostname", "cpu", "gpus", "torch", "blas", "numpy", "python", "platform")


@dataclass(frozen=True)
class Comparison:
    """What `compare` finds.

    Attributes:
        table: a row for each case that both measured: its fields, the mean seconds `before` and
            `after`; `ratio`, the second by the first without the shared change, from `low` to
            `high`; `p` of no change beyond the threshold; `verdict`: slower, faster, not told apart
            or not judged. From 4 cases on the last row is the shared change, of the method ALL.
        found: what changed, in a sentence or two.
        notes: sentences on what differs beside the times.
    """

    table: pd.DataFrame
    found: str
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
    """
    given = {"before": rounds(before.times), "after": rounds(after.times)}
    logs = pd.concat(given, names=["run"], join="inner")
    seconds = np.exp(_means(logs).groupby("run").mean()).T.reindex(columns=[*given])
    table = pd.DataFrame([asdict(case) for case in logs], logs.columns, dtype=object).join(seconds)
    machine = float(np.log(_rates(before) / _rates(after)).median())
    if shared := len(logs.columns) >= FEWEST_CASES:
        drift = (logs - logs.groupby("run").mean().mean()).median(axis=1)
        logs = logs.sub(drift, axis=0).assign(**{ALL: drift})
        table.loc[ALL, "method"] = ALL
    change, error, freedom, processes = _welch(_means(logs), BORROWED * shared)
    whole = [name == ALL or not shared for name in logs]  # the machine's own change is still in it
    margin = np.log1p(threshold) + np.where(whole, abs(machine), 0)
    p = (2 * stdtr(freedom, (margin - change.abs()) / error)).clip(upper=1)
    p = p.where(processes >= FEWEST)
    levels = holm(p.to_numpy())
    width = -stdtrit(freedom, np.where(levels > 0, levels, LEVEL / max(1, len(p))) / 2) * error
    table["ratio"], table["low"] = np.exp(change), np.exp(change - width)
    table["high"], table["p"] = np.exp(change + width), p
    verdict = np.where(levels > 0, np.where(change > 0, "slower", "faster"), "not told apart")
    table["verdict"] = np.where(p.isna(), "not judged", verdict)
    counts = table.drop(ALL, errors="ignore")["verdict"].value_counts()
    found = "; ".join([f"{count:,} {word}" for word, count in counts.items()])
    if shared:
        ratio, verdict = times(np.exp(change[ALL])), table.loc[ALL, "verdict"]
        found += f"; all together {ratio} ({verdict}), which is divided out of each"
    notes = (*_notes(before, after), f"The machine's calibrations took {times(np.exp(machine))}.")
    return Comparison(table.reset_index(drop=True), f"{found or 'no case of both runs'}.", notes)


def _means(logs: pd.DataFrame) -> pd.DataFrame:
    return logs.groupby(["run", "process"]).mean()


def _welch(means: pd.DataFrame, borrowed: int) -> tuple[pd.Series[float], ...]:
    """Change, its error, its freedom and the fewest processes of each column.

    The variance of a case between processes is the weighted mean of its own and that of all cases,
    which counts as `borrowed` degrees of freedom, and never as more than the other cases have.
    """
    runs = means.groupby("run")
    free, change = runs.count() - 1, runs.mean().loc["after"] - runs.mean().loc["before"]
    squares = free * runs.var()
    given, all_squares = (
        one.drop(columns=ALL, errors="ignore").sum(axis=1) for one in (free, squares)
    )
    lent = free.rsub(given, axis=0).clip(0, borrowed)
    lent.loc[:, lent.columns == ALL] = 0  # what cases share varies in its own way
    error = (squares + lent.mul(all_squares / given, axis=0)) / (free + lent) / (free + 1)
    freedom = error.sum() ** 2 / (error**2 / (free + lent)).sum()
    return change, np.sqrt(error.sum()), freedom, free.min() + 1


def _rates(run: Run) -> pd.Series[float]:
    """The speeds of a run's calibrations: copies by size, and the matrix product."""
    return pd.Series(
        {
            (one["device"], one["dtype"], one["threads"], name): rate
            for one in run.environment.get("calibrations", [])
            for name, rate in (*one["copy_gb_per_s"].items(), ("product", one["gflop_per_s"]))
        },
        dtype=float,
    )


def _notes(before: Run, after: Run) -> Iterator[str]:
    """What differs between the runs beside their times."""
    for name in FACTS:
        first, second = (run.environment.get(name) for run in (before, after))
        if first and second and first != second:
            yield f"{name} differs: {first} before, {second} after."
    if alone := set(before.cases) ^ set(after.cases):
        yield f"Cases of one run alone: {len(alone):,}."
