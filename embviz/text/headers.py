"""What the first lines of a saved table are: names, counts, word2vec's sizes, or numbers.

A line is cut into cells at the sign that occurs most often; only its first characters are cut.
Nothing here reads a table: `saved` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from embviz.text.digits import read_number
from embviz.text.wording import quote

FIRST_CHARACTERS = 10_000  # Characters of a line that are cut into cells, to tell names.
COLUMNS = "names the columns"
YEARS = 1000, 2999  # The first and the last number that may be a year.
_SIGNS = "\t;, "  # What separates cells; of signs that occur equally often, the first one.
_NO_NAME = {"na", "n", "nan", "none", "null", "inf", "infinity", "true", "false"}


class Line(NamedTuple):
    """The first line, and what it does: `names the columns`."""

    does: str
    line: str

    def __str__(self) -> str:
        return f"The first line, {quote(self.line)}, {self.does}"


def lines_of(text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """The lines that are not blank."""
    for line in re.compile(r"[^\r\n]+").finditer(text, start):
        if not line.group().isspace():
            yield line


def after_comments(plain: str) -> tuple[int, str]:
    """Where the lines that begin with # end, as `np.savetxt` writes a header; and the first."""
    found = re.match(r"\s*(?:#[^\r\n]*[\r\n]+\s*)+", plain)
    return (found.end(), found.group().split("\n")[0]) if found else (0, "")


def sign_of(line: str) -> str:
    """What separates the cells of a line."""
    line = line[:FIRST_CHARACTERS].strip()
    return max(_SIGNS, key=line.count) if any(sign in line for sign in _SIGNS) else " "


def cells_of(line: str) -> list[str]:
    """The first cells of a line, with their quotes."""
    sign, is_whole = sign_of(line), len(line) <= FIRST_CHARACTERS
    line = line[:FIRST_CHARACTERS]
    cells = [*map(str.strip, line.split(None if sign == " " else sign))]
    return cells if is_whole else cells[:-1]


def unquoted(cell: str) -> str:
    """The cell without the quotes around it."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def is_number(cell: str, sign: str) -> bool:
    """Whether a cell is a number; between tabs or semicolons a comma is a decimal comma."""
    try:
        read_number(cell.replace(",", ".") if sign in "\t;" else cell)
    except ValueError:
        return False
    return True


def _is_name(cell: str) -> bool:
    """Whether a cell is surely no number: it has quotes, or begins with a letter."""
    if '"' in cell:
        return True
    return re.match(r"[^\W\d]", cell) is not None and cell.lower() not in _NO_NAME


def _is_word(cell: str) -> bool:
    """Whether a cell is surely no misspelled number: a name, a mark, or a date."""
    is_date = re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", cell) is not None
    begins_as_number = re.match(r"[+-]?[.,]?[0-9]", cell) is not None
    return is_date or _is_name(cell) or not (begins_as_number or cell.lower() in _NO_NAME)


def header_of(line: str, below: str) -> Line | None:
    """What the first line is, if it is surely no row of numbers."""
    if sizes := sizes_of(line, below):
        return sizes
    corner, *others = cells_of(line) or [""]
    has_free_corner = unquoted(corner) == "" or _is_name(corner)
    is_header = all(map(_is_name, others)) and bool(others or corner)
    is_header = is_header or (len(others) > 1 and _counts([*map(unquoted, others)]))
    sign = sign_of(below)
    has_numbers = any(is_number(cell, sign) for cell in cells_of(below))
    if has_free_corner and is_header and has_numbers:
        return Line(COLUMNS, line)
    return None


def sizes_of(line: str, below: str) -> Line | None:
    """The first line, if it has word2vec's two sizes."""
    found = re.fullmatch(r"\s*[0-9]{1,9}\s+([0-9]{1,5})\s*", line)
    if found is None:
        return None
    cells, width = below.split(), int(found[1])
    if not 0 < width <= len(cells) or not all(is_number(cell, " ") for cell in cells[-width:]):
        return None
    has_word = len(cells) > width and not is_number(cells[0], " ")
    is_cut_off = len(cells) == width != 2
    return Line("counts the rows and their numbers", line) if has_word or is_cut_off else None


def has_front(header: str, lines: list[str]) -> bool:
    """Whether the first cell of each line is surely no number of its row."""
    sign = sign_of(lines[0])
    if len(cells_of(lines[0])) < 2:
        return False
    if header:
        corner, *others = cells_of(header) or [""]
        has_fewer = header.count(sign_of(header)) + 1 == lines[0].count(sign)
        counts = len(others) > 1 and _counts([*map(unquoted, others)])
        if unquoted(corner) == "" or counts or (has_fewer and sign_of(header) == sign):
            return True
    elif len(lines) < 2:
        return False
    for line in lines:
        first, *others = cells_of(line) or [""]
        if (
            is_number(first, sign)
            or not _is_word(first)
            or not all(is_number(cell, sign) for cell in others[-1:])
        ):
            return False
    return all(is_number(cell, sign) for cell in cells_of(lines[0])[1:])


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
