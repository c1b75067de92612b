"""The verdicts of a run: which times differ, by how much, and how certain that is.

A plain paired t-test on the medians of `medians.sample_medians`: in each sample of a run the
logarithms of two medians are subtracted. By Holm's correction, the chance of any false statement is
at most 1 %. Compared is only what a sentence or a table of the run's question says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtr, stdtrit

from embviz.timing.measure.axes import AXES
from embviz.timing.measure.medians import round_medians, sample_numbers
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import FEWEST, MOST_PROCESSES, Timed, varying
from embviz.timing.tell.questions import ONE_HOT, question_named

LEVEL = 0.01  # Chance that any statement of a run is false, at most.
MARGIN = float(np.log(1.02))  # Logarithm of the smallest ratio that is a finding.
WIDEST = 300.0  # Half width of an interval of logarithms, at most: its ends must stay numbers.
COLUMNS = ["a", "b", "ratio", "low", "high", "p", "told", "processes"]

Floats = npt.NDArray[np.float64]


def verdicts(run: Run) -> pd.DataFrame:
    """Every comparison of a run's question, judged together; columns as of `judge`."""
    clock = clock_of(run.times, run.question)
    compared = [(a, b) for _, a, b in pairs(run.times["case"].unique(), run.question)]
    return judge(run.sample_medians(clock), compared)


def judge(samples: pd.DataFrame, compared: Iterable[tuple[Timed, Timed]]) -> pd.DataFrame:
    """The verdicts on these pairs of cases, judged together.

    Args:
        samples: the median logarithms of each sample, as of `sample_medians`.
        compared: the pairs of cases.

    Returns:
        one row a comparison: the cases `a` and `b`; `ratio`, the time of a by that of b, and more
        as of `told_apart`; `processes`, how many would tell it, NaN where it is told or
        MOST_PROCESSES are too few. Left out are comparisons with fewer than FEWEST samples, or of
        cases that were measured in different samples.
    """
    logs = samples.to_numpy()
    there = np.isfinite(logs)
    place = {case: number for number, case in enumerate(samples.columns)}
    known = [(a, b) for a, b in compared if a in place and b in place]
    tested = [(a, b) for a, b in known if _judged(there, place[a], place[b])]
    if not tested:
        return pd.DataFrame(columns=COLUMNS)
    first, second = np.array([(place[a], place[b]) for a, b in tested]).T
    differences = logs[:, first] - logs[:, second]
    count = np.isfinite(differences).sum(0)
    mean, spread = np.nanmean(differences, 0), np.nanstd(differences, 0, ddof=1)
    found = told_apart(mean, spread / np.sqrt(count), count - 1, MARGIN, LEVEL)
    processes = _processes(np.abs(mean) - MARGIN, spread, LEVEL / len(tested))
    found["processes"] = np.where(found["told"], np.nan, processes)
    return pd.DataFrame(tested, columns=["a", "b"]).join(found)


