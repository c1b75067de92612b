r"""Rows of numbers: nested lists, as Python or numpy print them, or one row a line, as in a CSV.

The separator of the numbers in lines is decided once, for the whole text:

1. A semicolon anywhere: semicolons separate, and a comma is a decimal comma. Spreadsheets of many
   countries save so. `1,5;0,5` is 1.5 and 0.5; `1,2;3,4` is 1.2 and 3.4, one row of two numbers.
2. A tab, and a comma inside a number: the same with tabs, as cells are copied from a spreadsheet.
3. Else commas and blanks separate: `1,5` is 1 and 5. A line such as `1,5 0,5` may be two numbers or
   four, so it is refused.

Within brackets, commas and blanks separate. An empty place and a word are refused; so are decimal
commas that may all stand before thousands, as in `1,234;2,345`.
The numbers go straight into an array: 8 bytes for each, however the text is written.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embviz.text.digits import plain_digits, read_number
from embviz.text.printed import bare_numbers
from embviz.text.refused import Refused
from embviz.text.wording import counted, quote

WIDTH = 25  # characters of a float64 with all its digits, and of the separator behind it

# Ends of a line, beside those that are looked for.
_LINE_ENDS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"

_LISTS = re.compile(r"\s*\[[^\[\]]*\](?:\s*(?:,\s*)?\[[^\[\]]*\])*\s*")
# A comma that may be a decimal one, or stand before thousands.
_THOUSANDS = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2},[0-9]{3}(?![0-9.,eE])")
_DEEP = re.compile(r"\[\s*\[\s*\[")
_COMMA_INSIDE = re.compile("[0-9],[0-9]")
# A cell without a number before others; one tab in front of a line is an indent.
_EMPTY = re.compile(r"\t[^\S\t]*\t|\A[^\S\t]*\t.*\t")
_WORD = r"(?:[^\s,]+|[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?)"
_TWO_WAYS = re.compile(rf"\s*{_WORD}(?:\s+{_WORD})+\s*")


@dataclass(frozen=True)
class Notation:
    """The separator of the numbers of a line.

    Attributes:
        mark: the separator.
        name: its name in a message.
        place: a pattern of the text between two separators.
        decimal: whether a comma is a decimal comma.
    """

    mark: str
    name: str
    place: re.Pattern[str]
    decimal: bool = False

    @cached_property
    def gap(self) -> re.Pattern[str]:
        """A separator without a number before or behind it."""
        blanks = rf"[^\S{self.mark}]*"
        return re.compile(rf"\A{blanks}{self.mark}|{self.mark}{blanks}(?:{self.mark}|\Z)")

    def number(self, word: str) -> float:
        """The number of a place.

        Raises:
            ValueError: it is none.
        """
        return read_number(word.strip().replace(",", ".") if self.decimal else word)

    def is_number(self, word: str) -> bool:
        """Whether a place has a number."""
        try:
            self.number(word)
        except ValueError:
            return False
        return True

    def words(self, line: str) -> Iterator[str]:
        """The words between the separators of a line, as they were typed."""
        for found in self.place.finditer(plain_digits(line)):
            yield line[slice(*found.span())].strip()

    def empty_place(self, line: str) -> str:
        """The sentence about a separator with nothing before or behind it; `""` if there is none.

        >>> COMMAS.empty_place("1, 2,"), COMMAS.empty_place("1, 2")
        ("'1, 2,' has nothing after its last comma.", '')
        """
        if not (found := self.gap.search(plain_digits(line))):
            return ""
        where = f"between two {self.name}s"
        if found.start() == 0:
            where = f"before its first {self.name}"
        elif found.end() == len(line):
            where = f"after its last {self.name}"
        return f"{quote(line)} has nothing {where}."


COMMAS = Notation(",", "comma", re.compile(r"[^\s,]+"))
SEMICOLONS = Notation(";", "semicolon", re.compile("[^;]+"), decimal=True)
TABS = Notation("\t", "tab", re.compile("[^\t]+"), decimal=True)


def line_feeds(text: str) -> str:
    r"""The text with line feeds in place of all other signs that end a line.

    >>> line_feeds("1\u20282")
    '1\n2'
    """
    for end in _LINE_ENDS:
        text = text.replace(end, "\n")
    return text


def lines_of(text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """The lines that are not blank."""
    for line in re.compile(r"[^\r\n]+").finditer(text, start):
        if not line.group().isspace():
            yield line


def read_rows(typed: str, most: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Rows of numbers: nested lists, a single list, or one row a line.

    Args:
        typed: the text.
        most: how many numbers it may have.

    Returns:
        float64, shape (rows, numbers of a row); (0, 0) for a blank text.

    Raises:
        Refused: too long, a place that holds no number, or rows of unequal length.

    >>> read_rows("[[1 0] [0 2]]", 9).tolist(), read_rows("1,5; 0,5", 9).tolist()
    ([[1.0, 0.0], [0.0, 2.0]], [[1.5, 0.5]])
    """
    if len(typed) > WIDTH * most:
        raise Refused(f"{len(typed):,} characters are more than the {WIDTH * most:,} allowed.")
    plain = bare_numbers(typed := line_feeds(typed))
    is_list = "[" in plain or "]" in plain
    notation = COMMAS if is_list else _notation(plain)
    if notation.decimal:
        _check_thousands(plain)
    # Counted before they are read where they may be too many: that takes a tenth of the time.
    may_be_many = not is_list and len(typed) > 2 * most
    if may_be_many and sum(1 for _ in notation.place.finditer(plain)) > most:
        raise Refused(_too_many(most))
    is_usual = notation is COMMAS and plain.isascii() and "_" not in plain
    number = float if is_usual else notation.number  # `float` alone is quicker
    values, rows, width = array("d"), 0, 0
    places = _lists(typed, plain) if is_list else map(re.Match.span, lines_of(plain))
    is_odd = notation is COMMAS and not is_list and "," in plain  # a line may be read in two ways
    for start, end in places:
        line, before = plain[start:end].rstrip(), len(values)
        is_bad = notation.gap.search(line) is not None
        try:
            values.extend(map(number, map(re.Match.group, notation.place.finditer(line))))
        except ValueError:
            is_bad = True
        if is_bad:
            raise Refused(_reason(typed[start : start + len(line)], notation))
        if not is_list and _EMPTY.search(line):
            shown = quote(typed[start : start + len(line)])
            raise Refused(f"{shown} has an empty cell between tabs or before them.")
        if is_odd:
            _check_one_way(typed[start:end])
        if len(values) > most:
            raise Refused(_too_many(most))
        if rows and len(values) - before != width:
            raise Refused(
                f"Row {rows:,} has {counted(len(values) - before, 'number')} and row 0 has "
                f"{width:,}; all rows are equally long."
            )
        rows, width = rows + 1, len(values) - before
    return np.asarray(values).reshape(rows, width)


