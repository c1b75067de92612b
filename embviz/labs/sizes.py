"""The numbers of the lab "What does it cost?": the sizes of a table, and of what is looked up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from embviz.fact.cost import Cost

FLOAT = torch.float32.itemsize


@dataclass(frozen=True)
class Sizes:
    """The numbers of the lab: V rows and D columns of the table, and N ids to look up."""

    num_embeddings: int
    embedding_dim: int
    tokens: int

    def page(self) -> tuple[str, Mapping[str, Any]]:
        """The settings of *Timing* that measure both routes at these sizes."""
        return "timing", {
            "my_model": False,
            "vary": "vocab",
            "values": f"{self.num_embeddings} {2 * self.num_embeddings}",
            "mode": "forward",
            "methods": ["lookup", "matmul"],
            "devices": ["cpu"],
            "time_dim": self.embedding_dim,
            "time_tokens": self.tokens,
            "time_dtype": "float32",
        }

    def at(self, rows: int) -> Cost:
        """The cost with this many rows."""
        return Cost(self.tokens, rows, self.embedding_dim, FLOAT)


def draw(random: np.random.Generator) -> Sizes:
    """Random sizes, such that all answers are whole numbers."""
    rows, columns, tokens = (int(random.integers(*ends)) for ends in ((10, 61), (8, 33), (30, 121)))
    return Sizes(200 * rows, 4 * columns, 2 * tokens)
