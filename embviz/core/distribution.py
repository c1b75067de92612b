"""How weights are spread, beside the density that their start promises.

Counts and moments are taken from the tensor; the promise comes from the start's
definition alone, so the two can be told apart. Whole tables are counted, in
slices of bounded size. It draws nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from embviz.core.config import Config

BINS = 60
SLICE = 2**22  # numbers converted to float64 at once: 32 MiB

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class Distribution:
    """What is in a tensor.

    Attributes:
        mean, std: over all numbers, in float64 (std with N in the denominator).
        low, high: the smallest and the largest number.
        edges: float64 of shape (BINS + 1,), the bins' borders from low to high.
        counts: int64 of shape (BINS,), how many numbers each bin holds.
    """

    mean: float
    std: float
    low: float
    high: float
    edges: Floats
    counts: np.ndarray[tuple[int], np.dtype[np.int64]]

    @property
    def density(self) -> Floats:
        """Counts as a density: the area under it is 1."""
        return np.asarray(self.counts / (self.counts.sum() * np.diff(self.edges)))


def measure(weight: torch.Tensor) -> Distribution:
    """Moments and histogram of a finite tensor of any float dtype and at least one number."""
    flat = weight.detach().reshape(-1).cpu()
    low, high = (float(value) for value in torch.aminmax(flat))
    # A table of one number, or of next to one, still has bins of some width.
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


@dataclass(frozen=True)
class Promise:
    """What a start promises: its name, bounds, moments and density.

    Attributes:
        name: as a formula.
        mean, std: of the density.
        bound: a, where the start is U(-a, a); None otherwise.
    """

    name: str
    mean: float
    std: float
    bound: float | None = None

    def density(self, x: Floats) -> Floats:
        """The density at the points x."""
        if self.bound is not None:
            return np.where(np.abs(x) <= self.bound, 1 / (2 * self.bound), 0.0)
        if self.name == "U(0, 1)":
            return np.where((x >= 0) & (x <= 1), 1.0, 0.0)
        scaled = (x - self.mean) / self.std
        return np.asarray(np.exp(-(scaled**2) / 2) / (self.std * math.sqrt(2 * math.pi)))


def promise(config: Config) -> Promise | None:
    """The density that `config.init` promises; None for numbers of the user's own.

    Sources: torch.nn.init for the bounds; `integers` is uniform on 0 to 9, so it
    has moments but, being whole numbers, no density (use `mean` and `std`).
    """
    rows, dim = config.num_embeddings, config.embedding_dim
    if config.init == "normal":
        return Promise("N(0, 1)", 0.0, 1.0)
    if config.init == "uniform":
        return Promise("U(0, 1)", 0.5, 1 / math.sqrt(12))
    if config.init == "xavier_uniform":
        return _symmetric(math.sqrt(6 / (rows + dim)))
    if config.init == "kaiming_uniform":
        return linear_promise(rows)
    if config.init == "integers":
        return Promise("whole numbers 0 to 9", 4.5, math.sqrt(8.25))
    return None


def linear_promise(rows: int) -> Promise:
    """nn.Linear(V, D)'s own start: U(-a, a) with a = 1 / sqrt(V)."""
    return _symmetric(1 / math.sqrt(rows))


def _symmetric(bound: float) -> Promise:
    return Promise(f"U(-{bound:.3g}, {bound:.3g})", 0.0, bound / math.sqrt(3), bound)
