r"""Numbers that a person types or pastes, and text that goes into a spreadsheet.

Two notations are read everywhere: nested lists, as Python, JSON or numpy print them, and lines of
numbers with spaces, commas or semicolons between. An empty place, as in `1,,2`, is refused.
Shapes, limits and the meaning of the numbers are for the caller to check.
"""

from __future__ import annotations

import json
import re
from typing import Any

from embviz.core.refused import Refused
from embviz.core.wording import quote

MAX_TYPED = 1_000_000  # characters of a table

# A spreadsheet takes a cell that begins so for a formula; the wide ones too, in some languages.
_FORMULA = ("=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class NumbersError(Refused):
    """Text that cannot be read as numbers; the sentence quotes what is wrong."""


class Word(str):
    """A number inside of nested lists, as it was typed."""

    __slots__ = ()


def read_nested(typed: str) -> Any:
    r"""Nested lists whose numbers are still `Word`s.

    Returns:
        lists of lists or of `Word`s; also the text, bool, None or dict that stands among them.

    Raises:
        NumbersError: brackets or commas that do not fit together.
        RecursionError: hundreds of brackets inside one another.

    >>> read_nested("[[1 2]\n [3. 4e0]]")
    [['1', '2'], ['3.0', '4e0']]
    """
    # Spaces separate as commas do, and 1. is 1.0: numpy prints so.
    source = re.sub(r"(?<=[^\s,\[])\s+(?=[^\s,\]])", ",", typed.strip())
    source = re.sub(r"(?<=\d)\.(?=[\s,\]eE])", ".0", source)
    try:
        return json.loads(source, parse_int=Word, parse_float=Word, parse_constant=Word)
    except ValueError:
        raise NumbersError(f"{quote(typed)} cannot be read as nested lists.") from None


def read_table(typed: str) -> list[list[float]]:
    """Rows of numbers: nested lists, a single list, or one row a line.

    Returns:
        rows of equal length; none, if there is no number.

    Raises:
        NumbersError: too long, a place that holds no number, or rows of unequal length.

    >>> read_table("[[1 0] [0 2]]"), read_table("1; 0.5")
    ([[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.5]])
    """
    if len(typed) > MAX_TYPED:
        raise NumbersError(f"{len(typed):,} characters are more than the {MAX_TYPED:,} allowed.")
    rows = _lists(typed) if "[" in typed else _lines(typed)
    table = [[_number(cell, place) for cell in row] for place, row in enumerate(rows)]
    for place, row in enumerate(table):
        if len(row) != len(table[0]):
            raise NumbersError(
                f"Row {place:,} has {len(row):,} numbers and row 0 has {len(table[0]):,}; "
                "all rows are equally long."
            )
    return table


def _lists(typed: str) -> list[list[Any]]:
    nested = re.match(r"\s*\[\s*\[", typed)
    try:  # `[1, 2]` is one row
        rows: list[list[Any]] = read_nested(typed if nested else f"[{typed.strip()}]")
    except (NumbersError, RecursionError):  # quoted as it was typed
        raise NumbersError(f"{quote(typed)} cannot be read as nested lists.") from None
    if not all(isinstance(row, list) for row in rows):
        raise NumbersError(f"{quote(typed)} is not a list of rows.")
    return rows


def _lines(typed: str) -> list[list[Any]]:
    rows = []
    for line in typed.splitlines():
        if line.strip():
            cells = (cell.split() or [""] for cell in re.split("[,;]", line))
            rows.append([Word(word) for words in cells for word in words])
    return rows


def _number(cell: Any, row: int) -> float:
    try:
        if isinstance(cell, Word):
            return float(cell.replace("_", "x"))  # Python alone reads 1_000
    except ValueError:
        pass
    known = {type(None): "An empty cell", list: "A list", dict: "An object"}
    if cell == "" or type(cell) in known:
        shown = known.get(type(cell), "An empty cell")
    else:
        shown = quote(json.dumps(cell) if isinstance(cell, bool) else cell)
    raise NumbersError(f"{shown} in row {row:,} is not a number.")


def formula_safe(cell: str) -> str:
    """A cell that no spreadsheet runs: one that could be a formula gets a leading `'`.

    >>> formula_safe("=1+1"), formula_safe(" |x"), formula_safe("3")
    ("'=1+1", "' |x", '3')
    """
    begins = cell.lstrip().startswith(_FORMULA) or cell[:1] in ("\t", "\r", "\n", "\0")
    return f"'{cell}" if begins else cell
