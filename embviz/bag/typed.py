"""Reading a matrix that a person typed or pasted, cell by cell, into a rectangle of numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np

from embviz.bag.checks import Array, MatrixError
from embviz.core.wording import quote

MAX_TYPED = 1_000_000  # characters
EXAMPLE = "Write one row a line, as in 1 0 1 0, or nested lists, [[1, 0, 1, 0], [0, 0, 1, 1]]."


def read_rows(text: str) -> list[list[object]]:
    """The cells of nested lists, or of one row a line; not all of them need be numbers.

    Raises:
        MatrixError: too long, no rows, or a word that is no number.

    >>> read_rows("[[1 0] [0 2]]"), read_rows("1; 0.5")
    ([[1, 0], [0, 2]], [[1.0, 0.5]])
    """
    if len(text) > MAX_TYPED:
        raise MatrixError(f"{len(text):,} characters of a matrix are more than {MAX_TYPED:,}.")
    return _from_lists(text) if "[" in text else _from_lines(text)


def rectangle(rows: Sequence[Sequence[object]]) -> Array:
    """Rows of Python numbers as an array of shape (R, C): float32 where nothing is lost.

    Raises:
        MatrixError: no rows, rows of unequal length, or a cell that is no number.
    """
    table = [[_plain(cell, place) for cell in row] for place, row in enumerate(rows)]
    if not table:
        raise MatrixError(f"No matrix was given. {EXAMPLE}")
    for place, row in enumerate(table):
        if len(row) != len(table[0]):
            raise MatrixError(
                f"Row {place:,} has {len(row):,} numbers and row 0 has {len(table[0]):,}; "
                "all rows of a matrix are equally long."
            )
    exact = np.array(table, dtype=np.float64).reshape(len(table), len(table[0]))
    with np.errstate(over="ignore"):
        short = exact.astype(np.float32)
    return short if (short == exact).all() else exact


def _plain(cell: object, row: int) -> float:
    """A number out of a list; whole ones of 400 digits are no float."""
    try:
        if isinstance(cell, int | float | np.integer | np.floating) and not isinstance(cell, bool):
            return float(cell)
    except OverflowError:
        raise MatrixError(f"A whole number in row {row:,} is too large for a matrix.") from None
    known = {type(None): "An empty cell", list: "A list", dict: "An object"}
    shown = known[type(cell)] if type(cell) in known else quote(str(cell))
    raise MatrixError(f"{shown} in row {row:,} is not a number. {EXAMPLE}")


def _from_lists(text: str) -> list[list[object]]:
    # Spaces separate as commas do, and 1. is 1.0: numpy prints so.
    source = re.sub(r"(?<=[^\s,\[])\s+(?=[^\s,\]])", ",", text.strip())
    source = re.sub(r"(?<=\d)\.(?=[\s,\]eE])", ".0", source)
    if not re.match(r"\[\s*\[", source):  # a row alone, or a row a line
        source = f"[{source}]"
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        raise MatrixError(f"{quote(text)} cannot be read as nested lists. {EXAMPLE}") from None
    if not all(isinstance(row, list) for row in value):
        raise MatrixError(f"{quote(text)} is not a list of rows. {EXAMPLE}")
    return list(value)


def _from_lines(text: str) -> list[list[object]]:
    rows: list[list[object]] = []
    for line in text.strip().splitlines():
        cells = re.split("[,;]", line) if line.strip() else []
        # An empty cell between two commas is kept, to be refused.
        words = [word for cell in cells for word in (cell.split() or [""])]
        if words:
            rows.append([_number(word, len(rows)) for word in words])
    return rows


def _number(word: str, row: int) -> float:
    try:
        return float(word.replace("_", "x"))  # Python reads 1_000; nobody else does
    except ValueError:
        shown = quote(word) if word else "An empty cell"
        raise MatrixError(f"{shown} in row {row:,} is not a number. {EXAMPLE}") from None
