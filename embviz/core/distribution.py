"""How the numbers of a tensor are distributed: moments and a histogram.

All numbers are counted, in slices of bounded size. Nothing is drawn and nothing is compared:
the distribution that an init promises is in `inits`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

BINS = 60
SLICE = 2**22  # numbers converted to float64 at once: 32 MiB

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class Distribution:
    """Moments and histogram of a tensor.

    Attributes:
        mean, std: over all numbers, in float64 (std with N in the denominator).
        low, high: smallest and largest number.
        edges: float64 of shape (BINS + 1,), the limits of the bins from low to high.
        counts: int64 of shape (BINS,), the numbers in each bin.
    """

    mean: float
    std: float
    low: float
    high: float
    edges: Floats
    counts: np.ndarray[tuple[int], np.dtype[np.int64]]

    @property
    def density(self) -> Floats:
        """The histogram as a density, with an area of 1."""
        return np.asarray(self.counts / (self.counts.sum() * np.diff(self.edges)))


def measure(weight: torch.Tensor) -> Distribution:
    """Moments and histogram of a finite, non-empty tensor of any float dtype."""
    flat = weight.detach().reshape(-1).cpu()
    low, high = (float(value) for value in torch.aminmax(flat))
    # The bins need a width, even if all numbers are equal.
    width = max(high - low, 1e-6 * max(abs(low), abs(high))) or 1e-6
    edges = np.linspace(low, low + width, BINS + 1)
    edges[-1] = max(edges[-1], high)  # low + width may have been rounded down
    counts = np.zeros(BINS, dtype=np.int64)
    total = squares = 0.0
    for start in range(0, len(flat), SLICE):
        part = flat[start : start + SLICE].double().numpy()
        counts += np.histogram(part, edges)[0]
        total += float(part.sum())
    mean = total / len(flat)
    for start in range(0, len(flat), SLICE):
        part = flat[start : start + SLICE].double().numpy()
        squares += float(((part - mean) ** 2).sum())
    return Distribution(mean, math.sqrt(squares / len(flat)), low, high, edges, counts)
