"""Reading ids that a person typed: `2 3 1` or nested lists such as `[[1,3],[0,1]]`.

Refuses, with a sentence that quotes the offender: ragged lists, floats,
negative ids, ids of a table with too few rows, anything that is no number, and
more than `MAX_TOKENS` ids. Accepts commas, spaces and line breaks between ids.
"""

from __future__ import annotations

import json
import re
from typing import Any

import torch

from embviz.config import MAX_TOKENS

# Room for MAX_TOKENS seven-digit ids with a comma and a space each.
MAX_TYPED = MAX_TOKENS * 9
MAX_RANK = 8
EXAMPLE = "Write ids as 2 3 1 or as lists, [[1, 3], [0, 1]]."


class IdsError(ValueError):
    """Typed ids that cannot be read or do not fit the table."""


def parse_ids(typed: str, num_embeddings: int) -> torch.Tensor:
    """Read ids of any rank.

    Args:
        typed: `2 3 1`, `2, 3, 1` or nested lists of equal lengths.
        num_embeddings: rows of the table; every id must be below it.

    Returns:
        int64 tensor: shape (N,) for bare numbers, else the shape of the lists.

    Raises:
        IdsError: says what was given and what is allowed.

    >>> parse_ids("[[1,3],[0,1]]", 10).shape
    torch.Size([2, 2])
    """
    if len(typed) > MAX_TYPED:
        raise IdsError(f"{len(typed):,} characters of ids are more than {MAX_TYPED:,}.")
    flat: list[int] = []
    shape = _collect(_read(typed), flat)
    if len(flat) > MAX_TOKENS:
        raise IdsError(f"{len(flat):,} ids are more than the {MAX_TOKENS:,} allowed.")
    if flat and (worst := max(flat)) >= num_embeddings:
        raise IdsError(
            f"Id {_short(worst)} at position {flat.index(worst):,} is too large: num_embeddings is "
            f"{num_embeddings:,}, so ids run from 0 to {num_embeddings - 1:,}."
        )
    return torch.tensor(flat, dtype=torch.int64).reshape(shape)


def _read(typed: str) -> Any:
    # Spaces separate as commas do (numpy prints so); two commas are a missing id.
    source = re.sub(r"(?<=[^\s,\[])\s+(?=[^\s,\]])", ",", typed.strip())
    if "[" not in typed and "]" not in typed:
        source = f"[{source}]"
    try:
        value = json.loads(source)
    except RecursionError:
        raise IdsError(f"The lists are nested too deeply; {MAX_RANK} levels are allowed.") from None
    except ValueError:
        raise IdsError(_what_is_wrong(typed)) from None
    if not isinstance(value, list):
        raise IdsError(f"{_quote(typed)} is not a list of ids. {EXAMPLE}")
    return value


def _what_is_wrong(typed: str) -> str:
    for word in re.finditer(r"[^\s,\[\]]+", typed):
        if not re.fullmatch(r"[+-]?\d+\.?\d*(?:[eE][+-]?\d+)?", word.group()):
            return f"{_quote(word.group())} at position {word.start():,} is not an id. {EXAMPLE}"
    if typed.count("[") != typed.count("]"):
        opened, closed = typed.count("["), typed.count("]")
        return f"The brackets do not match: {opened:,} [ and {closed:,} ]. {EXAMPLE}"
    return f"{_quote(typed)} cannot be read as ids. {EXAMPLE}"


def _collect(value: list[Any], flat: list[int], depth: int = 1) -> tuple[int, ...]:
    """Append every id to `flat` and return the shape; refuse what is not an id."""
    if depth > MAX_RANK:
        raise IdsError(f"The lists are nested {depth} deep; {MAX_RANK} levels are allowed.")
    inner: set[tuple[int, ...]] = set()
    for item in value:
        if isinstance(item, list):
            inner.add(_collect(item, flat, depth + 1))
        else:
            flat.append(_one_id(item))
            inner.add(())
        if len(inner) > 1:
            raise IdsError(_ragged(value))
    return (len(value), *(inner.pop() if inner else ()))


def _ragged(value: list[Any]) -> str:
    lengths = [f"{len(item):,}" if isinstance(item, list) else "none (a number)" for item in value]
    shown = ", ".join(lengths[:6]) + (", …" if len(lengths) > 6 else "")
    return (
        f"The lists are ragged: side by side stand lengths {shown}. "
        "A tensor needs lists of one length at each level."
    )


def _one_id(item: Any) -> int:
    if isinstance(item, bool) or not isinstance(item, int):
        shown = _quote(json.dumps(item))
        hint = " An id is a whole number, without a point." if isinstance(item, float) else ""
        raise IdsError(f"{shown} is not an id.{hint} {EXAMPLE}")
    if item < 0:
        raise IdsError(f"Id {_short(item)} is negative; ids count rows from 0.")
    return item


def _short(number: int) -> str:
    # str() of an enormous int is slow, and Python refuses it past 4,300 digits.
    return f"{number:,}" if abs(number) < 10**18 else "of more than 18 digits"


def _quote(text: str) -> str:
    text = text.strip()
    return f"'{text[:40]}…'" if len(text) > 40 else f"'{text}'"
