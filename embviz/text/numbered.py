"""Numbers in front of a table that may name its columns or rows: they are left out, or said.

They are whole numbers without a point: word2vec's two sizes, 0 to n - 1, 1 to n, years, and in a
file any numbers of which each stands once. They are left out where all other cells have a point.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from embviz.text.headers import Line, counts_up, sign_of
from embviz.text.typed import lines_of

Floats = np.ndarray[Any, np.dtype[np.float64]]

# A cell between blanks without a point; one with a sign is a number of its row, and no name.
_WHOLE = re.compile(r"(?<!\S)[+-]?[0-9]+(?!\S)")
SIZES = "rows and their numbers"  # What the first line of word2vec counts.


@dataclass(frozen=True)
class Saved:
    """A table that was read.

    Attributes:
        rows: float64, shape (rows, numbers of a row).
        said: a sentence about what was left out, or may be no row; empty where nothing is.
        other: the choice of `header` for the other way; empty where there is none.
        words: the word in front of each row, or none.
    """

    rows: Floats
    said: str = ""
    other: str = ""
    words: tuple[str, ...] = ()


class Names(NamedTuple):
    """The first row, the first column or both, whose cells are whole numbers without a point.

    Attributes:
        what: they may name or count.
        has_header: whether the first row is among them.
        has_index: whether the first column is.
        differ: whether each stands once.
        rise: whether they rise by one.
        are_alone: whether all other cells have a point.
    """

    what: str
    has_header: bool
    has_index: bool
    differ: bool
    rise: bool
    are_alone: bool


def noticed(plain: str, found: Saved, header: str, is_file: bool, named: Line | None) -> Saved:
    """The table without numbers that name its columns or rows, or a sentence that they may."""
    rows = found.rows
    if min(rows.shape) < 1:
        return found
    line = next(lines_of(plain)).group()
    has_points = "." in plain or ("," in plain and sign_of(line) in "\t;")
    if not is_file and (len(rows) < 2 or not has_points):
        return found  # typed, and whole numbers alone
    names = _names(plain, found, named)
    if names is None:
        return found
    does = f"may {'count' if names.rise or names.what == SIZES else 'name'} the {names.what}"
    shown = f"{Line(does, line)}"
    if not names.has_header:
        ends = " to ".join(f"{end:g}" for end in dict.fromkeys(rows[[0, -1], 0]))
        shown = f"The first column, {ends}, {does}"
    it = "both are" if names.has_header and names.has_index else "it is"
    is_sure = names.are_alone and (is_file or names.rise) and len(rows) > 1
    if header == "yes" or (header == "auto" and is_sure):
        rest = rows[int(names.has_header) :, int(names.has_index) :]
        words = found.words[int(names.has_header) :]
        return Saved(rest, f"{found.said} {shown}: {it} left out.".strip(), "no", words)
    said = f"{found.said} {shown}: {it} read as numbers."
    return Saved(rows, said.strip(), "yes", found.words)


def _names(plain: str, found: Saved, named: Line | None) -> Names | None:
    """The whole numbers that may name columns or rows: those that are alone, or that count."""
    rows = found.rows
    height, width = rows.shape
    spaced = _with_blanks(plain)
    # Counted no further than it takes to know whether there are others.
    wholes = sum(1 for _ in islice(_WHOLE.finditer(spaced), height + width))
    may_name = list[Names]()
    first = next(lines_of(spaced)).group().split()
    has_header = not named and height > 1 and [*map(str.isdecimal, first)] == [True] * width
    if has_header and _has_sizes(rows):
        may_name.append(Names(SIZES, True, False, True, False, wholes == width))
    elif has_header:
        differ, rises = width > 1 and _differ(rows[0]), counts_up(rows[0])
        may_name.append(Names("columns", True, False, differ, rises, wholes == width))
    index, is_alone = rows[:, 0], wholes == height
    may_be_index = not found.words and width > 1 and (height > 1 or is_alone)
    fronts = (line.group().split(None, 1)[0] for line in lines_of(spaced))
    if may_be_index and all(map(str.isdecimal, fronts)):
        may_name.append(Names("rows", False, True, _differ(index), counts_up(index), is_alone))
        if has_header and _both_count(rows):
            is_alone = wholes == width + height - 1
            both = "columns, and the first column the rows"
            may_name.append(Names(both, True, True, True, True, is_alone))
    alone = [names for names in may_name if names.are_alone and names.differ and not named]
    return next(iter(alone + [names for names in may_name if names.rise]), None)


def _with_blanks(plain: str) -> str:
    """The text with blanks between cells; beside tabs or semicolons a comma is a decimal comma."""
    sign = sign_of(next(lines_of(plain)).group())
    if sign == "\t":
        return plain
    return plain.replace(";" if sign == ";" else ",", " ")


def _both_count(rows: Floats) -> bool:
    """Whether the first row and the first column count, whatever number their corner is."""
    if min(rows.shape) < 3:
        return False
    return counts_up(rows[1:, 0]) and (counts_up(rows[0]) or counts_up(rows[0, 1:]))


def _has_sizes(rows: Floats) -> bool:
    """Whether the first row has word2vec's two sizes; a file that was cut has fewer rows."""
    return bool(rows.shape[1] == 2 == rows[0, 1] and rows[0, 0] >= len(rows) - 1)


def _differ(values: Floats) -> bool:
    """Whether each of these numbers stands once."""
    return len(np.unique(values)) == len(values)
