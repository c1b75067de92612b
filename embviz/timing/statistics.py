"""The verdicts of paired rounds: one table, judged all together.

Two cases of one round share the phase of the machine, so their difference counts: the logarithm
of the ratio of two times. Its mean has a t-interval. Where a table lies in memory moves its times
by up to 1.13x, and rounds on the same tensors share that. So the parts of a run in which all
tensors lie elsewhere are what varies: the processes where there are several, and else the
placements of one process. By Holm's correction, the chance of any false statement is at most 1 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtr, stdtrit

from embviz.timing.axes import AXES
from embviz.timing.methods import ROUTES
from embviz.timing.timed import FEWEST, KINDS, Timed, varying

LEVEL = 0.01  # Chance that any statement of a run is false, at most.
MARGIN = float(np.log(1.02))  # Logarithm of the smallest ratio that is a finding.
WIDEST = 300.0  # Half width of an interval of logarithms: few parts leave it nearly unbounded.
BORROWED = 4  # Degrees of freedom that a comparison takes from the others; see `errors`.
COLUMNS = ["a", "b", "ratio", "low", "high", "p", "told"]

Floats = npt.NDArray[np.float64]


def verdicts(times: pd.DataFrame, clock: str = "wait") -> pd.DataFrame:
    """Every comparison of a run, judged together.

    Args:
        times: `case process placement round again clock seconds`, as `Run.times`.
        clock: `wait` or `gpu`.

    Returns:
        one row a comparison: the cases `a` and `b`; `ratio`, the time of a by that of b; `low` and
        `high`, its interval at the level at which Holm's correction judges it; `p`; `told`, whether
        the difference is beyond 2 % at that level. Comparisons with fewer than FEWEST
        placements, or processes where there are several, are left out.
    """
    logs = rounds(times, clock)
    process = logs.index.get_level_values("process").to_numpy()
    placement = logs.index.get_level_values("placement").to_numpy()
    parts = process if len(set(process)) > 1 else placement
    place = {case: number for number, case in enumerate(logs.columns)}
    values = logs.to_numpy()
    found = []
    for _, a, b in pairs(place):
        differences = values[:, place[a]] - values[:, place[b]]
        both = np.isfinite(differences)
        if len(set(parts[both])) >= FEWEST:
            found.append((a, b, *_parted(differences[both], parts[both])))
    if not found:
        return pd.DataFrame(columns=COLUMNS)
    frame = pd.DataFrame(found, columns=["a", "b", "mean", "within", "inside", "between", "own"])
    error, freedom = errors(frame, points=len({case.point for case in frame["b"]}))
    beyond = np.maximum(frame["mean"].abs() - MARGIN, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["p"] = 2 * stdtr(freedom, np.where(beyond > 0, -beyond / error, 0.0))
    levels = holm(frame["p"].to_numpy())
    frame["told"] = levels > 0
    levels[levels == 0] = LEVEL / len(frame)
    half = np.minimum(-error * stdtrit(freedom, levels / 2), WIDEST)
    frame["ratio"] = np.exp(frame["mean"])
    frame["low"], frame["high"] = np.exp(frame["mean"] - half), np.exp(frame["mean"] + half)
    return frame[COLUMNS]


def rounds(times: pd.DataFrame, clock: str = "wait", again: bool = False) -> pd.DataFrame:
    """The median logarithm of each round's seconds: a row a round, a column a case.

    Args:
        times: as of `verdicts`.
        clock: `wait` or `gpu`.
        again: whether of the A/A controls.

    Returns:
        the table; its rows are named by `process`, `placement` and `round`.
    """
    chosen = times[(times["again"] == again) & (times["clock"] == clock)]
    keys = [chosen[one] for one in ("process", "placement", "round", "case")]
    return np.log(chosen["seconds"]).groupby(keys).median().unstack("case")


def pairs(cases: Iterable[Timed]) -> Iterator[tuple[str, Timed, Timed]]:
    """The comparisons of a run: the field that differs, `a`, and `b` with which it is compared.

    Each method with the first lookup of its point, and a one-hot built inside the clock with a
    ready one. Each method with itself: at the largest size with the smallest one, in each other
    kind, on each other device, with each other cache and precision with the first one.
    """
    cases = sorted(cases)
    for point in _grouped(cases, "method"):
        base, *others = sorted(point, key=lambda case: ROUTES.index(case.record.route))
        ready = [case for case in others if case.record.dense and not case.record.builds]
        for case in others:
            yield "method", case, base
            if case.record.builds and ready:
                yield "method", case, ready[0]
    axis = varying(cases) if cases else ""
    for field in dict.fromkeys([axis, "device", "cache", "precision"]):
        for those in _grouped(cases, field):
            ends = field in AXES and not AXES[field].compared
            key = list(KINDS[field]).index if field in KINDS else int
            first, *others = sorted(those, key=lambda case: key(getattr(case, field)))
            if ends:
                others = others[-1:]
            for case in others:
                yield field, case, first


def errors(frame: pd.DataFrame, points: int) -> tuple[Floats, Floats]:
    """The standard error of each mean, and its degrees of freedom.

    The variance of a mean is that from the rounds within a part, and the one that parts add to it.
    Few parts say little about what they add to one comparison. So the mean of what they add to all
    counts like BORROWED further degrees of freedom, as in a moderated t-test (Smyth 2004); the sum
    has the degrees of freedom of Satterthwaite (1946). All comparisons of a point share its
    lookup, so at most one degree for each further point is borrowed. Without any, what the parts
    show stands alone.

    Args:
        frame: `within` and `inside`, the variance of the mean from the rounds of each part and its
            degrees of freedom; `between` and `own`, the same from the medians of the parts.
        points: how many points the comparisons have.
    """
    within, inside, between, own = frame[["within", "inside", "between", "own"]].to_numpy().T
    several = inside > 0
    borrowed = min(BORROWED, points - 1) * several.any()
    added = between - within
    usual = max(0.0, float(added[several].mean())) if borrowed else 0.0
    parts = np.maximum((borrowed * usual + own * added) / (borrowed + own), 0.0)
    variance = within + parts
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = variance**2 / (within**2 / inside + parts**2 / (borrowed + own))
    alone = ~several | (borrowed == 0)
    variance = np.where(alone, np.maximum(between, within), variance)
    return np.sqrt(variance), np.where(alone | (variance == 0), own, freedom)


def holm(p_values: Floats, level: float = LEVEL) -> Floats:
    """The level at which each is judged and told; 0 where it is not told.

    The smallest p is judged at level / n; after the first that fails nothing is told.

    >>> holm(np.array([0.001, 0.5, 0.004])).tolist()
    [0.0033333333333333335, 0.0, 0.005]
    >>> holm(np.array([0.009, 0.006, 0.002])).tolist()
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
    first, second = rounds(times), rounds(times, again=True)
    difference = second - first.reindex_like(second)
    return float(np.exp(difference.mean().abs().max()))


