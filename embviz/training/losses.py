"""Two losses of looked-up rows: the distance to a target, and the next id.

A loss is a module: it takes the rows (M, D) that a route gives, and returns one number. Each route
of a training has a copy of its own, because the loss of the next id learns too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn import functional as F

from embviz.text.refused import Refused

SIZE = 2.0  # largest number of a pattern: about as far from 0 as numbers of N(0, 1) come
PERIOD = 16  # Columns after which a pattern begins again: as many as are drawn.
# Targets with a name: the number of column k of a period of n.
PATTERNS: dict[str, Callable[[int, int], float]] = {
    "wave": lambda k, n: SIZE * math.cos(2 * math.pi * k / n),
    "ramp": lambda k, n: SIZE * (2 * k / max(1, n - 1) - 1),
    "stripes": lambda k, n: SIZE if k % 2 == 0 else -SIZE,
}
HEAD_SEED = 1  # added to a table's seed, so that the head's numbers are others


def pattern(name: str, dim: int) -> list[float]:
    """The D numbers of a named target, with two decimals.

    >>> pattern("wave", 4), pattern("ramp", 3), pattern("stripes", 2)
    ([2.0, 0.0, -2.0, 0.0], [-2.0, 0.0, 2.0], [2.0, -2.0])
    """
    period = min(dim, PERIOD)
    # Adding 0 to -0 gives 0.
    return [round(PATTERNS[name](k % period, period), 2) + 0.0 for k in range(dim)]


class Mse(nn.Module):
    """The mean squared distance of all rows to one target.

    Args:
        target: D numbers, or one number for all columns.
        dim: D.

    Raises:
        Refused: no number was given, one is not finite, or they are not D.

    >>> float(Mse([1.0], 2)(torch.tensor([[1.0, 3.0]]), torch.tensor([0])))
    2.0
    """

    def __init__(self, target: Sequence[float], dim: int) -> None:
        super().__init__()
        numbers = [*target]
        if not numbers or not all(map(math.isfinite, numbers)):
            raise Refused(f"A target of {numbers} is not one or more finite numbers.")
        if len(numbers) not in (1, dim):
            raise Refused(
                f"A target of {len(numbers):,} numbers does not fit rows of {dim:,}; "
                f"give 1 number for all, or {dim:,}."
            )
        self.target = torch.tensor(numbers, dtype=torch.float64)

    def pairs(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Every id, in order, twice: what follows plays no part.

        Raises:
            Refused: there is no token.
        """
        if not ids.numel():
            raise Refused("There is no token to train on; type at least 1.")
        return ids.reshape(-1), ids.reshape(-1)

    def forward(self, rows: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """`F.mse_loss`: the mean over all M · D squares, shape ()."""
        return F.mse_loss(rows, self.target.to(rows).expand_as(rows))

    def each(
        self, rows: torch.Tensor, place: torch.Tensor, following: torch.Tensor
    ) -> torch.Tensor:
        """The loss (P,) of each pair: `place` (P,) says which of the rows (U, D) it has."""
        return (rows - self.target.to(rows)).square().mean(1)[place]


class NextId(nn.Module):
    """Cross-entropy of the next id, scored by a head that learns too: a weight (V, D), a bias (V,).

    Args:
        symbols: V, how many ids can follow.
        dim: D.
        seed: of the head: U(-1 / sqrt(D), 1 / sqrt(D)) as `nn.Linear` draws it, and a bias of 0.
    """

    target = None

    def __init__(self, symbols: int, dim: int, seed: int) -> None:
        super().__init__()
        generator, bound = torch.Generator().manual_seed(seed + HEAD_SEED), dim**-0.5
        drawn = torch.empty(symbols, dim).uniform_(-bound, bound, generator=generator)
        self.weight, self.bias = nn.Parameter(drawn), nn.Parameter(torch.zeros(symbols))

    def pairs(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Every id except the last of each line (the last axis), and the id after it.

        Raises:
            Refused: no line has 2 tokens.
        """
        before, after = ids[..., :-1].reshape(-1), ids[..., 1:].reshape(-1)
        if not len(before):
            raise Refused(
                f"To learn which token comes next takes at least 2 in a line; "
                f"{'there is none' if not ids.numel() else 'there is 1'}."
            )
        return before, after

    def scores(self, rows: torch.Tensor) -> torch.Tensor:
        """The head's score of each id, (M, V), after each of these rows (M, D)."""
        return F.linear(rows, self.weight, self.bias)

    def forward(self, rows: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """`F.cross_entropy(scores(rows), following)`: the mean over M tokens, shape ()."""
        return F.cross_entropy(self.scores(rows), following)

    def each(
        self, rows: torch.Tensor, place: torch.Tensor, following: torch.Tensor
    ) -> torch.Tensor:
        """The loss (P,) of each pair: `place` (P,) says which of the rows (U, D) it has."""
        return -F.log_softmax(self.scores(rows), 1)[place, following]


Loss = Mse | NextId
