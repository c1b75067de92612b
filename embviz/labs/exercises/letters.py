"""A table with a row for each of some letters, and a text of these letters: for two labs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.vocabulary import Vocabulary
from embviz.labs.formatting import grid
from embviz.labs.record import integer, sample

# Without vowels no words appear by chance; l looks like the digit 1.
LETTERS = "bcdfghjkmnpqrstvwxz"


@dataclass(frozen=True, eq=False)
class LetterTable:
    """The values that both labs have.

    Attributes:
        chars: the vocabulary, V sorted letters.
        text: some of them, one of them twice.
        seed: of the table.
        table: float32 (V, D), whole numbers.
    """

    chars: str
    text: str
    seed: int
    table: torch.Tensor

    @property
    def ids(self) -> torch.Tensor:
        """The text as ids, int64 (N,)."""
        return torch.tensor(Vocabulary(self.chars).encode(self.text))

    @property
    def config(self) -> Config:
        """The model settings that give this table."""
        return _config(self.chars, self.table.shape[1], self.seed)

    @property
    def shown(self) -> str:
        """The table, a line for each letter, without its ids."""
        return grid(self.table, self.chars)

    def id_of(self, letter: str) -> int:
        """The place of a letter in the vocabulary, counted from 0."""
        return self.chars.index(letter)

    def row_of(self, letter: str) -> torch.Tensor:
        """A letter's row of the table, (D,)."""
        return self.table[self.id_of(letter)]

    @property
    def settings(self) -> dict[str, Any]:
        """The URL parameters that give this table and text on a page."""
        return {
            "input": "text",
            "text": self.text,
            "vocab": "custom",
            "chars": self.chars,
            "rows": len(self.chars),
            "dim": self.table.shape[1],
            "seed": self.seed,
            "init": "integers",
            "dtype": "float32",
            "unknown": "error",
            "escapes": False,
        }


def letter_table(
    generator: torch.Generator, seed: int, rows: int, length: int, dim: int
) -> tuple[str, str, int, torch.Tensor]:
    """The fields of a random LetterTable; the text's first letter stands in it twice."""
    chars = "".join(sorted(LETTERS[place] for place in sample(generator, rows, len(LETTERS))))
    text = [chars[place] for place in sample(generator, length - 1, rows)]
    text.insert(1 + integer(generator, length - 1), text[0])
    table = tie(_config(chars, dim, seed)).embedding.weight.detach()
    return chars, "".join(text), seed, table


def _config(chars: str, dim: int, seed: int) -> Config:
    return Config(chars, len(chars), dim, seed, "integers")
