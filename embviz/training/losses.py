"""Two losses of a table's rows: distance to a target, and the next character.

Each takes the rows that were looked up (M, D) and gives one number; each also has its gradient
as a formula, so that autograd is not its own judge. Neither holds anything that is trained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch.nn import functional as F

MAX_SCORES = 16_000_000  # tokens x symbols that next_character scores in one step


class Loss(Protocol):
    """What both losses offer."""

    @property
    def label(self) -> str:
        """Its name, as the page shows it."""
        ...

    def pairs(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """From ids of any shape: those to look up, and what each is judged by, both int64 (M,)."""
        ...

    def __call__(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """The loss, shape (), of outputs (M, D)."""
        ...

    def gradient(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """G = d loss / d outputs, shape (M, D), by formula."""
        ...


@dataclass(frozen=True)
class Mse:
    """Mean squared distance of every row looked up to one target.

    Attributes:
        target: D numbers, or a single one for all columns.

    >>> loss, rows = Mse((1.0,)), torch.tensor([[1.0, 3.0]])
    >>> float(loss(rows, torch.tensor([0]))), loss.gradient(rows, torch.tensor([0])).tolist()
    (2.0, [[0.0, 2.0]])
    """

    target: tuple[float, ...] = (0.0,)

    def __post_init__(self) -> None:
        if not self.target or not all(math.isfinite(number) for number in self.target):
            raise ValueError(f"A target of {list(self.target)} is not one or more finite numbers.")

    @property
    def label(self) -> str:
        """Its name, as the page shows it."""
        return "mean squared error to the target"

    def pairs(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Every id, in order; the second is not looked at.

        Raises:
            ValueError: there is no token.
        """
        if not ids.numel():
            raise ValueError("There is no token to train on; type at least 1.")
        return ids.reshape(-1), ids.reshape(-1)

    def __call__(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """`F.mse_loss`: the mean over all M · D squares, shape ()."""
        return F.mse_loss(outputs, self._wide(outputs))

    def gradient(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """2 (outputs - target) / (M · D), shape (M, D)."""
        return 2 * (outputs - self._wide(outputs)) / outputs.numel()

    def _wide(self, outputs: torch.Tensor) -> torch.Tensor:
        dim = outputs.shape[-1]
        if len(self.target) not in (1, dim):
            raise ValueError(
                f"A target of {len(self.target):,} numbers does not fit rows of {dim:,}; "
                f"give 1 number for all, or {dim:,}."
            )
        return outputs.new_tensor(self.target).expand_as(outputs)


@dataclass(frozen=True)
class NextCharacter:
    """Cross-entropy of the id that follows, scored by a head that both routes share.

    Attributes:
        head: shape (symbols, D); drawn once, never trained, so that the table alone learns.
    """

    head: torch.Tensor

    @property
    def label(self) -> str:
        """Its name, as the page shows it."""
        return "cross-entropy of the next token, in nats"

    def pairs(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Every id but the last of each line (the last axis), and the id after it.

        Raises:
            ValueError: no line has 2 tokens, an id has no score, or there are too many scores.
        """
        before, after = ids[..., :-1].reshape(-1), ids[..., 1:].reshape(-1)
        if not len(before):
            raise ValueError(
                f"To learn which token comes next takes at least 2 in a line; "
                f"{'there is none' if not ids.numel() else 'there is 1'}."
            )
        symbols = len(self.head)
        if int(after.max()) >= symbols:
            raise ValueError(f"id {int(after.max()):,} has no score: ids 0 to {symbols - 1:,} do.")
        return before, after

    def __call__(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """`F.cross_entropy(outputs @ head.T, following)`: the mean over M tokens, shape ()."""
        return F.cross_entropy(self._scores(outputs), following)

    def gradient(self, outputs: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        """(softmax(scores) - one_hot(following)) @ head / M, shape (M, D)."""
        surplus = self._scores(outputs).softmax(dim=1)
        surplus[torch.arange(len(following)), following] -= 1
        return surplus @ self.head.to(outputs) / len(following)

    def _scores(self, outputs: torch.Tensor) -> torch.Tensor:
        if (count := len(outputs) * len(self.head)) > MAX_SCORES:
            raise ValueError(
                f"{len(outputs):,} tokens x {len(self.head):,} symbols are {count:,} scores, more "
                f"than the {MAX_SCORES:,} of one step. Train on a few tokens a step."
            )
        return outputs @ self.head.to(outputs).T


def mse(target: float | Sequence[float] = 0.0) -> Mse:
    """Distance to a number, or to a vector of D numbers.

    Raises:
        ValueError: none was given, or one is not finite.
    """
    numbers = (target,) if isinstance(target, int | float) else tuple(target)
    return Mse(tuple(float(number) for number in numbers))


def next_character(symbols: int, dim: int, seed: int) -> NextCharacter:
    """A head drawn from N(0, 1 / D) by a generator of its own.

    Args:
        symbols: how many ids can follow; D = `dim` numbers score each.
        dim: D.
        seed: the same seed is the same head; it is not the draw of a table with this seed.
    """
    generator = torch.Generator().manual_seed(seed ^ 0x48656164)  # "Head"
    return NextCharacter(torch.randn(symbols, dim, generator=generator) / math.sqrt(dim))
