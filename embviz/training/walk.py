"""A few steps of SGD on one weight, with every table and gradient on the way.

A step looks up one id, on both routes. Of a large table only the rows around the id are trained.
What the other rows do is measured here and never assumed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.comparison import Comparison, bits
from embviz.core.layers import TiedLayers, check_range
from embviz.training.losses import Loss
from embviz.training.step import one_hot

STEPS = 10
MAX_NUMBERS = 50_000  # V · D of a table that is trained whole: each step keeps a copy
AROUND = 4  # rows on either side of the id, of a larger table


@dataclass(frozen=True)
class Walk:
    """One weight, step after step, as rows of an embedding.

    Attributes:
        tables: (K + 1, R, D), before the first step and after each.
        gradients: (K, R, D), of each step.
    """

    tables: torch.Tensor
    gradients: torch.Tensor

    def moved(self, step: int) -> torch.Tensor:
        """Bool (R,): whether any bit of a row differs from the start after `step` steps."""
        return (bits(self.tables[step]) != bits(self.tables[0])).any(dim=1)

    def largest_gradients(self, step: int) -> torch.Tensor:
        """(R,), the largest |gradient| of each row in the first `step` steps."""
        return self.gradients[:step].abs().amax(dim=(0, 2))


@dataclass(frozen=True)
class Pair:
    """Two walks from the same numbers.

    Attributes:
        rows: int64 (R,), the ids of the trained rows.
        place: where the id that is looked up stands among them.
        num_embeddings: V.
        lr: the learning rate.
        first, second: the walks.
    """

    rows: torch.Tensor
    place: int
    num_embeddings: int
    lr: float
    first: Walk
    second: Walk

    def compared(self, step: int) -> Comparison:
        """The looked-up row of both walks after `step` steps."""
        return Comparison(*(one.tables[step][self.place] for one in (self.first, self.second)))

    def around(self, count: int) -> Pair:
        """The same with at most `count` rows on either side of the id's."""
        first = max(0, min(self.place - count, len(self.rows) - 2 * count - 1))
        kept = slice(first, first + 2 * count + 1)
        walks = (
            Walk(one.tables[:, kept].clone(), one.gradients[:, kept].clone())
            for one in (self.first, self.second)
        )
        return Pair(
            self.rows[kept].clone(), self.place - first, self.num_embeddings, self.lr, *walks
        )

    @property
    def others(self) -> torch.Tensor:
        """Bool (R,): the rows that no step looks up."""
        return torch.arange(len(self.rows), device=self.rows.device) != self.place


def one_letter(
    layers: TiedLayers, ids: torch.Tensor, place: int, loss: Loss, lr: float, steps: int = STEPS
) -> Pair:
    """Both routes, trained on one token of a text; the layers stay as they are.

    Args:
        layers: weights (V, D) and (D, V).
        ids: int64, any shape, the text.
        place: of the token, counted over all lines; where the loss takes fewer of each line, the
            last one that it takes stands for those after it.
        loss: the loss of both routes.
        lr: SGD's learning rate.
        steps: how many.

    Raises:
        ValueError: too few tokens for the loss, or a target of another length.
        IndexError: the id has no row.
    """
    line = ids.shape[-1] if ids.dim() else 1
    lines = ids.numel() // max(1, line)
    ids, following = loss.pairs(ids)
    taken = len(ids) // lines
    at = place // line * taken + min(place % line, taken - 1)
    token, after = (part[at].reshape(1) for part in (ids, following))
    table = layers.embedding.weight.detach()
    rows, at = _rows(table, token)
    hot = torch.tensor([at], device=table.device)
    after = after.to(table.device)
    embedding = nn.Parameter(table[rows].clone())
    linear = nn.Parameter(layers.linear.weight.detach()[:, rows].clone())
    row = one_hot(hot, linear.detach())
    by_lookup = _walk(embedding, lambda: loss(F.embedding(hot, embedding), after), lr, steps)
    by_product = _walk(linear, lambda: loss(F.linear(row, linear), after), lr, steps)
    by_product = Walk(by_product.tables.transpose(1, 2), by_product.gradients.transpose(1, 2))
    return Pair(rows, at, len(table), lr, by_lookup, by_product)


def _rows(table: torch.Tensor, token: torch.Tensor) -> tuple[torch.Tensor, int]:
    """The ids of the trained rows, and the place of the token's row among them."""
    check_range(token, len(table))
    if table.numel() <= MAX_NUMBERS:
        return torch.arange(len(table), device=table.device), int(token)
    first = max(0, min(int(token) - AROUND, len(table) - 2 * AROUND - 1))
    rows = torch.arange(first, min(len(table), first + 2 * AROUND + 1), device=table.device)
    return rows, int(token) - first


def _walk(weight: nn.Parameter, loss: Callable[[], torch.Tensor], lr: float, steps: int) -> Walk:
    """Train the weight; its walk, in its own shape."""
    optimizer = torch.optim.SGD([weight], lr=lr)
    tables, gradients = [weight.detach().clone()], []
    for _ in range(steps):
        (weight.grad,) = torch.autograd.grad(loss(), weight)
        optimizer.step()
        tables.append(weight.detach().clone())
        gradients.append(weight.grad)
    return Walk(torch.stack(tables), torch.stack(gradients))
