"""The time of a case: a median for each sample of a run, and the geometric mean of these medians.

A sample is a placement; where a run has several processes, it is a process. In each sample all
tensors lie elsewhere in memory, which moved times by up to 1.13x on a quiet machine. Every time
that is shown, every ratio and every verdict is made of these medians, so the ratio of two times
shown is that of their verdict.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd


def round_medians(times: pd.DataFrame, clock: str = "wait", again: bool = False) -> pd.DataFrame:
    """The median logarithm of each round's seconds: a row a round, a column a case.

    Args:
        times: `case process placement round again clock seconds`, as `Run.times`.
        clock: `wait` or `gpu`.
        again: whether of the A/A controls.

    Returns:
        the table; its rows are named by `process`, `placement` and `round`.
    """
    chosen = times[(times["again"] == again) & (times["clock"] == clock)]
    keys = [chosen[column] for column in ("process", "placement", "round", "case")]
    return np.log(chosen["seconds"]).groupby(keys).median().unstack("case")


def sample_medians(times: pd.DataFrame, clock: str = "wait") -> pd.DataFrame:
    """The median logarithm of each sample's seconds: a row a sample, a column a case.

    A run that was stopped in a sample has measured some of its cases there and others not. Then
    this sample is left out.

    Args:
        times: as of `round_medians`.
        clock: `wait` or `gpu`.

    Returns:
        the table; NaN where a case was not measured.
    """
    logs = round_medians(times, clock)
    if logs.empty:
        return logs
    samples = sample_numbers(logs)
    points = np.unique([case.point for case in logs], axis=0, return_inverse=True)[1]
    logs = _without_drift(logs, samples, np.zeros(len(points), dtype=int))
    logs = _without_drift(logs, samples, points.ravel())
    found = logs.groupby(samples).median()
    there = found.notna().to_numpy()
    if len(there) > 1 and (there[-2] & ~there[-1]).any() and there[:-1].any(0).all():
        return found.iloc[:-1]
    return found


def sample_numbers(logs: pd.DataFrame) -> npt.NDArray[np.int64]:
    """The sample of each round: its process where there are several, else its placement."""
    rows = logs.index.to_frame()
    return np.asarray(rows[sample_name(rows)], dtype=np.int64)


def sample_name(times: pd.DataFrame) -> str:
    """The name of a sample: a `process` where there are several, else a `placement`."""
    return "process" if times["process"].nunique() > 1 else "placement"


def typical_seconds(samples: pd.DataFrame) -> pd.Series:
    """The seconds of each case: the geometric mean of the medians of `sample_medians`."""
    return np.exp(samples.mean())


def _without_drift(
    logs: pd.DataFrame, samples: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]
) -> pd.DataFrame:
    """The rounds without what the cases of a group share in each: the machine's speed just then.

    A machine may be 1.6x slower for a second, which hits some cases of a round and not others. So
    this is done for all cases of a round, and then for those of a point, which follow each other
    within milliseconds. The level of each case in a sample stays as it is: verdicts rest on it. So
    what is shared counts from its median over the rounds of that case. A slow case may be measured
    in few rounds, for example in the first of each placement, where quick ones are slower because
    their tensors are new; that is no change of the machine's speed.

    Args:
        logs: from `round_medians`.
        samples: the sample of each row.
        groups: the group of each column, counted from 0.
    """
    grouped = logs.groupby(samples)
    several = grouped.transform("count") > 1  # A case with one round shows no change of speed.
    change = (logs - grouped.transform("median")).where(several)
    shared = np.nan_to_num(change.T.groupby(groups).median().T.to_numpy())
    drift = pd.DataFrame(shared[:, groups], logs.index, logs.columns).where(logs.notna())
    return logs - (drift - drift.groupby(samples).transform("median"))
