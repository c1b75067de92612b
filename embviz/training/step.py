"""One training step in detail: the loss and its gradient with respect to both weights.

The gradient of a table is `X^T G`: X holds the one-hot rows (M, V), G the gradient of the looked-up
rows (M, D). So a row's gradient is the sum of G over the places of its id, and 0 for a row that is
not looked up. It is computed in three ways: autograd through `F.embedding`, autograd through
one-hot and `F.linear`, and that sum by hand. No weight is updated.

For a large table or one-hot, the gradients hold only the looked-up rows; all others are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch.nn import functional as F

from embviz.core.comparison import Comparison
from embviz.core.config import budget_bytes
from embviz.core.layers import TiedLayers
from embviz.training.losses import Loss

MAX_GRADIENT = 2_000_000  # numbers V · D of a gradient that is kept in full
COPIES_BYTES = 128  # for each number, in float64: the table, its gradients and the comparisons
MAX_ONE_HOT = 16_000_000  # numbers M · V that one step multiplies
SLICE = 4_000_000  # numbers of the one-hot in memory at a time


@dataclass(frozen=True)
class SparseGradient:
    """The gradient of `F.embedding(..., sparse=True)`, a COO tensor of shape (V, D).

    Attributes:
        indices: int64 (M,), one entry for each token, as autograd returns it.
        coalesced_indices: int64 (T,), after `.coalesce()`: each row once, ascending.
    """

    indices: torch.Tensor
    coalesced_indices: torch.Tensor


@dataclass(frozen=True)
class Contributions:
    """How a row's gradient adds up.

    Attributes:
        positions: int64 (c,), its places among the looked-up ids.
        gradients: (c, D), G at those places.
        total: (D,), their sum.
    """

    positions: torch.Tensor
    gradients: torch.Tensor
    total: torch.Tensor


@dataclass(frozen=True)
class Touched:
    """The looked-up rows, int64 (T,) ascending, their counts, and three gradients (T, D)."""

    rows: torch.Tensor
    counts: torch.Tensor
    embedding: torch.Tensor
    linear: torch.Tensor
    closed_form: torch.Tensor


@dataclass(frozen=True)
class OneStep:
    """Both routes after `backward()`.

    Attributes:
        ids: int64 (M,), the looked-up ids.
        num_embeddings: V.
        rows: int64 (R,), the rows of the table that the gradients hold: all V, or the T distinct
            looked-up ones of a large table.
        loss_embedding: the loss of the lookup.
        loss_linear: the loss of one-hot x Linear.
        outputs_gradient: G, (M, D), of the lookup's outputs, by autograd.
        embedding_gradient: (R, D), of `Embedding.weight`, by autograd.
        linear_gradient: (R, D), of `Linear.weight`, by autograd, transposed.
        closed_form: (R, D), X^T G.
        sparse: the embedding's gradient as `sparse=True` gives it.
    """

    ids: torch.Tensor
    num_embeddings: int
    rows: torch.Tensor
    loss_embedding: float
    loss_linear: float
    outputs_gradient: torch.Tensor
    embedding_gradient: torch.Tensor
    linear_gradient: torch.Tensor
    closed_form: torch.Tensor
    sparse: SparseGradient

    @cached_property
    def touched(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Distinct ids, ascending, and how often each occurs in the text; both int64 (T,)."""
        rows, counts = torch.unique(self.ids, return_counts=True)
        return rows, counts

    def touched_gradients(self) -> Touched:
        """The gradients of the looked-up rows."""
        rows, counts = self.touched
        place = torch.searchsorted(self.rows, rows)
        parts = (self.embedding_gradient, self.linear_gradient, self.closed_form)
        return Touched(rows, counts, *(part[place] for part in parts))

    def contributions(self, row: int) -> Contributions:
        """The term that each place of an id adds to its row's gradient; empty for an absent id."""
        positions = (self.ids == row).nonzero().flatten()
        gradients = self.outputs_gradient[positions]
        return Contributions(positions, gradients, gradients.sum(dim=0))

    @cached_property
    def embedding_with_linear(self) -> Comparison:
        """Autograd of one route with autograd of the other."""
        return Comparison(self.embedding_gradient, self.linear_gradient)

    @cached_property
    def embedding_with_closed_form(self) -> Comparison:
        """Autograd of the lookup with X^T G."""
        return Comparison(self.embedding_gradient, self.closed_form)

    @property
    def largest_untouched(self) -> float:
        """Largest |gradient| of all rows that are not looked up; 0.0 without such rows."""
        mask = torch.ones(len(self.rows), dtype=torch.bool, device=self.rows.device)
        mask[torch.searchsorted(self.rows, self.touched[0])] = False
        parts = (self.embedding_gradient, self.linear_gradient, self.closed_form)
        return max(float(part[mask].abs().max()) for part in parts) if bool(mask.any()) else 0.0


