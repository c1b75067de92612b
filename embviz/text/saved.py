r"""A table as programs save it: rows of numbers, and what stands in front of them.

pandas, R, spreadsheets and word2vec write a header, an index column, or a word before each row.
Names are left out, because they are no numbers. Numbers that count (0 to n - 1, 1 to n, years, or
word2vec's line of two sizes) are left out only if all other cells have a decimal point. Else all is
read as numbers. One sentence says what was read; another choice of `header` is the other way.

Lists in brackets, and typed rows with blanks between the numbers, have none of these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from embviz.text.digits import plain_digits
from embviz.text.headers import (
    COLUMNS,
    Line,
    after_comments,
    cells_of,
    counts_up,
    has_front,
    header_of,
    is_number,
    lines_of,
    sign_of,
    sizes_of,
    unquoted,
)
from embviz.text.refused import Refused
from embviz.text.typed import LOOKED_AT, read_rows
from embviz.text.wording import counted, quote

HEADER = "auto", "yes", "no"  # Left out where it is one; left out; read as numbers.

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

    rows: np.ndarray[Any, np.dtype[np.float64]]
    said: str = ""
    other: str = ""
    words: tuple[str, ...] = ()


def read_saved(text: str, most: int, header: str = "auto", is_file: bool = False) -> Saved:
    r"""Read a table, and leave out what only names or counts its rows and columns.

    Args:
        text: of a file, or typed or pasted.
        most: how many numbers it may have.
        header: one of `HEADER`.
        is_file: whether it is the text of a file. Typed text is taken for a file's only if signs,
            not blanks, separate its numbers, and some of them have a decimal point.

    Raises:
        Refused: as `read_rows`.

    >>> read_saved("0,1\n0.5,0.25", 9).rows.tolist(), read_saved("0 1\n.5 .25", 9).rows.tolist()
    ([[0.5, 0.25]], [[0.0, 1.0], [0.5, 0.25]])
    """
    if "[" in (plain := plain_digits(text)) or "]" in plain:
        return Saved(read_rows(text, most))
    start, comments = after_comments(plain)
    lines = [*islice(lines_of(plain, start), 3)]
    is_typed = not is_file and (not lines or (sign_of(lines[0].group()) == " " and not comments))
    if header == "no" or not lines or (is_typed and header == "auto"):
        found = Saved(read_rows(text, most))
        return found if is_typed else _noticed(plain, found, "no", is_file)
    named = header_of(lines[0].group(), lines[1].group()) if len(lines) > 1 else None
    first = lines[0].group()
    sign, cells = sign_of(first), cells_of(first)
    is_row = all(is_number(cell, sign) for cell in cells)
    if header == "yes" and named is None and not is_row:
        named = Line("is no row of numbers", first)
    said = f"{named}: it is left out." if named else ""
    if comments and not named:
        said = f"{Line('is a comment', comments)}: it is left out."
    data = [line.group() for line in lines[named is not None :]]
    if named:
        start = lines[0].end()
    if data and has_front(named.line if named and named.does == COLUMNS else "", data):
        words, rest, cut = fronts(text[start:], most)
        said = f"The first column, {quote(words[0])} …, names the rows: it is left out."
        if named:
            said = f"{named}, and the first column names the rows: both are left out."
        is_index = all(word.isdecimal() for word in words[:LOOKED_AT])
        return Saved(read_rows(rest, most), said + cut, "", () if is_index else tuple(words))
    read = Saved(read_rows(text[start:], most))
    found = _noticed(plain[start:], read, header, is_file or named is not None)
    if header == "yes" and not named and not found.other and len(found.rows) > 1:
        said = f"The first line, {quote(data[0])}, is left out."
        return Saved(found.rows[1:], said, "no")
    return replace(found, said=f"{said} {found.said}".strip())


def read_words(text: str, most: int) -> Saved:
    r"""Read words and vectors, as GloVe and word2vec save them: a word, then its numbers.

    A word may have blanks in it. Only the first rows are read where there are more numbers than
    `most`; a sentence says so.

    Raises:
        Refused: a line has another number of numbers.

    >>> saved = read_words("2 2\nnew york .5 1\ncat 3 4", 9)
    >>> saved.words, saved.rows.tolist()
    (('new york', 'cat'), [[0.5, 1.0], [3.0, 4.0]])
    """
    lines, said = [*islice(lines_of(text), 2)], ""
    if len(lines) == 2 and (sizes := sizes_of(lines[0].group(), lines[1].group())):
        text, said = text[lines[0].end() :], f"{sizes}: it is left out."
    words, rest, cut = fronts(text, most)
    return Saved(read_rows(rest, most), f"{said}{cut}".strip(), "", tuple(words))


def fronts(text: str, most: int) -> tuple[list[str], str, str]:
    """The first cell of each line, the text of all others, and a sentence if it is cut.

    Each line has as many cells after its first as the shortest of the first lines, so that blanks
    in a word do not count.
    """
    lines = [line.group() for line in islice(lines_of(text), LOOKED_AT)]
    if not lines:
        return [], "", ""
    sign = sign_of(lines[0])
    separator = None if sign == " " else sign
    width = min(len(line.rstrip().split(separator)) for line in lines) - 1
    if width < 1:
        raise Refused(f"{quote(lines[0])} is no word with numbers after it.")
    words, rest, most_rows = list[str](), list[str](), most // width
    for line in islice(lines_of(text), most_rows):
        word, *numbers = line.group().rstrip().rsplit(separator, width)
        if len(numbers) < width and separator is None:  # the word is a blank of another kind
            word, numbers = "", [word, *numbers]
        words.append(unquoted(word.strip()))
        rest.append((separator or " ").join(numbers))
    cut = ""
    if len(words) == most_rows and sum(1 for _ in lines_of(text)) > most_rows:
        read = counted(len(words), "row")
        cut = f" The first {read} are read: more than {counted(most, 'number')} do not fit."
    return words, "\n".join(rest), cut


def _noticed(plain: str, found: Saved, header: str, is_file: bool) -> Saved:
    """The table without a line or a column that counts, or with a sentence that it may have one."""
    rows = found.rows
    if min(rows.shape) < 1 or rows.shape[0] < 2:
        return found
    first = next(lines_of(plain))
    line, sign = first.group(), sign_of(first.group())
    is_plain = re.fullmatch(r"[0-9\s,;]+", line) is not None
    sizes = rows.shape[1] == 2 and rows[0].tolist() == [len(rows) - 1, 2]
    has_header = is_plain and (sizes or counts_up(rows[0]))
    if is_plain and not has_header and rows.shape[1] > 2:  # the corner counts nothing
        has_header = counts_up(rows[0, 1:]) and len(rows) > 2 and counts_up(rows[1:, 0])
    column = rows[has_header:, 0]
    starts = sum(1 for _ in re.finditer(r"(?m)^[^\S\r\n]*[0-9]+(?=[\s,;])", plain))
    has_index = rows.shape[1] > 1 < len(column) and starts >= len(column) and counts_up(column)
    if not is_file and not re.search(r"[.]|[0-9],[0-9]" if sign in "\t;" else "[.]", plain):
        has_header = has_index = False  # typed, and whole numbers alone
    if not has_header and not has_index:
        return found
    rest = plain[first.end() :] if has_header else plain
    is_left_out = header == "yes" or (header == "auto" and not _has_whole(rest, sign, has_index))
    shown = f"The first column, {column[0]:g} to {column[-1]:g}, may count the rows"
    what = "the columns" if not sizes else "the rows and their numbers"
    it, verb = "it", "is"
    if has_header:
        said = f"{Line(f'may count {what}', line)}"
        if has_index:
            shown, it, verb = f"{said}, and the first column the rows", "both", "are"
        else:
            shown = said
    end = "left out" if is_left_out else "read as numbers"
    if is_left_out:
        rows = rows[int(has_header) :, int(has_index) :]
    other = "no" if is_left_out else "yes"
    return replace(found, rows=rows, said=f"{shown}: {it} {verb} {end}.", other=other)


def _has_whole(plain: str, sign: str, has_index: bool) -> bool:
    """Whether a cell is a whole number without a point; with an index, beside the first column."""
    after = rf"(?<=[^\s,;]){_GAPS[sign]}"  # one start in a run of blanks
    before = after if has_index else rf"(?:^[^\S\r\n]*|{after})"
    return re.search(rf"(?m){before}[+-]?[0-9]+[^\S\r\n]*(?=[{_ENDS[sign]}]|$)", plain) is not None
