"""Typed ids as a tensor: `2 3 1` or nested lists such as `[[1,3],[0,1]]`.

Commas, spaces or line breaks separate ids. Refused, with a quote: ragged lists, floats, negative
ids, ids beyond the table's last row, other text, and more ids than a text may have tokens.
"""

from __future__ import annotations

import numpy as np
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
        lists = typed if "[" in typed or "]" in typed else f"[{typed.strip()}]"
        nested = np.array(read_nested(lists, True), dtype=object)  # keeps ints of any size
    except Refused as error:
        raise Refused(f"{error} {EXAMPLE}") from None
    if not nested.ndim:
        raise Refused(f"{quote(typed)} is not a list of ids. {EXAMPLE}")
    value = nested.ravel().tolist()
    if nested.ndim > MAX_RANK or any(isinstance(one, list) for one in value):
        raise Refused(
            f"{quote(typed)} is ragged, or nested in more than {MAX_RANK} levels. A tensor needs "
            "one shape at each level."
        )
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
    return torch.tensor(value, dtype=torch.int64).reshape(nested.shape)