def told_apart(
    change: Floats, error: Floats, freedom: Floats, margin: float, level: float
) -> pd.DataFrame:
    """Which of these changes are beyond a margin, judged together by Holm's correction.

    Args:
        change: means of differences of logarithms.
        error: their standard errors.
        freedom: their degrees of freedom.
        margin: logarithm of the largest ratio that is no finding.
        level: chance that any statement is false.

    Returns:
        one row a change: `ratio`, and its interval from `low` to `high` at the level at which it is
        judged; `p`; `told`, whether the change is beyond the margin at that level.
    """
    beyond = np.maximum(np.abs(change) - margin, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(freedom, np.where(beyond > 0, -beyond / error, 0.0))
    levels = holm(p, level)
    told = levels > 0
    half = -stdtrit(freedom, np.where(told, levels, level / len(levels)) / 2) * error
    half = np.minimum(half, WIDEST)
    ends = {"low": np.exp(change - half), "high": np.exp(change + half)}
    return pd.DataFrame({"ratio": np.exp(change), **ends, "p": p, "told": told})


def clock_of(times: pd.DataFrame, question: str = "") -> str:
    """`gpu` if all cases that are compared have times of that clock, else `wait`."""
    wait, gpu = ({*times["case"][times["clock"] == name]} for name in ("wait", "gpu"))
    compared = {case for _, *pair in pairs(wait, question) for case in pair} or wait
    return "gpu" if compared and compared <= gpu else "wait"


def pairs(cases: Iterable[Timed], question: str = "") -> Iterator[tuple[str, Timed, Timed]]:
    """The comparisons of a question: the field that differs, `a`, and `b`, the one it is told by.

    Each method with itself in the first kind, on the first device, with the first cache and in full
    precision. Where no kind varies: each method with the first lookup of its point.
    """
    compares = question_named(question).compares
    for field, a, b in _possible(sorted(cases)):
        if compares(field, a):
            yield field, a, b


def holm(p_values: Floats, level: float) -> Floats:
    """The level at which each is judged and told; 0 where it is not told.

    The smallest p is judged at level / n; after the first that fails nothing is told.

    >>> holm(np.array([0.001, 0.5, 0.004]), 0.01).tolist()
    [0.0033333333333333335, 0.0, 0.005]
    >>> holm(np.array([0.009, 0.006, 0.002]), 0.01).tolist()
    [0.0, 0.0, 0.0033333333333333335]
    """
    order = np.argsort(p_values)
    levels = level / (len(p_values) - np.arange(len(p_values)))
    levels[~np.logical_and.accumulate(p_values[order] < levels)] = 0.0
    found = np.zeros_like(levels)
    found[order] = levels
    return found


def noise(times: pd.DataFrame) -> float:
    """The largest ratio, 1 or more, of a method and itself measured twice; NaN without any."""
    first, second = round_medians(times), round_medians(times, again=True)
    difference = second - first.reindex_like(second)
    medians = difference.groupby(sample_numbers(difference)).median()
    return float(np.exp(medians.mean().abs().max()))


def _possible(cases: Sequence[Timed]) -> Iterator[tuple[str, Timed, Timed]]:
    """The pairs of all questions, of cases in their order."""
    if not cases:
        return
    axis = varying(cases)
    is_kind = AXES[axis].compared and len({getattr(case, axis) for case in cases}) > 1
    for point in _grouped(cases, "method"):
        base, *others = point  # METHODS begins with the lookups
        ready = [case for case in point if case.record.dense and not case.record.builds]
        for case in others:
            if not is_kind:
                yield "method", case, base
            if case.record.builds and ready:
                yield ONE_HOT, case, ready[0]
    for field in dict.fromkeys([axis, "device", "cache", "precision"]):
        if field in AXES and not is_kind:
            continue
        for first, *others in _grouped(cases, field):
            for case in others:
                yield field, case, first


def _judged(there: npt.NDArray[np.bool_], a: int, b: int) -> bool:
    """Whether two columns have the same samples, and enough of them."""
    return bool((there[:, a] == there[:, b]).all() and there[:, a].sum() >= FEWEST)


def _processes(beyond: Floats, spread: Floats, level: float) -> Floats:
    """How many processes would tell each difference, if they spread as the samples of this run do.

    Args:
        beyond: how far each logarithm is beyond MARGIN; negative where it is not.
        spread: the standard deviation of the samples.
        level: that each is judged at.

    Returns:
        numbers from FEWEST to MOST_PROCESSES; NaN where these are too few.
    """
    counts = np.arange(FEWEST, MOST_PROCESSES + 1)
    half = -stdtrit(counts - 1, level / 2) / np.sqrt(counts)
    enough = half * spread[:, None] < beyond[:, None]
    return np.where(enough.any(1), counts[enough.argmax(1)], np.nan)


def _grouped(cases: Sequence[Timed], field: str) -> list[list[Timed]]:
    """The cases that differ in this field alone, in their order."""
    groups: dict[tuple[object, ...], list[Timed]] = {}
    for case in cases:
        others = tuple(value for name, value in asdict(case).items() if name != field)
        groups.setdefault(others, []).append(case)
    return list(groups.values())
