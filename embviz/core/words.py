"""A vocabulary of words: the most frequent words of a text, and `<unk>` for all others.

The words lie in `words.txt`, the most frequent first, counted once in docstrings of Python's
library. A text is split as scikit-learn's CountVectorizer splits: lower case, words of two letters
or more. Case, punctuation and spaces are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from embviz.core.vocabulary import UNK, Named, check_ids

WORDS = Path(__file__).with_name("words.txt")
# The pattern of CountVectorizer. Its import would add 100 MiB to a server's memory.
_WORD = re.compile(r"\b\w\w+\b")


@cache
def all_words() -> tuple[str, ...]:
    """The words of the file, the most frequent first."""
    return tuple(WORDS.read_text(encoding="utf-8").splitlines()[1:])


class Words:
    """The `most` most frequent words in id order, and `<unk>` after them."""

    unit = "word"
    unk = True
    loses = "case, punctuation, spaces and words of one letter"

    def __init__(self, most: int) -> None:
        """Keep that many words, or all there are."""
        self._words = all_words()[:most]
        self._ids = {word: place for place, word in enumerate(self._words)}
        self.characters = Named("words", len(self._words))

    def __len__(self) -> int:
        """Number of ids: the words and `<unk>`."""
        return len(self._words) + 1

    @property
    def unk_id(self) -> int:
        """Id of the `<unk>` row."""
        return len(self._words)

    def encode(self, text: str) -> list[int]:
        """One id per word of two letters or more."""
        return [self._ids.get(word, self.unk_id) for word in _WORD.findall(text.lower())]

    def decode(self, ids: Iterable[int]) -> str:
        """The words with a space between them; an unknown one becomes `<unk>`.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        return " ".join(map(self.label, check_ids(ids, len(self))))

    def label(self, token: int) -> str:
        """The word."""
        if token == self.unk_id:
            return UNK
        return self._words[token] if 0 <= token < len(self._words) else ""

    def symbol(self, token: int) -> str:
        """The word, or `<unk>`."""
        return self.label(token)

    def is_stand_in(self, token: int) -> bool:
        """Whether the label is no word: `<unk>`."""
        return token == self.unk_id

    def name(self, token: int) -> str:
        """An id's word in words: `word 'the'`."""
        if token == self.unk_id:
            return "any other word"
        return f"word {self.label(token)!r}" if self.label(token) else "a row that no word uses"


@lru_cache(maxsize=32)
def _words(most: int) -> Words:
    return Words(most)


def words(rows: int) -> Words:
    """The vocabulary that fills a table of `rows` rows: `rows` - 1 words and `<unk>`.

    >>> words(4).encode("The one, THE two")
    [0, 3, 0, 3]
    """
    return _words(min(rows - 1, len(all_words())))
