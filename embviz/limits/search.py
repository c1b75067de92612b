"""From what a reader types or pastes to the cases that speak of it.

An error text, also inside a whole traceback, leads to the cases that know it; anything else is
searched word by word, in any form of a word ("changes", "changing"). A case that has all the
words comes up; if none has, those that have most of what was asked, where a rare word asks for
more than a common one. Only the first 20,000 characters are read, and no pattern here can take more
than linear time on them.
"""

from __future__ import annotations

import math
import re
from functools import cache

from embviz.limits.case import Case
from embviz.limits.cases import CASES

MAX_CHARACTERS = 20_000
MAX_WORDS = 40  # of a search; more is a text, and no case holds all of its words
GOOD_SHARE = 0.4  # of the weight of the words asked for, and of their number
IN_TITLE, IN_WORDS, ELSEWHERE = 3, 2, 1  # what a word counts, by where a case has it
MAX_PARTIAL = 8  # cases, where none has all the words
_SMALL = frozenset(
    {
        "a",
        "about",
        "after",
        "all",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doesn't",
        "doing",
        "don't",
        "during",
        "for",
        "from",
        "get",
        "gets",
        "getting",
        "give",
        "gives",
        "had",
        "has",
        "have",
        "help",
        "here",
        "how",
        "i",
        "i'm",
        "if",
        "in",
        "into",
        "is",
        "isn't",
        "it",
        "it's",
        "its",
        "just",
        "make",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "please",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "too",
        "use",
        "using",
        "was",
        "we",
        "what",
        "when",
        "where",
        "which",
        "while",
        "why",
        "will",
        "with",
        "won't",
        "would",
        "you",
        "your",
    }
)
_AROUND = "\"'`“”‘’.,:;!?()[]{}<>…"
_ENDINGS = ("ing", "ed", "es", "s", "e")
_STEM = 4  # characters that must be left of a word without its ending
# Errors of Python itself that read like one of PyTorch's.
_NOT_OURS = re.compile(r"\b(?:list|string|tuple|pop|bytearray) (?:assignment )?index out of range")


def find(text: str) -> list[Case]:
    """The cases that a text leads to, the best first; all of them for an empty text.

    >>> [one.name for one in find("IndexError: index out of range in self")]
    ['out-of-range', 'negative', 'out-of-range-on-a-gpu']
    >>> [one.name for one in find("nothing of that kind")]
    []
    """
    flat = " ".join(text[:MAX_CHARACTERS].casefold().replace("’", "'").split())
    words = {word for part in flat.split() if (word := _bare(part))}
    words = (words - _SMALL) or words
    if not words:
        return list(CASES)
    if found := _by_error(flat):
        return found
    return [] if len(words) > MAX_WORDS or _NOT_OURS.search(flat) else _by_words(words)


def _by_error(text: str) -> list[Case]:
    """Cases whose error texts occur, the longest match first: it is the most specific."""
    lengths = {}
    for case in CASES:
        matches = [match for pattern in _patterns(case) if (match := pattern.search(text))]
        if matches:
            lengths[case.name] = max(len(match[0]) for match in matches)
    found = [case for case in CASES if case.name in lengths]
    return sorted(found, key=lambda case: -lengths[case.name])


def _by_words(words: set[str]) -> list[Case]:
    """Cases with all the words, or else with most of them; the best first."""
    stems = {_stem(word) for word in words}
    places = {case.name: {stem: _place(case, stem) for stem in stems} for case in CASES}
    having = {stem: sum(has[stem] > 0 for has in places.values()) for stem in stems}
    # A word that no case has is as rare as one that a single case has.
    rare = {stem: math.log((1 + len(CASES)) / max(1, having[stem])) for stem in stems}
    score = {name: sum(rare[stem] * has[stem] for stem in stems) for name, has in places.items()}
    best = sorted(CASES, key=lambda case: -score[case.name])
    found = [case for case in best if all(places[case.name].values())]
    if found or len(stems) < 3:
        return found
    share = {}
    for name, has in places.items():
        got = [stem for stem, place in has.items() if place]
        share[name] = sum(rare[stem] for stem in got) / sum(rare.values())
        share[name] *= len(got) / len(stems) >= GOOD_SHARE
    best = [case for case in best if share[case.name] >= GOOD_SHARE]
    return sorted(best, key=lambda case: -share[case.name])[:MAX_PARTIAL]


def _place(case: Case, stem: str) -> int:
    """What a word counts in a case, by where some word there begins so; 0 if none does."""
    counts = (IN_TITLE, IN_WORDS, ELSEWHERE)
    for count, vocabulary in zip(counts, _vocabulary(case), strict=True):
        if any(known.startswith(stem) for known in vocabulary):
            return count
    return 0


@cache
def _patterns(case: Case) -> list[re.Pattern[str]]:
    return [re.compile(pattern, re.IGNORECASE) for pattern in case.errors]


@cache
def _vocabulary(case: Case) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The words of the title, those given for the search, and those of all the rest."""
    labels = [known.label for known in case.inputs]
    rest = [case.claim, case.reason, case.fix_title, case.group, *case.sides, *labels]
    return _words(f"{case.title} {case.name}"), _words(" ".join(case.words)), _words(" ".join(rest))


def _words(text: str) -> frozenset[str]:
    """Each word as it stands and in its parts: `padding_idx`, `padding` and `idx`."""
    parts = text.casefold().split()
    whole = {word for part in parts if (word := _bare(part))}
    return frozenset(whole | set(re.findall(r"[^\W_]+", text.casefold())))


def _bare(word: str) -> str:
    return word.strip(_AROUND)


def _stem(word: str) -> str:
    """A word without its ending, where enough is left: "changing" and "change" are "chang"."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word