def _parted(differences: Floats, parts: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """The mean of the parts' medians, and its variance with degrees of freedom in two ways.

    From the rounds within the parts, and from the medians alone. A median of rounds hardly feels
    one in which the machine changed its speed between both cases. Its variance is that of the
    mean, times 1.5; rounds further out than the sixth part are drawn in before.
    """
    _, part = np.unique(parts, return_inverse=True)
    counts = np.bincount(part)
    medians = np.array([np.median(differences[part == one]) for one in range(len(counts))])
    count, inside = len(counts), len(differences) - len(counts)
    rest = np.sort(differences - medians[part])
    cut = len(rest) // 6
    rest = rest.clip(rest[cut], rest[-1 - cut])
    spread = float((rest**2).sum()) / inside if inside else 0.0
    within = 1.5 * spread * float((1 / counts).sum()) / count**2
    between = float(medians.var(ddof=1)) / count
    return float(medians.mean()), within, float(inside), between, float(count - 1)


def _grouped(cases: Sequence[Timed], field: str) -> list[list[Timed]]:
    """The cases that differ in this field alone."""
    groups: dict[tuple[object, ...], list[Timed]] = {}
    for case in cases:
        others = tuple(value for name, value in asdict(case).items() if name != field)
        groups.setdefault(others, []).append(case)
    return list(groups.values())
