"""Typed ids as a tensor: `2 3 1` or nested lists such as `[[1,3],[0,1]]`.

Commas, spaces or line breaks separate ids. Refused, with a quote: ragged lists, floats, negative
ids, ids beyond the table's last row, other text, and more ids than a text may have tokens.
"""

from __future__ import annotations

import json
import re
from typing import Any

import torch

from embviz.core.config import OverLimitError, max_tokens
from embviz.core.numbers import NumbersError, Word, read_nested
from embviz.core.refused import Refused
from embviz.core.wording import number, quote

TYPED = 9  # characters for each id: seven digits, a comma and a space
MAX_RANK = 8
EXAMPLE = "Write ids as 2 3 1 or as lists, [[1, 3], [0, 1]]."


class IdsError(Refused):
    """Typed ids that cannot be read or do not fit the table."""


class TooManyIdsError(IdsError, OverLimitError):
    """More ids than EMBVIZ_MAX_TOKENS allows."""


class TooLargeIdError(IdsError):
    """Ids beyond the last row of the table; `largest` is the largest of them."""

    def __init__(self, largest: int, message: str) -> None:
        super().__init__(message)
        self.largest = largest


def parse_ids(typed: str, num_embeddings: int) -> torch.Tensor:
    """Read ids of any rank.

    Args:
        typed: `2 3 1`, `2, 3, 1` or nested lists of equal lengths.
        num_embeddings: rows of the table; every id must be below it.

    Returns:
        int64 tensor: shape (N,) for bare numbers, else the shape of the lists.

    Raises:
        IdsError: quotes the input and says what is allowed.

    >>> parse_ids("[[1,3],[0,1]]", 10).shape
    torch.Size([2, 2])
    """
    most = max_tokens()
    if len(typed) > most * TYPED:
        raise TooManyIdsError(f"{len(typed):,} characters of ids are more than {most * TYPED:,}.")
    flat: list[int] = []
    shape = _collect(_read(typed), flat)
    if len(flat) > most:
        raise TooManyIdsError(f"{len(flat):,} ids are more than the {most:,} allowed.")
    if flat and (worst := max(flat)) >= num_embeddings:
        raise TooLargeIdError(
            worst,
            f"Id {number(worst)} at position {flat.index(worst):,} is too large: num_embeddings is "
            f"{num_embeddings:,}, so ids run from 0 to {num_embeddings - 1:,}.",
        )
    return torch.tensor(flat, dtype=torch.int64).reshape(shape)


def _read(typed: str) -> Any:
    bare = "[" not in typed and "]" not in typed
    try:
        value = read_nested(f"[{typed.strip()}]" if bare else typed)
    except RecursionError:
        raise IdsError(f"The lists are nested too deeply; {MAX_RANK} levels are allowed.") from None
    except NumbersError:
        raise IdsError(_what_is_wrong(typed)) from None
    if not isinstance(value, list):
        raise IdsError(f"{quote(typed)} is not a list of ids. {EXAMPLE}")
    return value


def _what_is_wrong(typed: str) -> str:
    for word in re.finditer(r"[^\s,\[\]]+", typed):
        if not re.fullmatch(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", word.group()):
            return f"{quote(word.group())} at position {word.start():,} is not an id. {EXAMPLE}"
    opened, closed = typed.count("["), typed.count("]")
    if opened != closed:
        return f"The brackets do not match: {opened:,} [ and {closed:,} ]. {EXAMPLE}"
    return f"{quote(typed)} cannot be read as ids. {EXAMPLE}"


def _collect(value: list[Any], flat: list[int], depth: int = 1) -> tuple[int, ...]:
    """Append every id to `flat` and return the shape; refuse anything else."""
    if depth > MAX_RANK:
        raise IdsError(f"The lists are nested {depth} deep; {MAX_RANK} levels are allowed.")
    inner: tuple[int, ...] | None = None
    for item in value:
        if isinstance(item, list):
            shape = _collect(item, flat, depth + 1)
        else:
            flat.append(_one_id(item))
            shape = ()
        if inner is not None and shape != inner:
            shown = ", ".join("a number" if one == () else str(one) for one in (inner, shape))
            raise IdsError(
                f"The lists are ragged: side by side stand shapes {shown}. "
                "A tensor needs one shape at each level."
            )
        inner = shape
    return (len(value), *(inner or ()))


def _one_id(item: Any) -> int:
    if not isinstance(item, Word):
        raise IdsError(f"{quote(json.dumps(item, ensure_ascii=False))} is not an id. {EXAMPLE}")
    if not re.fullmatch(r"-?\d+", item):
        raise IdsError(f"{quote(item)} is not an id: an id is a whole number, without a point.")
    try:
        token = int(item)
    except ValueError:  # Python reads at most 4,300 digits
        raise IdsError(f"{quote(item)} is not an id. {EXAMPLE}") from None
    if token < 0:
        raise IdsError(f"Id {number(token)} is negative; ids count rows from 0.")
    return token
