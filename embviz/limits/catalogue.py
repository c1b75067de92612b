"""All entries, in the order of their groups."""

from __future__ import annotations

from embviz.limits import arguments, bags, ids, myths, precision, training, weights
from embviz.limits.entry import GROUPS, Entry

__all__ = ["CATALOGUE", "GROUPS", "entry"]

CATALOGUE: tuple[Entry, ...] = (
    *ids.ENTRIES,
    *weights.ENTRIES,
    *arguments.ENTRIES,
    *precision.ENTRIES,
    *bags.ENTRIES,
    *training.ENTRIES,
    *myths.ENTRIES,
)
_BY_NAME = {one.name: one for one in CATALOGUE}


def entry(name: str) -> Entry:
    """The entry of that name.

    Raises:
        ValueError: there is none.
    """
    if name not in _BY_NAME:
        text = repr(name) if len(name) <= 40 else f"{name[:39]!r}…"
        raise ValueError(f"There is no entry {text}.")
    return _BY_NAME[name]
