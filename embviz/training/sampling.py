"""Answers of a next-character model: the most likely characters, and text drawn by temperature.

Text is drawn with a private generator, one uniform number for each character. This module knows no
model and trains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

from embviz.core.config import ConfigError

MAX_SAMPLE = 1_000  # characters


def most_likely(logits: torch.Tensor, k: int) -> list[tuple[int, float]]:
    """The k most likely ids with their probabilities, most likely first, equal ones by id.

    Args:
        logits: float64 (V,).
        k: how many; all V if there are fewer.

    >>> most_likely(torch.tensor([0.0, 0.0]).double(), 1)
    [(0, 0.5)]
    """
    probabilities = torch.softmax(logits, dim=0)
    best = torch.sort(probabilities, descending=True, stable=True).indices[: max(0, k)]
    return [(int(i), float(probabilities[i])) for i in best]


def sample(
    next_logits: Callable[[Sequence[int]], torch.Tensor],
    prefix: Sequence[int],
    length: int,
    seed: int,
    temperature: float,
) -> list[int]:
    """`length` ids, each drawn from what follows those before it; the prefix is not among them.

    Args:
        next_logits: gives the logits (V,), float64, of what follows some ids.
        prefix: ids to continue.
        length: 0 to 1,000.
        seed: of the private generator; the same seed writes the same text.
        temperature: logits are divided by it; 0 always takes the most likely id.

    Raises:
        ConfigError: a length or temperature out of range.
    """
    if not 0 <= length <= MAX_SAMPLE:
        raise ConfigError(f"A sample of {length:,} is not 0 to {MAX_SAMPLE:,} long.")
    if not (math.isfinite(temperature) and temperature >= 0):
        raise ConfigError(f"A temperature of {temperature:g} is not a finite number from 0.")
    generator = torch.Generator().manual_seed(seed)
    written = list(prefix)
    for number in torch.rand(length, generator=generator, dtype=torch.float64):
        logits = next_logits(written)
        if temperature == 0:
            written.append(int(logits.argmax()))
            continue
        # The largest logit is subtracted first, so that a tiny temperature gives 0 and no inf.
        sums = torch.softmax((logits - logits.max()) / temperature, dim=0).cumsum(dim=0)
        place = torch.searchsorted(sums, number * sums[-1], right=True)
        written.append(int(place.clamp(max=len(sums) - 1)))
    return written[len(prefix) :]
