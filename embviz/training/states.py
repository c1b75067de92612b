"""A training, step after step: a few rows of both weights, and what all other rows do.

Whether a row that no step looks up moves is measured on the tensors, and never assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from embviz.fact.comparison import Comparison
from embviz.text.refused import Refused
from embviz.training.losses import Loss
from embviz.training.optimizers import OPTIMIZERS, Rule
from embviz.training.training import Training

LETTER_STEPS = 20  # Steps of one letter.
TARGET = 0.5  # Target of each number in `watch_rows`.
LONG = 40  # Steps of `watch_rows`.
EARLY = 10  # First steps, which look up the early row.


@dataclass(frozen=True)
class States:
    """Some rows of a training after each of its K steps. The training itself is not kept.

    Attributes:
        rows: int64 (R,), the ids of these rows.
        tables: (K + 1, 2, R, D), the rows of both routes, the start first.
        gradients: (K, 2, R, D), of each step.
        losses: K + 1 numbers, by the lookup's route.
        unseen: how many rows no step looked up.
        still: K + 1 numbers: rows never looked up of which no number has changed, on both routes.
        largest: K + 1 numbers: the largest |gradient| so far of a row never looked up.
        lr: the learning rate.
        failed: why it ended early, or "".
    """

    rows: torch.Tensor
    tables: torch.Tensor
    gradients: torch.Tensor
    losses: list[float]
    unseen: int
    still: list[int]
    largest: list[float]
    lr: float
    failed: str

    @property
    def nbytes(self) -> int:
        """Bytes of its numbers; the lists are short."""
        return sum(tensor.nbytes for tensor in (self.rows, self.tables, self.gradients))

    def compared(self, row: int, step: int) -> Comparison:
        """The row at that place, of both routes, after `step` steps."""
        return Comparison(*self.tables[step][:, row])


def follow(training: Training, rows: torch.Tensor, steps: int) -> States:
    """Train, and keep some rows after each step.

    Args:
        training: at its start.
        rows: int64 (R,), the ids of these rows.
        steps: how many; fewer are taken if it fails.

    Raises:
        Refused: it fails before its first step.
    """
    tables, still = [_rows_of(training, rows)], [_still(training)]
    gradients, largest = list[torch.Tensor](), [0.0]
    while len(gradients) < steps and training.advance(1):
        both = [route.gradient for route in training.routes]
        unseen = [grad[training.unseen].abs() for grad in both]
        largest.append(max([largest[-1], *(float(grad.max()) for grad in unseen if grad.numel())]))
        gradients.append(torch.stack([grad[rows] for grad in both]))
        tables.append(_rows_of(training, rows))
        still.append(_still(training))
    if not gradients:
        raise Refused(training.failed)
    return States(
        rows,
        torch.stack(tables),
        torch.stack(gradients),
        [point.loss_embedding for point in training.points],
        int(training.unseen.sum()),
        still,
        largest,
        training.lr,
        training.failed,
    )


def _rows_of(training: Training, rows: torch.Tensor) -> torch.Tensor:
    """These rows of both routes, (2, R, D)."""
    return torch.stack([route.table[rows] for route in training.routes])


def _still(training: Training) -> int:
    """The number of rows never looked up that have the numbers of the start on both routes.

    A -0 may become 0: the gradient of the rows that a one-hot row leaves out is -0.
    """
    same = [(route.table == training.start).all(dim=1) for route in training.routes]
    return int((same[0] & same[1] & training.unseen).sum())


def pair_of(loss: Loss, ids: torch.Tensor, place: int) -> list[int]:
    """One token of a text, and the token after it; twice the token if the loss asks for none.

    Args:
        loss: of both routes.
        ids: int64, any shape, the text.
        place: of the token, counted over all lines; where the loss takes fewer of each line, the
            last one that it takes stands for those after it.

    Raises:
        Refused: the text is too short for the loss.
    """
    before, after = loss.pairs(torch.arange(ids.numel()).view_as(ids))
    at = int((before <= place).sum()) - 1
    tokens = ids.flatten()
    return [int(tokens[before[at]]), int(tokens[after[at]])]


def one_letter(
    weight: torch.Tensor, pair: Sequence[int], loss: Loss, lr: float, around: int
) -> tuple[States, int]:
    """Both routes, trained with SGD on one token.

    Args:
        weight: (V, D).
        pair: as of `pair_of`.
        loss: of both routes.
        lr: the learning rate.
        around: rows on either side of the token's that are watched.

    Returns:
        The states, and where the token's row stands among its rows.

    Raises:
        Refused, IndexError: as `Training`.
    """
    training = Training(weight, torch.tensor(pair), loss, lr=lr)
    count = min(len(weight), 2 * around + 1)
    first = max(0, min(pair[0] - around, len(weight) - count))
    rows = torch.arange(first, first + count)
    return follow(training, rows, LETTER_STEPS), pair[0] - first


@dataclass(frozen=True)
class Watched:
    """Three rows under several optimizers, by the lookup's route.

    Attributes:
        rows: int64 (R,), the ids of these rows.
        tables: (K + 1, optimizers, R, D), the start first.
    """

    rows: torch.Tensor
    tables: torch.Tensor

    @property
    def moved(self) -> torch.Tensor:
        """Bool (K, optimizers, R): whether a row moved in a step."""
        return self.tables.diff(dim=0).any(dim=3)


def watch_rows(weight: torch.Tensor, ids: torch.Tensor, optimizers: Sequence[str]) -> Watched:
    """Three rows: never looked up, in the first `EARLY` steps alone, and in every step.

    The early row is that of the most frequent id, the last one that of the most frequent other.
    The first row is left out where all rows are looked up, or are zeros, which no decay moves.
    Only these are trained, by their shares of the loss: no row's step depends on another row.

    Args:
        weight: (V, D).
        ids: int64, any shape, with at least 2 different ids.
        optimizers: keys of `OPTIMIZERS`.

    Raises:
        Refused: the ids are all the same, or the numbers leave the range of the dtype.
    """
    ids = ids.flatten()
    if len(torch.unique(ids)) < 2:
        raise Refused("One row is left out after a while: type at least 2 different ones.")
    early = ids.mode().values
    others = ids[ids != early]
    unseen = torch.bincount(ids, minlength=len(weight)) == 0
    never = (unseen.to(weight.device) & weight.any(dim=1)).nonzero().flatten()[:1].cpu()
    rows = torch.cat([never, torch.stack([early, others.mode().values])])
    first, later = (
        (tokens == rows[:, None]).to(weight).mean(dim=1)  # each row's share of the tokens
        for tokens in (ids, others)
    )
    shares = [first if step < EARLY else later for step in range(LONG)]
    made = [_watch(weight[rows], OPTIMIZERS[name], shares) for name in optimizers]
    tables = torch.stack(made, dim=1).cpu()
    if not bool(tables.isfinite().all()):
        raise Refused(
            f"The rows are too large: in training their numbers leave {tables.dtype}'s range. "
            "Choose a table with smaller numbers.",
            about="init",
        )
    return Watched(rows, tables)


def _watch(start: torch.Tensor, rule: Rule, shares: Sequence[torch.Tensor]) -> torch.Tensor:
    """A few rows (R, D) of a table after each step, (K + 1, R, D), the start first.

    Args:
        start: the rows.
        rule: the optimizer.
        shares: for each step (R,), the share of its tokens that look up each row.
    """
    weight = nn.Parameter(start.clone())
    optimizer = rule.make([weight], lr=rule.usual_lr)
    tables = [start]
    for share in shares:
        places = share.nonzero().flatten()
        optimizer.zero_grad()
        looked_up = F.embedding(places, weight, sparse=rule.sparse)
        distances = (looked_up - TARGET).square().mean(dim=1)
        torch.autograd.backward([distances @ share[places]])
        optimizer.step()
        tables.append(weight.detach().clone())
    return torch.stack(tables)
