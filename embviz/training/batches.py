"""Which positions of the text each step trains on: all, a few random ones, or a schedule.

The iterators are endless. Each draws from a private generator: the same arguments give the same
positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

# Takes the number of positions M; yields the positions of each step, int64 (B,).
Batches = Callable[[int], Iterator[torch.Tensor]]


def whole_text() -> Batches:
    """Every position in every step."""

    def run(count: int) -> Iterator[torch.Tensor]:
        everything = torch.arange(count)
        while True:
            yield everything

    return run


def minibatches(size: int, seed: int) -> Batches:
    """`size` positions a step, from 1, drawn with replacement, so that steps leave rows out."""

    def run(count: int) -> Iterator[torch.Tensor]:
        generator = torch.Generator().manual_seed(seed ^ 0x42617463)  # "Batc"
        while True:
            yield torch.randint(count, (size,), generator=generator)

    return run


def until(step: int, places: torch.Tensor) -> Batches:
    """Every position in the first `step` steps, then those where `places`, bool (M,), is True."""

    def run(count: int) -> Iterator[torch.Tensor]:
        everything, kept = torch.arange(count), places.nonzero().flatten()
        for _ in range(step):
            yield everything
        while True:
            yield kept

    return run