def _notation(plain: str) -> Notation:
    if ";" in plain:
        return SEMICOLONS
    return TABS if "\t" in plain and _COMMA_INSIDE.search(plain) else COMMAS


def _too_many(most: int) -> str:
    return f"More than the {counted(most, 'number')} allowed were given."


def _lists(typed: str, plain: str) -> Iterator[tuple[int, int]]:
    """The start and the end of what each innermost list holds.

    Raises:
        Refused: brackets that do not fit together, or lists of more than two levels.
    """
    outer = re.fullmatch(r"\s*\[(\s*\[.*)\]\s*", plain, re.DOTALL)
    start, end = outer.span(1) if outer else (0, len(plain))
    if not _LISTS.fullmatch(plain, start, end):
        if plain.count("[") != plain.count("]"):
            raise Refused(f"{quote(typed)} cannot be read: its brackets do not fit together.")
        if _DEEP.search(plain):
            raise Refused(
                f"{quote(typed)} is not a list of rows of numbers: it has three levels of "
                "brackets. Give what is in the outer ones."
            )
        raise Refused(f"{quote(typed)} is not a list of rows of numbers.")
    for one in re.finditer(r"\[([^\[\]]*)\]", plain[start:end]):
        yield start + one.start(1), start + one.end(1)


def _check_one_way(line: str) -> None:
    """Refuse a line such as `1,5 0,5`.

    Raises:
        Refused: quotes it and says what to write.
    """
    plain = plain_digits(line)
    if "," in plain and _TWO_WAYS.fullmatch(plain):
        points, blanks = (quote(plain.replace(",", sign)) for sign in ". ")
        raise Refused(
            f"{quote(line)} can be read in two ways: its commas may separate, or be decimal "
            f"commas. Write {blanks} or {points}."
        )


def _check_thousands(plain: str) -> None:
    """Refuse decimal commas that may all stand before thousands: `1,234` alone, not `0,234`.

    Raises:
        Refused: quotes the first and says what to write.
    """
    found = _THOUSANDS.search(plain)
    if found and "," not in _THOUSANDS.sub("", plain):
        whole, point = (quote(found.group().replace(",", sign)) for sign in ("", "."))
        raise Refused(
            f"{quote(found.group())} can be read in two ways: its comma may stand before "
            f"thousands, or be a decimal comma. Write {whole} or {point}."
        )


def _reason(line: str, notation: Notation) -> str:
    """Why a line, as it was typed, has no row of numbers."""
    if reason := notation.empty_place(line):
        return reason
    bad = next(word for word in notation.words(line) if not notation.is_number(word))
    if bad[:1] in ("'", '"'):
        return f"{quote(bad)} is in quotes, and so no number. Save the numbers without quotes."
    reason = f"{quote(bad)} is not a number."
    if notation.decimal:
        return f"{reason} A {notation.name} separates numbers here, and a comma is a decimal comma."
    return reason
