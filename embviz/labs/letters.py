"""A table with a row for each of some letters, and a text of these letters: for two labs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from embviz.fact.layers import TiedLayers, tie
from embviz.fact.table import Table
from embviz.labs.drawing import Grid, blank, cells_of, filled

# Without vowels no words appear by chance; l looks like the digit 1.
LETTERS = [*"bcdfghjkmnpqrstvwxz"]


@dataclass(frozen=True)
class Letters:
    """The numbers of a lab.

    Attributes:
        chars: the vocabulary, V sorted letters.
        text: some of them; the first stands in it more than once, each other one once.
        dim: columns of the table.
        seed: of the table.
    """

    chars: str
    text: str
    dim: int
    seed: int

    @cached_property
    def layers(self) -> TiedLayers:
        """Both layers, with the table that the playground draws from the same settings."""
        return tie(Table(len(self.chars), self.dim, self.seed, "integers"))

    @property
    def table(self) -> torch.Tensor:
        """The table, float32 (V, D): whole numbers."""
        return self.layers.embedding.weight.detach()

    @cached_property
    def ids(self) -> torch.Tensor:
        """The text as ids, int64 (N,)."""
        return torch.tensor([self.chars.index(letter) for letter in self.text])

    @property
    def first_id(self) -> int:
        """The id of the text's first letter."""
        return int(self.ids[0])

    @property
    def other(self) -> str:
        """The first letter that stands in the text once."""
        return next(letter for letter in self.text if self.text.count(letter) == 1)

    @property
    def one_hot(self) -> torch.Tensor:
        """The text as one-hot rows, float32 (N, V)."""
        return F.one_hot(self.ids, len(self.chars)).float()

    def playground(self) -> tuple[str, Mapping[str, Any]]:
        """The playground's settings that show this table and this text."""
        return "playground", {
            "input": "text",
            "text": self.text,
            "vocab": "custom",
            "chars": self.chars,
            "rows": len(self.chars),
            "dim": self.dim,
            "seed": self.seed,
            "init": "integers",
            "dtype": "float32",
            "world": "characters",
            "token": 0,
            "column": 0,
            "panel": "none",  # with one open the page would begin below the table
        }

    def grid(self, *marked: int) -> Grid:
        """The picture of the table by ids, with these rows marked.

        No letter stands beside its row: other questions ask for the row of a letter.
        """
        labels = [f"id {place}" for place in range(len(self.chars))]
        return Grid("table", filled(self.table), labels, marked=cells_of(marked, self.dim))

    def blank(self, *marked: int) -> Grid:
        """The picture of the table without its numbers, by letters, with these rows marked."""
        cells = blank(len(self.chars), self.dim)
        return Grid("table", cells, self.chars, marked=cells_of(marked, self.dim))


def draw(random: np.random.Generator, rows: int, length: int, dim: int, times: int = 2) -> Letters:
    """Random letters, and a table of different rows without a 0.

    A 0 in the table would be a multiplication by zero too, and would have no gradient.

    Args:
        random: draws all of it.
        rows: of the table, V.
        length: of the text.
        dim: columns of the table, D.
        times: how often the text's first letter comes.
    """
    chars = sorted(random.permutation(LETTERS)[:rows].tolist())
    text = random.permutation(chars)[: length - times + 1].tolist()
    for _ in range(times - 1):
        text.insert(int(random.integers(1, len(text) + 1)), text[0])
    while True:
        made = Letters("".join(chars), "".join(text), dim, int(random.integers(2**32)))
        if made.table.all() and len({*map(tuple, made.table.tolist())}) == rows:
            return made
