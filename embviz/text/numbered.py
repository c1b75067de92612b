"""Numbers in front of a table that may name its columns or rows: they are left out, or said.

They are whole numbers without a point: word2vec's two sizes, 0 to n - 1, 1 to n, years, and in a
file any numbers of which each stands once. They are left out where all other cells have a point.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from embviz.text.headers import Line, counts_up, lines_of, sign_of

Floats = np.ndarray[Any, np.dtype[np.float64]]

_ENDS = {"\t": r"\t", ";": ";", ",": r"\t, ", " ": r"\t, "}
_GAPS = {"\t": r"\t", ";": r"[^\S\r\n]*;[^\S\r\n]*", ",": r"[, \t]+", " ": r"[, \t]+"}


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


def noticed(plain: str, found: Saved, header: str, is_file: bool, named: Line | None) -> Saved:
    """The table without numbers that name its columns or rows, or a sentence that they may."""
    rows = found.rows
    if min(rows.shape) < 1 or (not is_file and len(rows) < 2):
        return found
    first = next(lines_of(plain))
    line, sign = first.group(), sign_of(first.group())
    if not is_file and not re.search(r"[.]|[0-9],[0-9]" if sign in "\t;" else "[.]", plain):
        return found  # typed, and whole numbers alone
    is_apart = named is not None and named.counts  # its corner names a column of another kind
    for any_order in (True, False):
        has_header = not named and _is_header(line, rows, any_order)
        start = first.end() if has_header else 0
        column = rows[has_header:, 0]
        may_be_index = rows.shape[1] > 1 and not found.words
        may_be_index = may_be_index and _is_whole(plain, start, sign, column)
        in_order = has_header or (named is not None and not is_apart)  # each column has its name
        if has_header:  # both count, or there is one
            may_be_index = may_be_index and len(column) > 1 and _in_order(rows[0])
        has_index = may_be_index and _names(column, any_order and not in_order)
        is_sure = not _has_whole(plain, start, sign, has_index)
        if (has_header or has_index) and (is_sure or (is_apart and has_index)):
            break
    if not (has_header or has_index) or (len(rows) == 1 and not is_sure):
        return found
    in_order = not has_header or _in_order(rows[0])
    in_order = in_order and not (has_index and not counts_up(column))
    is_sure = (is_sure or is_apart) and (is_file or in_order) and len(rows) > 1
    is_left_out = header == "yes" or (header == "auto" and is_sure)
    sizes = has_header and _has_sizes(rows)
    does = "may count" if in_order or sizes else "may name"
    what = "the rows and their numbers" if sizes else "the columns"
    ends = " to ".join(f"{end:g}" for end in dict.fromkeys([column[0], column[-1]]))
    shown = f"The first column, {ends}, {does} the rows"
    it, verb = "it", "is"
    if has_header:
        shown = f"{Line(f'{does} {what}', line)}"
        if has_index:
            shown, it, verb = f"{shown}, and the first column the rows", "both", "are"
    end = "left out" if is_left_out else "read as numbers"
    words = found.words
    if is_left_out:
        rows, words = rows[int(has_header) :, int(has_index) :], words[int(has_header) :]
    other = "no" if is_left_out else "yes"
    return Saved(rows, f"{found.said} {shown}: {it} {verb} {end}.".strip(), other, words)


def _names(values: Floats, any_order: bool) -> bool:
    """Whether whole numbers may name rows or columns: each once, or in order."""
    return len(np.unique(values)) == len(values) if any_order else counts_up(values)


def _in_order(header: Floats) -> bool:
    """Whether the numbers of a header count, with or without its corner."""
    return counts_up(header) or (len(header) > 2 and counts_up(header[1:]))


def _has_sizes(rows: Floats) -> bool:
    """Whether the first row has word2vec's two sizes; a cut file has fewer rows."""
    return bool(rows.shape[1] == 2 == rows[0, 1] and rows[0, 0] >= len(rows) - 1)


def _is_header(line: str, rows: Floats, any_order: bool) -> bool:
    """Whether the first row may name the columns."""
    is_whole = re.fullmatch(rf"[0-9\s{_ENDS[sign_of(line)]}]+", line) is not None
    if len(rows) < 2 or not is_whole:
        return False
    if _has_sizes(rows) and (any_order or rows[0, 0] == len(rows) - 1):
        return True
    if rows.shape[1] > 2 and counts_up(rows[0, 1:]) and counts_up(rows[1:, 0]):
        return len(rows) > 2 or counts_up(rows[0])  # the corner counts nothing
    return _names(rows[0], any_order and rows.shape[1] > 1)


def _is_whole(plain: str, start: int, sign: str, column: Floats) -> bool:
    """Whether each line begins with a whole number without a point."""
    begins = re.compile(rf"(?m)^[^\S\r\n]*[0-9]+(?=[^\S\t\r\n]*[{_ENDS[sign]}])")
    return sum(1 for _ in begins.finditer(plain, start)) >= len(column) > 0


def _has_whole(plain: str, start: int, sign: str, has_index: bool) -> bool:
    """Whether a cell is a whole number without a point; with an index, beside the first column."""
    after = rf"(?<=[^\s,;]){_GAPS[sign]}"  # one start in a run of blanks
    before = after if has_index else rf"(?:^[^\S\r\n]*|{after})"
    cell = re.compile(rf"(?m){before}[+-]?[0-9]+[^\S\r\n]*(?=[{_ENDS[sign]}]|$)")
    return cell.search(plain, start) is not None
