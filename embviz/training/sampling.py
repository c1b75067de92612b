"""What a table of logits says: the most likely next characters, and text written by it.

Row i of the table holds the logits of what follows id i. Text is drawn with a
private generator, one uniform number a character. It knows of no model or training.
"""

from __future__ import annotations

import math

import torch

from embviz.core.config import ConfigError

MAX_SAMPLE = 10_000  # characters


def next_characters(logits: torch.Tensor, token: int, k: int) -> list[tuple[int, float]]:
    """The k most likely ids after `token`, most likely first, equal ones by id.

    Args:
        logits: float64 of shape (V, V).
        token: 0 to V - 1.
        k: how many; all V if there are fewer.

    Raises:
        IndexError: a token that has no row.

    >>> next_characters(torch.tensor([[0.0, 0.0], [9.0, 0.0]]).double(), 0, 1)
    [(0, 0.5)]
    """
    chances = torch.softmax(logits[_checked(logits, token)], dim=0)
    best = torch.sort(chances, descending=True, stable=True).indices[: max(0, k)]
    return [(int(i), float(chances[i])) for i in best]


def sample(
    logits: torch.Tensor, length: int, seed: int, temperature: float, start: int
) -> list[int]:
    """`length` ids, each drawn from what follows the one before; `start` is not among them.

    Args:
        logits: float64 of shape (V, V).
        length: 0 to 10,000.
        seed: of a private generator; the same seed writes the same text.
        temperature: logits are divided by it; 0 always takes the most likely.
        start: the id that the first one follows.

    Raises:
        ConfigError: a length or temperature that cannot be.
        IndexError: a start that has no row.
    """
    if not 0 <= length <= MAX_SAMPLE:
        raise ConfigError("length", f"A sample of {length:,} is not 0 to {MAX_SAMPLE:,} long.")
    if not (math.isfinite(temperature) and temperature >= 0):
        raise ConfigError("temperature", f"A temperature of {temperature:g} is no number from 0.")
    token = _checked(logits, start)
    if temperature == 0:
        best, written = logits.argmax(dim=1).tolist(), []
        for _ in range(length):
            token = best[token]
            written.append(token)
        return written
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.rand(length, generator=generator, dtype=torch.float64)
    # Largest first taken off, so that a tiny temperature gives 0s and no inf.
    scaled = (logits - logits.amax(dim=1, keepdim=True)) / temperature
    cumulative = torch.softmax(scaled, dim=1).cumsum(dim=1)
    written = []
    for number in drawn:
        row = cumulative[token]
        token = int(torch.searchsorted(row, number * row[-1], right=True).clamp(max=len(row) - 1))
        written.append(token)
    return written


def _checked(logits: torch.Tensor, token: int) -> int:
    if not 0 <= token < len(logits):
        raise IndexError(f"Id {token} has no row; rows are 0 to {len(logits) - 1}.")
    return token
