"""Typed ids as a tensor: `2 3 1` or nested lists such as `[[1,3],[0,1]]`.

Commas, spaces or line breaks separate ids. Refused, with a quote: ragged lists, floats, negative
ids, ids beyond the table's last row, other text, and more ids than a text may have tokens.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import torch

from embviz.core.config import MAX_NUM_EMBEDDINGS, check_count
from embviz.core.numbers import read_nested
from embviz.core.refused import Refused
from embviz.core.wording import number, quote

TYPED = 9  # characters for each id: seven digits, a comma and a space
MAX_RANK = 8
EXAMPLE = "Write ids as 2 3 1 or as lists, [[1, 3], [0, 1]]."


def parse_ids(typed: str, num_embeddings: int) -> torch.Tensor:
    """Read ids of any rank.

    Args:
        typed: `2 3 1`, `2, 3, 1` or nested lists of equal lengths.
        num_embeddings: rows of the table; every id must be below it.

    Returns:
        int64 tensor: shape (N,) for bare numbers, else the shape of the lists.

    Raises:
        Refused: quotes the input and says what is allowed.

    >>> parse_ids("[[1,3],[0,1]]", 10).shape
    torch.Size([2, 2])
    """
    check_count(-(-len(typed) // TYPED), f"ids of {TYPED} characters")
    try:
        value = read_nested(typed if "[" in typed or "]" in typed else f"[{typed.strip()}]", True)
    except Refused as error:
        raise Refused(f"{error} {EXAMPLE}") from None
    shape = _shape(value)
    if not shape:
        raise Refused(f"{quote(typed)} is not a list of ids. {EXAMPLE}")
    for _ in shape[1:]:
        value = list(chain.from_iterable(value))
    check_count(len(value), "ids")
    for place, token in enumerate(value):
        if type(token) is not int:
            raise Refused(
                f"{token} at position {place:,} is not an id: an id is a whole number, without a "
                "point."
            )
        if token < 0:
            raise Refused(f"Id {number(token)} is negative; ids count rows from 0.")
    if value and (worst := max(value)) >= num_embeddings:
        possible = worst < MAX_NUM_EMBEDDINGS
        raise Refused(
            f"Id {number(worst)} at position {value.index(worst):,} is too large: num_embeddings "
            f"is {num_embeddings:,}, so ids run from 0 to {num_embeddings - 1:,}.",
            {f"Use {worst + 1:,} rows": {"rows": worst + 1}} if possible else None,
        )
    return torch.tensor(value, dtype=torch.int64).reshape(shape)


def _shape(value: Any, depth: int = 0) -> tuple[int, ...]:
    """The shape of nested lists; refuses ragged ones and more than `MAX_RANK` levels."""
    if not isinstance(value, list):
        return ()
    if depth == MAX_RANK:
        raise Refused(f"The lists are nested too deeply; {MAX_RANK} levels are allowed.")
    shapes = {_shape(one, depth + 1): None for one in value}
    if len(shapes) > 1:
        shown = ", ".join("a number" if one == () else str(one) for one in [*shapes][:2])
        raise Refused(
            f"The lists are ragged: side by side stand shapes {shown}. "
            "A tensor needs one shape at each level."
        )
    return (len(value), *next(iter(shapes), ()))
