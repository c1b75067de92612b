"""How a sweep is divided: points that are measured together, the anchor, further rounds.

Nothing is measured here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

from embviz.core import bounds
from embviz.timing.cases import Case, CaseError
from embviz.timing.intervals import estimate
from embviz.timing.results import ROUNDS, Measurement, Result
from embviz.timing.runs import MAX_COUNTS

ANCHOR_SHARE = 16  # the anchor needs at most so small a part of the budget
STEADY = 0.02  # the interval of a steady median is at most so wide, as a share of it
STEADY_LEVEL = 0.05  # of that interval
MAX_ALL_TIMES = 1_000_000  # of a run; its file may have more
MOST_BLOCKS = 8  # of a case and its control, in a round

Points = tuple[tuple[Case, ...], ...]


def grouped(cases: Sequence[Case]) -> list[Points]:
    """The points in groups whose tensors fit into memory together, in their order."""
    groups, held, budget = list[list[tuple[Case, ...]]](), 0, budget_bytes()
    for _, those in groupby(cases, key=lambda case: case.group):
        point = tuple(those)
        needed = sum(case.memory_bytes for case in point)
        if not groups or held + needed > budget:
            groups.append([])
            held = 0
        groups[-1].append(point)
        held += needed
    return [tuple(group) for group in groups]


def anchor_of(cases: Sequence[Case]) -> Case | None:
    """The first case that needs little memory beside the others; None for a single point."""
    if len({case.group for case in cases}) == 1:
        return None
    return next(
        (case for case in cases if ANCHOR_SHARE * case.memory_bytes <= budget_bytes()), None
    )


def most_rounds(cases: Sequence[Case], processes: int) -> int:
    """The rounds of one process whose times a run may hold.

    Raises:
        CaseError: fewer than ROUNDS.
    """
    times = processes * (MOST_BLOCKS * len(cases) + len({case.group for case in cases}))
    if times * ROUNDS > MAX_ALL_TIMES:
        raise CaseError(
            f"{len(cases):,} cases in {processes:,} processes give up to {times * ROUNDS:,} "
            f"times; a run may have {MAX_ALL_TIMES:,} at most."
        )
    return min(MAX_COUNTS // processes, MAX_ALL_TIMES // times)


def wide(points: Points, results: Iterable[Result], process: int) -> Points:
    """The points with a median whose interval is wide; the others without their cases."""
    found = {
        one.case.group
        for one in results
        if isinstance(one, Measurement)
        and not one.helps
        and len(one.logs) > process
        and width(one.logs[process]) > STEADY
    }
    return tuple(point if point and point[0].group in found else () for point in points)


def width(logs: Iterable[float | None]) -> float:
    """The interval of a median as a share of it: `0.02` is 2 %.

    Args:
        logs: of one process; see `Measurement.logs`.
    """
    low, high = estimate([[one for one in logs if one is not None]]).interval(STEADY_LEVEL)
    return math.exp(min(high - low, 700)) - 1


def budget_bytes() -> int:
    """Bytes that the points measured together may hold (EMBVIZ_TIMING_BUDGET_MIB)."""
    return bounds.TIMING.value() * bounds.MIB
