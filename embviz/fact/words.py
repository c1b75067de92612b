"""The vocabulary `words`: 2,800 words, each with a row that a real model has learnt.

`words.txt` has the words in the order of their ids. `words.npy` has their rows in
all-MiniLM-L6-v2's own `nn.Embedding`, and last that of its `[UNK]`. `words.md` says where both are
from, and how the words were chosen. A vocabulary of words can be had without the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from embviz.fact.vocabulary import UNK, Listed
from embviz.text.wording import quote

if TYPE_CHECKING:
    import torch

WORDS = Path(__file__).with_name("words.txt")
ROWS = Path(__file__).with_name("words.npy")
SOURCE_MODEL = "all-MiniLM-L6-v2"
MOST_PARTS = 8  # Pieces of a word with blanks in it that are looked for in a text.
SIZES = 2_801, 384  # Rows, one for each word and one for `<unk>`, and numbers in each.
# A run of letters and digits, or any other character that is no blank.
TOKEN = r"[^\W_]+|\S"


class Words(Listed):
    """Symbols that are words, in id order.

    A text is cut at blanks and around punctuation: each run of letters and digits is a token, and
    so is each other character that is no blank. Capital letters count as small ones.

    >>> Words(["a", "cat"]).encode("a Cat"), Words(["a", "cat"]).encode("Cat!", unk_id=9)
    ([0, 1], [1, 9])
    """

    unit = "word"
    loses = "blanks and capital letters"

    def __init__(self, words: Iterable[str]) -> None:
        self.symbols = [*words]

    def tokens(self, text: str) -> list[str]:
        """The words and marks of a text, in small letters; blanks are none."""
        return re.findall(TOKEN, text.lower())

    def folded(self, text: str) -> bool:
        """Whether the text has capital letters, which count as small ones."""
        return text.lower() != text

    def decode(self, ids: Iterable[int]) -> str:
        """The words of the ids, with blanks between; an id without a word is `<unk>`."""
        return " ".join(self.symbol(token) or UNK for token in ids)

    def label(self, token: int, unk_id: int | None = None) -> str:
        """The word."""
        return UNK if token == unk_id else self.symbol(token)

    def name(self, token: int, unk_id: int | None = None) -> str:
        """The name of an id in words: `word 'cat'`."""
        word = "" if token == unk_id else self.symbol(token)
        return f"word {word!r}" if word else super().name(token, unk_id)

    def _said(self, symbol: str, text: str) -> str:
        return quote(symbol)


class OwnWords(Words):
    """The words in front of the user's own rows.

    A text is cut at blanks. The longest run of pieces that is a word of the table, or is one in
    small letters, is a token; any other piece is cut as `Words` does. Of equal words the first has
    the id.

    >>> OwnWords(["new york", "don't", "cat", "!"]).encode("New York DON'T Cat!")
    [0, 1, 2, 3]
    """

    loses = "blanks, and capital letters where the table has small ones"

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__(" ".join(word.split()) for word in words)
        parts = max((word.count(" ") + 1 for word in self.symbols), default=1)
        self._parts = min(parts, MOST_PARTS)

    def tokens(self, text: str) -> list[str]:
        """The words and marks of a text, as the table spells them."""
        found, pieces, start = list[str](), text.split(), 0
        while start < len(pieces):
            for end in range(min(start + self._parts, len(pieces)), start, -1):
                run = " ".join(pieces[start:end])
                if run in self._ids or run.lower() in self._ids:
                    parts = [run]
                    break
            else:
                parts, end = re.findall(TOKEN, pieces[start]), start + 1
            found += [part if part in self._ids else part.lower() for part in parts]
            start = end
        return found

    def has_letters(self) -> bool:
        """Whether any of the words has a letter: numbers alone are no words."""
        return any(map(re.compile(r"[^\W\d_]").search, self.symbols))

    def folded(self, text: str) -> bool:
        """Whether capital letters of the text count as small ones."""
        return "".join("".join(self.tokens(text)).split()) != "".join(text.split())


@cache
def words() -> Words:
    """The words of `words.txt`."""
    return Words(WORDS.read_text("utf-8").split())


def learnt(table: torch.Tensor) -> torch.Tensor:
    """Fill a float32 table of `SIZES` with the rows of `words.npy`, and return it."""
    import numpy as np
    import torch

    # Mapped, not read: PyTorch widens it in one pass, and it takes no memory of its own.
    return table.copy_(torch.from_numpy(np.load(ROWS, mmap_mode="c")))
