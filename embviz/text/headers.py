"""The first lines of a saved table: cut into cells, and whether the first one is a header.

A line is cut at the sign that occurs most often; only its first characters are cut.
Nothing here reads a table: `saved` does.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from embviz.text.typed import COMMAS, TABS
from embviz.text.wording import quote

FIRST_CHARACTERS = 10_000  # Characters of a line that are cut into cells, to tell names.
COLUMNS = "names the columns"
YEARS = 1000, 2999  # The first and the last number that may be a year.
_SIGNS = "\t;, "  # Signs between cells; of those that occur equally often, the first one.
_NO_NAME = {"na", "n", "nan", "none", "null", "inf", "infinity", "true", "false"}
_QUOTED = re.compile('"[^"]*"')
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SIZES = re.compile(r"\s*[0-9]{1,9}\s+([0-9]{1,5})\s*")


class Line(NamedTuple):
    """The first line, and what it does: `names the columns`.

    Attributes:
        does: what it does.
        line: as it was given.
        cells: how many names it has, the corner too; 0 where it names no columns.
        front: whether it says that the first column names the rows.
    """

    does: str
    line: str
    cells: int = 0
    front: bool = False

    def __str__(self) -> str:
        return f"The first line, {quote(self.line)}, {self.does}"


def sign_of(line: str) -> str:
    """The sign between the cells of a line; a run of blanks is one.

    Beside a tab or a semicolon a comma is a decimal comma.
    """
    line = re.sub(" +", " ", line[:FIRST_CHARACTERS].strip(" "))
    if "\t" in line or ";" in line:
        line = line.replace(",", "")
    return max(_SIGNS, key=line.count) if any(sign in line for sign in _SIGNS) else " "


def cells_of(line: str, sign: str) -> list[str]:
    """The first cells of a line, with their quotes; at least one."""
    is_whole = len(line) <= FIRST_CHARACTERS
    line = line[:FIRST_CHARACTERS]
    cells = [*map(str.strip, line.split(None if sign == " " else sign))]
    return (cells if is_whole else cells[:-1]) or [""]


def count_cells(line: str, sign: str) -> int:
    """How many cells a whole line has; a sign in quotes separates nothing."""
    bare = _QUOTED.sub("q", line)
    return sum(1 for _ in re.finditer(r"\S+", bare)) if sign == " " else bare.count(sign) + 1


def unquoted(cell: str) -> str:
    """The cell without the quotes around it."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def is_number(cell: str, sign: str) -> bool:
    """Whether a cell is a number; between tabs or semicolons a comma is a decimal comma."""
    return (TABS if sign in "\t;" else COMMAS).is_number(cell)


def is_row(line: str) -> bool:
    """Whether the first cells of a line are numbers."""
    sign = sign_of(line)
    return all(is_number(cell, sign) for cell in cells_of(line, sign))


def has_word(line: str) -> bool:
    """Whether the first cell of a line is surely no number, and the last one behind it is one."""
    sign = sign_of(line)
    first, *others = cells_of(line, sign)
    return _is_word(first, sign) and all(is_number(cell, sign) for cell in others[-1:])


def _is_word(cell: str, sign: str) -> bool:
    """Whether a cell is surely no misspelled number: a name, a mark, a date, or in quotes."""
    if is_number(cell, sign) or cell.lower() in _NO_NAME:
        return False
    begins_as_number = re.match(r"[^\w\"]*[0-9]", cell) is not None
    return not begins_as_number or _DATE.fullmatch(cell) is not None


def _is_name(cell: str) -> bool:
    """Whether a cell is surely no number: it has quotes, or begins with a letter."""
    if '"' in cell:
        return True
    return re.match(r"[^\W\d]", cell) is not None and cell.lower() not in _NO_NAME


def header_of(line: str, below: str) -> Line | None:
    """The meaning of the first line, if it is surely no row of numbers."""
    if _has_sizes(line, below):
        return Line("counts the rows and their numbers", line)
    sign = own = sign_of(below)
    under = cells_of(below, sign)
    if not any(is_number(cell, sign) for cell in under):
        return None
    if sign not in line.strip(" "):
        own = sign_of(line)
    corner, *others = cells_of(line, own)
    names, cells = [*map(unquoted, others)], count_cells(line, own)
    are_names = all(map(_is_name, others))
    counts = _counts(names)
    has_points = not any(re.fullmatch("[+-]?[0-9]+", cell) for cell in under[1:])
    if unquoted(corner) == "":
        is_header = are_names or counts or (has_points and are_distinct(names))
        return Line(COLUMNS, line, cells, True) if others and is_header else None
    has_less = sign == own and cells == count_cells(below, sign) - 1
    if has_less and has_points and _counts([corner, *names]):  # as pandas prints a frame
        return Line(COLUMNS, line, cells, True)
    # A word beside numbers that count: the columns below them are of one kind, and it of another.
    is_apart = counts and len(names) > 1 and is_number(under[0], sign)
    if _is_name(corner) and (are_names or is_apart):
        return Line(COLUMNS, line, cells, has_less or is_apart)
    return None


def _has_sizes(line: str, below: str) -> bool:
    """Whether a line has word2vec's two sizes: how many rows, and how many numbers in each."""
    found, cells = _SIZES.fullmatch(line), below.split()
    width = int(found[1]) if found else 0
    if not 0 < width <= len(cells) or not all(is_number(cell, " ") for cell in cells[-width:]):
        return False
    has_front = len(cells) > width and _is_word(cells[0], " ")
    return has_front or len(cells) == width != 2


def has_front(header: Line | None, lines: list[str]) -> bool:
    """Whether the first cell of each line is surely no number of its row."""
    if len(cells_of(lines[0], sign_of(lines[0]))) < 2:
        return False
    if header and header.front:
        return True
    return len(lines) + bool(header) > 1 and all(map(has_word, lines))


def are_distinct(cells: list[str]) -> bool:
    """Whether cells are whole numbers without a point, each once."""
    return len({*cells}) == len(cells) > 0 and all(map(str.isdecimal, cells))


def _counts(cells: list[str]) -> bool:
    """Whether whole numbers without a point rise by one, from 0, from 1, or as years."""
    if not cells or not all(re.fullmatch("[0-9]{1,9}", cell) for cell in cells):
        return False
    return counts_up(np.array([*map(int, cells)], dtype=float))


def counts_up(values: np.ndarray[Any, Any]) -> bool:
    """Whether numbers rise by one, from 0, from 1, or as years."""
    first, last = float(values[0]), float(values[-1])
    is_years = len(values) > 1 and YEARS[0] <= first <= last <= YEARS[1]
    begins = first == 0 or (first == 1 and len(values) > 1) or is_years
    return begins and bool((np.diff(values) == 1).all())
