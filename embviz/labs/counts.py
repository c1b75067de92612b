"""The numbers of the lab "A bag of words": a sentence, its counts, and a weight.

All numbers are whole. At least one word comes more than once, so that forgotten counts give
another result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from embviz.labs.drawing import short

OUTPUTS = 2
WORDS = ["bird", "cat", "cow", "dog", "fish", "fox", "frog", "hen", "owl", "pig"]
COLUMNS = 5
STORED = 3  # different words in the sentence


@dataclass(frozen=True)
class Bag:
    """The numbers of the lab.

    Attributes:
        words: 5, sorted; word k is column k.
        sentence: 4 to 7 of them, three different ones.
        weight: `Linear.weight`, float32 (2, 5), whole numbers without 0.
        seed: of the last step's numbers.
    """

    words: tuple[str, ...]
    sentence: tuple[str, ...]
    weight: torch.Tensor
    seed: int

    @cached_property
    def counts(self) -> torch.Tensor:
        """How often each word comes, float32 (5,)."""
        return torch.tensor([float(self.sentence.count(word)) for word in self.words])

    @property
    def indices(self) -> torch.Tensor:
        """The columns with a count, int64 (3,), as a sparse row stores them."""
        return self.counts.nonzero().flatten()

    @property
    def data(self) -> torch.Tensor:
        """The counts of these columns, float32 (3,), as a sparse row stores them."""
        return self.counts[self.indices]

    @property
    def rows(self) -> torch.Tensor:
        """The rows of the words in the sentence, each once: `embedding(indices)`, (3, 2)."""
        return F.embedding(self.indices, self.weight.T)

    @property
    def weighted(self) -> torch.Tensor:
        """These rows, each times its count, (3, 2)."""
        return self.rows * self.data[:, None]

    @property
    def product(self) -> torch.Tensor:
        """The output of the Linear layer for the counts, (2,)."""
        return F.linear(self.counts, self.weight)

    @property
    def text(self) -> str:
        """The sentence as a prompt shows it."""
        return f"`{' '.join(self.sentence)}`"

    def page(self) -> tuple[str, Mapping[str, Any]]:
        """The settings of *Bag of words* that show this sentence and this weight."""
        lines = [" ".join(map(short, line)) for line in self.weight.tolist()]
        return "bag_of_words", {
            "bag": "matrix",
            "x": " ".join(map(short, self.counts.tolist())),
            "row": 0,
            "linear": "\n".join(lines),
            "outputs": OUTPUTS,
            "bag_dtype": "float32",
            "forget": False,
        }

    def times(self, data: torch.Tensor) -> list[str]:
        """The words of the sentence, each once, with a count."""
        named = zip(data, self.indices, strict=True)
        return [f"{count:.0f} × {self.words[place]}" for count, place in named]


def draw(random: np.random.Generator) -> Bag:
    """A random sentence and a random weight."""
    words = sorted(random.permutation(WORDS)[:COLUMNS].tolist())
    kept = random.permutation(words)[:STORED].tolist()
    sentence = [word for word in kept for _ in range(random.integers(1, 3))] + kept[:1]
    weight = random.integers(1, 7, (OUTPUTS, COLUMNS)) * random.choice([-1, 1, 1], COLUMNS)
    order = tuple(random.permutation(sentence).tolist())
    seed = int(random.integers(2**32))
    return Bag(tuple(words), order, torch.from_numpy(weight).float(), seed)
