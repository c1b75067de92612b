"""Which positions of the text each step trains on: all, or a few random ones.

Each takes the number of positions and gives the positions of one step after the other, without an
end. Random ones come from a private generator: the same arguments give the same positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat

import torch

# Takes the number of positions M; yields the positions of each step, int64 (B,).
Batches = Callable[[int], Iterator[torch.Tensor]]


def whole_text(count: int) -> Iterator[torch.Tensor]:
    """Every position in every step."""
    return repeat(torch.arange(count))


def minibatches(size: int, seed: int) -> Batches:
    """`size` positions a step, from 1, drawn with replacement, so that steps leave rows out."""

    def run(count: int) -> Iterator[torch.Tensor]:
        generator = torch.Generator().manual_seed(seed)
        while True:
            yield torch.randint(count, (size,), generator=generator)

    return run