def one_step(layers: TiedLayers, ids: torch.Tensor, loss: Loss) -> OneStep:
    """One forward and backward pass through both layers; neither is changed.

    Args:
        layers: weights (V, D) and (D, V).
        ids: int64, any shape, each from 0 to V - 1.
        loss: the loss of both routes.

    Raises:
        ValueError: too few tokens for the loss, or a target of another length.
        IndexError: an id without a row.
    """
    layers.lookup(ids[..., :0] if not ids.numel() else torch.stack([ids.min(), ids.max()]))
    table = layers.embedding.weight.detach().requires_grad_()
    ids, following = (part.to(table.device) for part in loss.pairs(ids))
    num_embeddings, dim = table.shape
    touched, place = torch.unique(ids, return_inverse=True)
    keeps_all = num_embeddings * dim <= max_gradient() and len(ids) * num_embeddings <= MAX_ONE_HOT
    rows = torch.arange(num_embeddings, device=ids.device) if keeps_all else touched
    columns = layers.linear.weight.detach()
    columns = columns if keeps_all else columns[:, touched]
    hot = ids if keeps_all else place

    outputs = F.embedding(ids, table, sparse=True)
    value = loss(outputs, following)
    gradient, sparse = torch.autograd.grad(value, [outputs, table], retain_graph=True)
    summed = sparse.coalesce()
    by_lookup = summed.values()
    if keeps_all:
        (by_lookup,) = torch.autograd.grad(F.embedding(ids, table), table, gradient)
    loss_linear, by_product = _through_linear(columns, hot, following, loss)
    closed = torch.zeros_like(by_lookup).index_add_(0, hot, gradient)
    return OneStep(
        ids,
        num_embeddings,
        rows,
        float(value.detach()),
        loss_linear,
        gradient,
        by_lookup,
        by_product,
        closed,
        SparseGradient(sparse._indices()[0], summed.indices()[0]),
    )


def max_gradient() -> int:
    """The most numbers of a gradient that is kept in full; fewer under a small memory budget."""
    return min(MAX_GRADIENT, budget_bytes() // COPIES_BYTES)


def _through_linear(
    columns: torch.Tensor, hot: torch.Tensor, following: torch.Tensor, loss: Loss
) -> tuple[float, torch.Tensor]:
    """The loss, and its gradient (R, D), of one-hot (M, R) through a weight (D, R), in slices."""
    weight = columns.detach().requires_grad_()
    size = max(1, SLICE // weight.shape[1])
    slices = [hot[start : start + size] for start in range(0, len(hot), size)]
    with torch.no_grad():
        made = torch.cat([F.linear(one_hot(part, weight), weight) for part in slices])
    outputs = made.requires_grad_()
    value = loss(outputs, following)
    (gradient,) = torch.autograd.grad(value, outputs)
    total = torch.zeros_like(columns)
    for part, from_above in zip(slices, torch.split(gradient, size), strict=True):
        result = F.linear(one_hot(part, weight), weight)
        total += torch.autograd.grad(result, weight, from_above)[0]
    return float(value.detach()), total.T.contiguous()


def one_hot(ids: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """One-hot rows (M, V) for a weight (D, V), in its dtype and on its device."""
    return weight.new_zeros(len(ids), weight.shape[1]).scatter_(1, ids.unsqueeze(1), 1.0)
