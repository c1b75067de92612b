"""How the numbers of a tensor are distributed: moments and a histogram.

All numbers are counted. Nothing is drawn and nothing is compared: the distribution that an init
promises is in `inits`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

BINS = 60

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class Distribution:
    """Moments and histogram of a tensor.

    Attributes:
        mean, std: over all numbers (std with N in the denominator).
        low, high: smallest and largest number.
        edges: float64 of shape (BINS + 1,), the limits of the bins from low to high.
        density: float64 of shape (BINS,), the histogram with an area of 1.
    """

    mean: float
    std: float
    low: float
    high: float
    edges: Floats
    density: Floats


def measure(weight: torch.Tensor) -> Distribution:
    """Moments and histogram of a finite, non-empty tensor of any float dtype."""
    values = weight.detach().cpu().reshape(-1)
    values = values if values.dtype == torch.float64 else values.float()
    std, mean = torch.std_mean(values, correction=0)
    low, high = (float(end) for end in torch.aminmax(values))
    # The bins need a width, even if all numbers are equal.
    width = max(high - low, 1e-6 * max(abs(low), abs(high))) or 1e-6
    edges = np.linspace(low, max(low + width, high), BINS + 1)
    density, _ = np.histogram(values.numpy(), edges, density=True)
    return Distribution(float(mean), float(std), low, high, edges, density)
