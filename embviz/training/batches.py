"""Which positions of a text each step trains on, where it takes a few random ones."""

from __future__ import annotations

from collections.abc import Iterator

import torch


def minibatches(count: int, size: int, seed: int) -> Iterator[torch.Tensor]:
    """The positions of one step after the other, without an end: int64 (size,), below `count`.

    They are drawn with replacement, so that steps leave rows out, and by a private generator: the
    same arguments give the same positions.
    """
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield torch.randint(count, (size,), generator=generator)
