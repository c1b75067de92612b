"""From what a reader types or pastes to the cases about it.

An error text, also inside a whole traceback, leads to the cases whose error texts it contains.
Other text is searched by words: the beginning of each must begin a word of the case. Cases that
have all the words are found, or else those that have more than half. Only the last 20,000
characters are read: a traceback ends with its error.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from embviz.limits.case import Case, matched
from embviz.limits.cases import CASES, group_of

MAX_CHARACTERS = 20_000
MAX_WORDS = 40  # a longer search is a text, and no case has all of its words
MAX_PARTIAL = 8  # cases, where none has all the words
# Errors of Python itself that read like one of PyTorch's.
_NOT_OURS = re.compile(r"\b(?:list|string|tuple|pop|bytearray) (?:assignment )?index out of range")


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


# Too common to search for; `isn` and `t` are the parts of "isn't".
_COMMON = frozenset(
    _words(
        "a about after all am an and any are as at be been but by can could did do does doesn "
        "doing don during for from get gets getting give gives had has have help here how i if in "
        "into is isn it its just m make me my no not of on or please s should so some such t than "
        "that the their them then there these they this to too use using was we what when where "
        "which while why will with won would you your"
    )
)


def find(text: str) -> list[Case]:
    """The cases that a text leads to, the best first; none for a text without words.

    >>> find("IndexError: index out of range in self")[0].name
    'out-of-range'
    >>> find("nothing of that kind")
    []
    """
    flat = " ".join(text[-MAX_CHARACTERS:].casefold().replace("’", "'").split())
    words = set(_words(flat))
    words = (words - _COMMON) or words
    # The longest match is the most specific; of equal ones the first case.
    index = _index()
    lengths = {
        case.name: max((matched(error, flat) for error in index[case.name].errors), default=0)
        for case in CASES
    }
    if found := [case for case in CASES if lengths[case.name]]:
        return sorted(found, key=lambda case: -lengths[case.name])
    if not words or len(words) > MAX_WORDS or _NOT_OURS.search(flat):
        return []
    return _by_words(words)


def _by_words(words: set[str]) -> list[Case]:
    """Cases with all the words, or else with more than half; most words in the title first."""
    # Without its last letters, "changes" finds "changing" too.
    beginnings = {f" {word[: max(4, len(word) - 3)]}" for word in words}

    def count(words: str) -> int:
        return sum(beginning in words for beginning in beginnings)

    ranks = {}
    for case in CASES:
        of_case = _index()[case.name]
        ranks[case.name] = count(of_case.every), 2 * count(of_case.title) + count(of_case.keywords)
    best = sorted(CASES, key=lambda case: ranks[case.name], reverse=True)
    complete = [case for case in best if ranks[case.name][0] == len(beginnings)]
    if complete or len(beginnings) < 3:
        return complete
    return [case for case in best if 2 * ranks[case.name][0] > len(beginnings)][:MAX_PARTIAL]


class Searched(NamedTuple):
    """The texts of a case that are searched, in lower case.

    Attributes:
        errors: its error texts.
        title: the words of its title and name, each after a blank.
        keywords: those of `Case.words`.
        every: all its words.
    """

    errors: list[str]
    title: str
    keywords: str
    every: str


@cache
def _index() -> dict[str, Searched]:
    """The texts of each case that are searched, by its name."""
    found = {}
    for case in CASES:
        errors = [one.partition(": ")[2] for one in case.raises if one] + [*case.messages]
        title = f"{case.title} {case.name}"
        rest = [case.claim, case.why, case.fix, group_of(case), *case.sides]
        found[case.name] = Searched(
            [one.casefold() for one in errors],
            _searched(title),
            _searched(case.words),
            _searched(" ".join([title, case.words, *rest])),
        )
    return found


def _searched(text: str) -> str:
    return " ".join(["", *_words(text.casefold())])
