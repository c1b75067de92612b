"""From what a reader types or pastes to the cases about it.

An error text, also inside a whole traceback, leads to the cases whose error texts it contains.
Other text is searched by words: the beginning of each must begin a word of the case. Cases that
have all the words are found, or else those that have more than half. Only the last 20,000
characters are read: a traceback ends with its error.
"""

from __future__ import annotations

import re
from functools import cache

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
    lengths = {
        case.name: max((matched(error, flat) for error in _index()[case.name][0]), default=0)
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
    ranks = {}
    for case in CASES:
        title, keywords, rest = (
            sum(beginning in part for beginning in beginnings) for part in _index()[case.name][1:]
        )
        ranks[case.name] = (rest, 2 * title + keywords)
    best = sorted(CASES, key=lambda case: ranks[case.name], reverse=True)
    complete = [case for case in best if ranks[case.name][0] == len(beginnings)]
    if complete or len(beginnings) < 3:
        return complete
    return [case for case in best if 2 * ranks[case.name][0] > len(beginnings)][:MAX_PARTIAL]


@cache
def _index() -> dict[str, tuple[list[str], str, str, str]]:
    """By name: the error texts, then the words of the title, those of the search, and all."""
    found = {}
    for case in CASES:
        errors = [one.partition(": ")[2] for one in case.raises if one] + [*case.errors]
        title = f"{case.title} {case.name}"
        rest = [case.claim, case.why, case.fix, group_of(case), *case.sides]
        texts = title, case.words, " ".join([title, case.words, *rest])
        first, keywords, everything = (" ".join(["", *_words(one.casefold())]) for one in texts)
        found[case.name] = [one.casefold() for one in errors], first, keywords, everything
    return found
