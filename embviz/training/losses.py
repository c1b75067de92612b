"""Two losses of a table's rows: the distance to a target, and the next character.

Each takes the looked-up rows (M, D) and returns one number. Neither has trained weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional as F

from embviz.core.refused import Refused

MAX_SCORES = 16_000_000  # tokens x symbols that next_character scores in one step


@dataclass(frozen=True)
class Mse:
    """Mean squared distance of every looked-up row to one target.

    Attributes:
        target: D numbers, or one number for all columns.

    >>> float(Mse((1.0,))(torch.tensor([[1.0, 3.0]]), torch.tensor([0])))
    2.0
    """

    target: tuple[float, ...] = (0.0,)

    def __post_init__(self) -> None:
        if not self.target or not all(math.isfinite(number) for number in self.target):
            raise Refused(f"A target of {list(self.target)} is not one or more finite numbers.")

    def pairs(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Every id, in order; the target ids are not used.

        Raises:
            Refused: there is no token.
        """
        if not ids.numel():
            raise Refused("There is no token to train on; type at least 1.")
        return ids.reshape(-1), ids.reshape(-1)

    def __call__(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """`F.mse_loss`: the mean over all M · D squares, shape ()."""
        dim = outputs.shape[-1]
        if len(self.target) not in (1, dim):
            raise Refused(
                f"A target of {len(self.target):,} numbers does not fit rows of {dim:,}; "
                f"give 1 number for all, or {dim:,}."
            )
        return F.mse_loss(outputs, outputs.new_tensor(self.target).expand_as(outputs))


@dataclass(frozen=True)
class NextCharacter:
    """Cross-entropy of the next id, scored by a head that both routes share.

    Attributes:
        head: (symbols, D), drawn once and never trained, so that only the table learns.
    """

    head: torch.Tensor

    def pairs(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Every id except the last of each line (the last axis), and the id after it.

        Raises:
            Refused: no line has 2 tokens, or an id has no score.
        """
        before, after = ids[..., :-1].reshape(-1), ids[..., 1:].reshape(-1)
        if not len(before):
            raise Refused(
                f"To learn which token comes next takes at least 2 in a line; "
                f"{'there is none' if not ids.numel() else 'there is 1'}."
            )
        symbols = len(self.head)
        if int(after.max()) >= symbols:
            raise Refused(f"id {int(after.max()):,} has no score: ids 0 to {symbols - 1:,} do.")
        return before, after

    def __call__(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """`F.cross_entropy(outputs @ head.T, following)`: the mean over M tokens, shape ()."""
        if (count := len(outputs) * len(self.head)) > MAX_SCORES:
            raise Refused(
                f"{len(outputs):,} tokens x {len(self.head):,} symbols are {count:,} scores, more "
                f"than the {MAX_SCORES:,} of one step. Train on a few tokens a step."
            )
        return F.cross_entropy(outputs @ self.head.to(outputs).T, following)


Loss = Mse | NextCharacter


def mse(target: float | Sequence[float] = 0.0) -> Mse:
    """The mean squared distance to a number, or to a vector of D numbers.

    Raises:
        Refused: no number was given, or one is not finite.
    """
    numbers = (target,) if isinstance(target, int | float) else tuple(target)
    return Mse(tuple(float(number) for number in numbers))


def next_character(symbols: int, dim: int, seed: int) -> NextCharacter:
    """The next-character loss with a head drawn from N(0, 1 / D) by a private generator.

    Args:
        symbols: how many ids can follow.
        dim: D, numbers that score each of them.
        seed: the same seed gives the same head, and other numbers than a table's with this seed.
    """
    generator = torch.Generator().manual_seed(seed ^ 0x48656164)  # "Head"
    return NextCharacter(torch.randn(symbols, dim, generator=generator) / math.sqrt(dim))
