"""All entries, in the order of their groups."""

from __future__ import annotations

from difflib import get_close_matches

from embviz.core.wording import quote
from embviz.limits.case import GROUPS, Entry
from embviz.limits.cases import arguments, bags, ids, myths, precision, training, weights

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
        ValueError: there is none; the nearest is named.

    >>> entry("minus-zer")
    Traceback (most recent call last):
    ValueError: There is no entry 'minus-zer'; the nearest is 'minus-zero'.
    """
    if name not in _BY_NAME:
        near = get_close_matches(name[:40], _BY_NAME, n=1)
        nearest = f"; the nearest is {near[0]!r}" if near else ""
        raise ValueError(f"There is no entry {quote(name)}{nearest}.")
    return _BY_NAME[name]
