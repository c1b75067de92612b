"""From a pasted error or traceback to the cases that list its message.

A case lists messages as PyTorch prints them. `…` is anything, and so is a line end: above it
stands code of the traceback, below it the message. Two equal numbers of a shape are `<n>`.

A message opens its case. What programs without these layers say as often, a case lists as general:
it is offered, and opens nothing. If the text has a message above it that opens this case, it opens:
the last of several lines often is about another layer, or what failed after the error.

The parts between those signs must stand in the text, in their order. Each is searched from where
the one before it ends, so a search takes time in proportion to the text.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import NamedTuple

from embviz.limits.case import Case, end_of
from embviz.limits.cases import CASES

_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛‹›′‵＇`´", "'") | dict.fromkeys("“”„‟«»″‶＂", '"'))
_BACKSLASH = re.compile(r"\\(?=['\"\\])")  # before a quote, as in a log or in JSON
_AMPERSAND = re.compile("&(?:amp;)+")  # of an entity that was escaped again
_SAME_NUMBER = re.compile(r"x( ?)(\d{1,9})\b([^x]{1,16}x ?)\2\b")  # as in `(2x3 and 4x3)`


class Rank(NamedTuple):
    """How well a message fits a text; a larger one fits better.

    Attributes:
        end: the place in the text at which it ends: a traceback ends with its error.
        opens: whether it opens its case; False if it is general.
        characters: how many characters it fixes.
    """

    end: int
    opens: bool
    characters: int


class Message(NamedTuple):
    """One message of one case: its parts, as `plain` writes them, and whether it opens the case."""

    case: Case
    parts: tuple[str, ...]
    opens: bool


def plain(text: str) -> str:
    r"""The text in lower case and on one line, with straight quotes and without HTML entities.

    >>> plain("‘Index&amp;#x27;  out\nof \\'range\\', (2x3 and 4x3)")
    "'index' out of 'range', (2x<n> and 4x<n>)"
    """
    straight = html.unescape(_AMPERSAND.sub("&", text)).casefold().translate(_QUOTES)
    flat = " ".join(_BACKSLASH.sub("", straight).split())
    return _SAME_NUMBER.sub(r"x\1<n>\3<n>", flat)


def cases_by_message(text: str) -> tuple[Case | None, list[Case]]:
    """The cases whose messages a plain text has.

    Returns:
        the one that fits best, or None if none does, several fit equally, or it has only a general
        message; and all, the best first.

    >>> found, fitting = cases_by_message("index out of range in self")
    >>> found.name, fitting[0].name, len(fitting) > 1
    ('out-of-range', 'out-of-range', True)
    """
    ranks = dict[str, Rank]()
    opening = dict[str, Rank]()  # Of the messages that open alone.
    for case, parts, opens in messages():
        if end := end_of(parts, text):
            rank = Rank(end, opens, sum(map(len, parts)))
            ranks[case.name] = max(rank, ranks.get(case.name, rank))
            if opens:
                opening[case.name] = max(rank, opening.get(case.name, rank))
    fitting = [case for case in CASES if case.name in ranks]
    fitting.sort(key=lambda case: ranks[case.name], reverse=True)
    best = _best(fitting, ranks)
    if best and not ranks[best[0].name].opens:
        above = _best([case for case in fitting if case.name in opening], opening)
        best = [case for case in above if ranks[case.name].end == ranks[fitting[0].name].end]
    return (best[0] if len(best) == 1 else None), fitting


def _best(cases: list[Case], ranks: dict[str, Rank]) -> list[Case]:
    """The cases of the largest rank: several, if they fit equally."""
    largest = max((ranks[case.name] for case in cases), default=None)
    return [case for case in cases if ranks[case.name] == largest]


@cache
def messages() -> list[Message]:
    """The messages of all cases, and what their programs raise: it opens as the message in it."""
    found = []
    for case in CASES:
        listed = [_parts(text) for text in case.messages]
        found += [Message(case, parts, opens=True) for parts in listed]
        found += [Message(case, _parts(text), opens=False) for text in case.general]
        for error in filter(None, case.raises):
            opens = any(end_of(parts, plain(error)) for parts in listed)
            found.append(Message(case, _parts(error.partition(": ")[2]), opens))
    return found


def _parts(message: str) -> tuple[str, ...]:
    parts = re.split(" *\n *|…", message)
    return tuple(plain(f"|{part}|")[1:-1] for part in parts if part)
