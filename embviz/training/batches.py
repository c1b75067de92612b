"""Which places of the text each step trains on: all of them, a few drawn ones, or a schedule.

Endless, and the same for the same arguments: each run draws from a generator of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

# From the number of places M, the places of each step in turn, int64 (B,).
Batches = Callable[[int], Iterator[torch.Tensor]]


def whole_text() -> Batches:
    """Every place in every step."""

    def run(count: int) -> Iterator[torch.Tensor]:
        everything = torch.arange(count)
        while True:
            yield everything

    return run


def minibatches(size: int, seed: int) -> Batches:
    """A few places a step, drawn with replacement, so that steps leave rows out.

    Raises:
        ValueError: the size is below 1.
    """
    if size < 1:
        raise ValueError(f"A batch of {size} is too small; the smallest is 1.")

    def run(count: int) -> Iterator[torch.Tensor]:
        generator = torch.Generator().manual_seed(seed ^ 0x42617463)  # "Batc"
        while True:
            yield torch.randint(count, (size,), generator=generator)

    return run


def until(step: int, places: torch.Tensor) -> Batches:
    """Every place in the first `step` steps, then only those where `places` (M,) bool is True."""

    def run(count: int) -> Iterator[torch.Tensor]:
        everything, kept = torch.arange(count), places.nonzero().flatten()
        for _ in range(step):
            yield everything
        while True:
            yield kept

    return run
