"""How a sweep is divided: points that are measured together, and the anchor.

Nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from embviz.core import bounds
from embviz.timing.cases import Case

ANCHOR_SHARE = 16  # the anchor needs at most so small a part of the budget

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


def budget_bytes() -> int:
    """Bytes that the points measured together may hold (EMBVIZ_TIMING_BUDGET_MIB)."""
    return bounds.TIMING.value() * bounds.MIB
