"""All cases, by group. A new case is one record in one of these modules."""

from __future__ import annotations

from difflib import get_close_matches

from embviz.limits.case import Case
from embviz.limits.cases import (
    arguments,
    bag_arguments,
    bags,
    calls,
    checkpoints,
    compiled,
    data_ids,
    gpu,
    ids,
    layers,
    losses,
    made_ids,
    myths,
    precision,
    quantized,
    shared_training,
    sizes,
    training,
    unseen_rows,
    weights,
)
from embviz.text.records import by_name
from embviz.text.refused import Refused
from embviz.text.wording import quote

# The two parts of the list, each with its groups. The first is for those who learn.
PARTS: dict[str, dict[str, tuple[Case, ...]]] = {
    "Ids, tables, training": {
        "Ids": ids.CASES,
        "Ids from data": data_ids.CASES,
        "Ids that code makes": made_ids.CASES,
        "Calls": calls.CASES,
        "Arguments": arguments.CASES,
        "Weights": weights.CASES,
        "Layers": layers.CASES,
        "Myths": myths.CASES,
        "Training": training.CASES,
        "Rows nobody looks up": unseen_rows.CASES,
        "Losses and gradients": losses.CASES,
        "Bags": bags.CASES,
        "Arguments of a bag": bag_arguments.CASES,
        "Precision": precision.CASES,
        "Sizes": sizes.CASES,
    },
    "GPU, compiled, checkpoints": {
        "On a GPU": gpu.CASES,
        "Several processes and mixed precision": shared_training.CASES,
        "Compiled code": compiled.CASES,
        "Checkpoints and shared weights": checkpoints.CASES,
        "Quantized tables": quantized.CASES,
    },
}
CASES = tuple(case for part in PARTS.values() for group in part.values() for case in group)
_BY_NAME = by_name(CASES)


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
