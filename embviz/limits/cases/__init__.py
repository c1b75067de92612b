"""All cases, by group. A new case is one record in one of these modules."""

from __future__ import annotations

from difflib import get_close_matches

from embviz.limits.case import Case
from embviz.limits.cases import (
    arguments,
    bag_arguments,
    bags,
    checkpoints,
    compiled,
    gpu,
    ids,
    layers,
    losses,
    made_ids,
    myths,
    precision,
    sizes,
    training,
    weights,
)
from embviz.text.records import by_name
from embviz.text.refused import Refused
from embviz.text.wording import quote

GROUPS: dict[str, tuple[Case, ...]] = {
    "Ids": ids.CASES,
    "Ids that code makes": made_ids.CASES,
    "Sizes": sizes.CASES,
    "Weights": weights.CASES,
    "Layers": layers.CASES,
    "Checkpoints and shared weights": checkpoints.CASES,
    "Arguments": arguments.CASES,
    "Precision": precision.CASES,
    "Bags": bags.CASES,
    "Arguments of a bag": bag_arguments.CASES,
    "Training": training.CASES,
    "Losses and gradients": losses.CASES,
    "On a GPU": gpu.CASES,
    "Compiled code": compiled.CASES,
    "Myths": myths.CASES,
}
CASES = tuple(case for group in GROUPS.values() for case in group)
_BY_NAME = by_name(CASES)


def group_of(case: Case) -> str:
    """The heading above it in the list."""
    return next(name for name, group in GROUPS.items() if _BY_NAME[case.name] in group)


def case_named(name: str) -> Case:
    """The case of that name.

    Raises:
        Refused: there is none; the nearest is named.

    >>> case_named("minus-zer")
    Traceback (most recent call last):
    embviz.text.refused.Refused: There is no case 'minus-zer'; the nearest is 'minus-zero'.
    """
    if name not in _BY_NAME:
        near = get_close_matches(name[:40], _BY_NAME, n=1)
        nearest = f"; the nearest is {near[0]!r}" if near else ""
        raise Refused(f"There is no case {quote(name)}{nearest}.")
    return _BY_NAME[name]
