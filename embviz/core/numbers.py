r"""Numbers that a person types or pastes.

Two notations are read everywhere: nested lists, as Python, JSON or numpy print them, and bare
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


def read_nested(typed: str, whole: bool = False) -> Any:
    r"""A float, or lists of lists or of floats; with `whole`, an int where it was typed as one.

    Raises:
        Refused: a word that is no number, or brackets or commas that do not fit together.

    >>> read_nested("[[1 2]\n [3. 4e0]]", whole=True)
    [[1, 2], [3.0, 4.0]]
    """
    words = re.sub(r"[^\s,\[\]]+", lambda word: _number(word, whole), typed.strip())
    # Spaces separate as commas do: numpy prints so.
    source = re.sub(r"(?<=[^\s,\[])\s+(?=[^\s,\]])", ",", words)
    try:
        return json.loads(source)
    except (ValueError, RecursionError):
        raise Refused(
            f"{quote(typed)} cannot be read: its brackets or commas do not fit together."
        ) from None


def _number(word: re.Match[str], whole: bool) -> str:
    """The word as JSON writes its number."""
    text = word.group()
    try:
        if text.isascii() and "_" not in text:  # Python alone reads 1_000
            whole = whole and re.fullmatch(r"[+-]?\d+", text) is not None
            return json.dumps(int(text) if whole else float(text))
    except ValueError:  # also an int of more than 4,300 digits
        pass
    raise Refused(f"{quote(text)} is not a number.")


def read_table(typed: str) -> list[list[float]]:
    """Rows of numbers: nested lists, a single list, or one row a line.

    Returns:
        rows of equal length; none, if there is no number.

    Raises:
        Refused: too long, a place that holds no number, or rows of unequal length.

    >>> read_table("[[1 0] [0 2]]"), read_table("1; 0.5")
    ([[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.5]])
    """
    if len(typed) > MAX_TYPED:
        raise Refused(f"{len(typed):,} characters are more than the {MAX_TYPED:,} allowed.")
    if "[" in typed:
        nested = re.match(r"\s*\[\s*\[", typed)  # `[1, 2]` is one row
        rows = read_nested(typed if nested else f"[{typed.strip()}]")
    else:
        lines = typed.replace(";", ",").splitlines()
        rows = [read_nested(f"[{line.strip()}]") for line in lines if line.strip()]
    for place, row in enumerate(rows):
        if not isinstance(row, list) or any(isinstance(cell, list) for cell in row):
            raise Refused(f"{quote(typed)} is not a list of rows of numbers.")
        if len(row) != len(rows[0]):
            raise Refused(
                f"Row {place:,} has {len(row):,} numbers and row 0 has {len(rows[0]):,}; "
                "all rows are equally long."
            )
    return list(rows)
