"""From a pasted error or traceback to the cases that list its message.

A case lists messages as PyTorch prints them, with these signs in place of what is free:

- `…` is anything, up to 200 characters: numbers, names, devices;
- `<n>` is a number, the same one wherever it stands in the message;
- a line end is up to 4,000 characters: above it code of the traceback, below it the message.

The message that ends last counts, as a traceback ends with its error. Of several in one line the
one that fixes most characters does.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from typing import NamedTuple

from embviz.limits.case import Case
from embviz.limits.cases import CASES

# The begin of a line that names an error.
ERROR = re.compile(r"(?=\b[\w.]*(?:error|exception|warning): )", re.IGNORECASE)


class Message(NamedTuple):
    """One message of one case.

    Attributes:
        case: the case that lists it.
        parts: what is fixed of it, in lower case.
        pattern: the same with what is free between.
        listed: whether the case lists it; False if its program only raises it.
    """

    case: Case
    parts: list[str]
    pattern: re.Pattern[str]
    listed: bool


class Rank(NamedTuple):
    """How well a message fits a text; a larger one fits better.

    Attributes:
        line: in which line of the text it ends.
        characters: how many characters it fixes.
        listed: as in `Message`.
    """

    line: int
    characters: int
    listed: bool


def cases_by_message(text: str) -> list[list[Case]]:
    """The cases whose messages a text has, the best first; those that fit equally are together.

    >>> [[case.name for case in some] for some in cases_by_message("index out of range in self")]
    [['out-of-range'], ['rows-from-max', 'positions-beyond-the-table']]
    """
    lines = lines_of(text)
    flat = " ".join(lines)
    ranks: dict[str, Rank] = {}
    for message in messages():
        if not all(part in flat for part in message.parts):
            continue
        characters = sum(len(part) for part in message.parts)
        for found in message.pattern.finditer(flat):
            rank = Rank(_line(lines, found.end()), characters, message.listed)
            ranks[message.case.name] = max(rank, ranks.get(message.case.name, rank))
    fitting = [case for case in CASES if case.name in ranks]
    fitting.sort(key=lambda case: ranks[case.name], reverse=True)
    return [list(some) for _, some in groupby(fitting, key=lambda case: ranks[case.name])]


def lines_of(text: str) -> list[str]:
    """The lines of a text, without those that are empty; an error begins a line.

    A field of one line makes blanks of line ends.

    >>> lines_of("File x.py  line 3 KeyError: 'a' During handling IndexError: 7")
    ['File x.py line 3', "KeyError: 'a' During handling", 'IndexError: 7']
    """
    found = []
    for line in text.splitlines():
        for part in ERROR.split(line):
            found.append(" ".join(part.split()))
    return [line for line in found if line]


def _line(lines: list[str], end: int) -> int:
    """The number of the line in which a place of all lines, joined by blanks, lies."""
    for number, line in enumerate(lines):
        end -= len(line) + 1
        if end < 0:
            return number
    return len(lines)


@cache
def messages() -> list[Message]:
    """The messages of all cases, those that their programs raise included."""
    found = []
    for case in CASES:
        raised = [error.partition(": ")[2] for error in case.raises if error]
        for text in raised:
            found.append(_message(case, text, listed=False))
        for text in case.messages:
            found.append(_message(case, text, listed=True))
    return found


def _message(case: Case, text: str, listed: bool) -> Message:
    text = text.casefold()
    pattern = re.escape(text).replace("…", ".{0,200}?").replace("\\\n", ".{0,4000}?")
    pattern = pattern.replace("<n>", r"(\d+)", 1).replace("<n>", r"\1\b")
    parts = [part for part in re.split("…|\n|<n>", text) if part]
    return Message(case, parts, re.compile(pattern), listed)
