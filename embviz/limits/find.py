"""From what a reader types or pastes to the entries that speak of it.

An error text, also inside a whole traceback, leads to the entries that know it; anything else is
searched word by word. Only the first 20,000 characters are read, and no pattern here can take
more than linear time on them.
"""

from __future__ import annotations

import re
from functools import cache

from embviz.limits.catalogue import CATALOGUE
from embviz.limits.entry import Entry

MAX_CHARACTERS = 20_000
MAX_WORDS = 40  # of a search; more is a text, and no case holds all of its words
_SMALL = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has",
    "have", "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or", "that", "the",
    "this", "to", "was", "what", "when", "where", "which", "why", "with", "you",
})  # fmt: skip
_AROUND = "\"'`“”‘’.,:;!?()[]{}<>…"


def find(text: str) -> list[Entry]:
    """The entries that a text leads to, the best first; all of them for an empty text.

    >>> [one.name for one in find("IndexError: index out of range in self")]
    ['out-of-range', 'negative']
    >>> [one.name for one in find("nothing like that")]
    []
    """
    flat = " ".join(text[:MAX_CHARACTERS].casefold().split())
    words = {word for part in flat.split() if (word := _bare(part))}
    words = (words - _SMALL) or words
    if not words:
        return list(CATALOGUE)
    return _by_error(flat) or ([] if len(words) > MAX_WORDS else _by_words(words))


def _by_error(text: str) -> list[Entry]:
    """Entries whose error texts occur, the longest match first: it is the most specific."""
    lengths = {}
    for one in CATALOGUE:
        matches = [match for pattern in _patterns(one) if (match := pattern.search(text))]
        if matches:
            lengths[one.name] = max(len(match[0]) for match in matches)
    found = [one for one in CATALOGUE if one.name in lengths]
    return sorted(found, key=lambda one: -lengths[one.name])


def _by_words(words: set[str]) -> list[Entry]:
    """Entries in which every word begins some word; those with more of them in the title first."""
    found = []
    for one in CATALOGUE:
        title, everything = _vocabulary(one)
        if all(_begins(word, everything) for word in words):
            found.append((-sum(_begins(word, title) for word in words), one))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _begins(word: str, vocabulary: frozenset[str]) -> bool:
    return any(known.startswith(word) for known in vocabulary)


@cache
def _patterns(one: Entry) -> list[re.Pattern[str]]:
    return [re.compile(pattern, re.IGNORECASE) for pattern in one.errors]


@cache
def _vocabulary(one: Entry) -> tuple[frozenset[str], frozenset[str]]:
    """The words of the title, and those of everything."""
    title = _words(f"{one.title} {one.name}")
    rest = _words(" ".join([one.claim, one.reason, one.fix_title, one.group, *one.words]))
    return title, title | rest


def _words(text: str) -> frozenset[str]:
    """Each word as it stands and in its parts: `padding_idx`, `padding` and `idx`."""
    parts = text.casefold().split()
    whole = {word for part in parts if (word := _bare(part))}
    return frozenset(whole | set(re.findall(r"[^\W_]+|\w+", text.casefold())))


def _bare(word: str) -> str:
    return word.strip(_AROUND)
