"""One training step, opened up: the loss and its gradient with respect to both weights.

The gradient of a table is `X^T G`: X the one-hot rows (M, V), G the gradient of what was looked
up (M, D). So a row's gradient is the sum of G over the places its id stands, and a row that was
not looked up has gradient 0. Three answers: autograd through `F.embedding`, autograd through
one-hot and `F.linear`, and that sum by hand. Updates nothing.

Where a table or its one-hot is too large to draw, only the rows looked up are carried along:
the other columns of the one-hot hold zeros alone (`whole` says which it was).
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

MAX_GRADIENT = 2_000_000  # numbers V · D of a gradient that is kept whole
COPIES_BYTES = 128  # of each of them, in float64: the table, its gradients and what compares them
MAX_ONE_HOT = 16_000_000  # numbers M · V that one step multiplies
SLICE = 4_000_000  # numbers of the one-hot that are held at a time


@dataclass(frozen=True)
class SparseGradient:
    """What `F.embedding(..., sparse=True)` gives: a COO tensor of shape (V, D).

    Attributes:
        indices: int64 (M,), one entry per token, as autograd leaves it.
        values: (M, D), the gradient of each token.
        coalesced_indices: int64 (T,), after `.coalesce()`: each row once, ascending.
        coalesced_values: (T, D), equal rows added up.
        was_coalesced: what `is_coalesced()` said before.
    """

    indices: torch.Tensor
    values: torch.Tensor
    coalesced_indices: torch.Tensor
    coalesced_values: torch.Tensor
    was_coalesced: bool


@dataclass(frozen=True)
class Contributions:
    """How a row's gradient adds up.

    Attributes:
        row: the id.
        positions: int64 (c,), where it stands among the ids that were looked up.
        gradients: (c, D), G at those places.
        total: (D,), their sum.
    """

    row: int
    positions: torch.Tensor
    gradients: torch.Tensor
    total: torch.Tensor


@dataclass(frozen=True)
class Touched:
    """The rows that were looked up, int64 (T,) ascending, how often, and three gradients (T, D)."""

    rows: torch.Tensor
    counts: torch.Tensor
    embedding: torch.Tensor
    linear: torch.Tensor
    closed_form: torch.Tensor


@dataclass(frozen=True)
class OneStep:
    """Both routes after `backward()`. R is V if `whole`, else T, the distinct ids.

    Attributes:
        ids: int64 (M,), what was looked up.
        following: int64 (M,), what the loss judged each by.
        num_embeddings: V.
        whole: whether the gradients below have all V rows, or only those in `rows`.
        rows: int64 (R,), which row of the table each row of a gradient stands for.
        loss_embedding: the loss of the lookup.
        loss_linear: the loss of one-hot x Linear.
        outputs_gradient: G, (M, D), by autograd, of the lookup's outputs.
        outputs_gradient_by_formula: the same without autograd.
        embedding_gradient: (R, D), of `Embedding.weight`, by autograd.
        linear_gradient: (R, D), of `Linear.weight`, by autograd, transposed.
        closed_form: (R, D), X^T G.
        sparse: the embedding's gradient as `sparse=True` gives it.
    """

    ids: torch.Tensor
    following: torch.Tensor
    num_embeddings: int
    whole: bool
    rows: torch.Tensor
    loss_embedding: float
    loss_linear: float
    outputs_gradient: torch.Tensor
    outputs_gradient_by_formula: torch.Tensor
    embedding_gradient: torch.Tensor
    linear_gradient: torch.Tensor
    closed_form: torch.Tensor
    sparse: SparseGradient

    @cached_property
    def touched(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Distinct ids, ascending, and how often each stands in the text; both int64 (T,)."""
        rows, counts = torch.unique(self.ids, return_counts=True)
        return rows, counts

    def touched_gradients(self) -> Touched:
        """The rows looked up alone, whatever V is."""
        rows, counts = self.touched
        place = torch.searchsorted(self.rows, rows)
        parts = (self.embedding_gradient, self.linear_gradient, self.closed_form)
        return Touched(rows, counts, *(part[place] for part in parts))

    def contributions(self, row: int) -> Contributions:
        """What each place of an id adds to its row's gradient; none if it was not looked up."""
        positions = (self.ids == row).nonzero().flatten()
        gradients = self.outputs_gradient[positions]
        return Contributions(row, positions, gradients, gradients.sum(dim=0))

    @cached_property
    def embedding_with_linear(self) -> Comparison:
        """Autograd of the two routes."""
        return Comparison(self.embedding_gradient, self.linear_gradient)

    @cached_property
    def embedding_with_closed_form(self) -> Comparison:
        """Autograd of the lookup, and X^T G."""
        return Comparison(self.embedding_gradient, self.closed_form)

    @cached_property
    def linear_with_closed_form(self) -> Comparison:
        """Autograd of one-hot x Linear, and X^T G."""
        return Comparison(self.linear_gradient, self.closed_form)

    @property
    def largest_untouched(self) -> float:
        """Largest |gradient| of a row that was not looked up, over all three; 0.0 if none is."""
        mask = torch.ones(len(self.rows), dtype=torch.bool, device=self.rows.device)
        mask[torch.searchsorted(self.rows, self.touched[0])] = False
        parts = (self.embedding_gradient, self.linear_gradient, self.closed_form)
        return max(float(part[mask].abs().max()) for part in parts) if bool(mask.any()) else 0.0


def one_step(layers: TiedLayers, ids: torch.Tensor, loss: Loss) -> OneStep:
    """Go forward and backward once through both layers; neither is changed.

    Args:
        layers: weights (V, D) and (D, V).
        ids: int64, any shape, each from 0 to V - 1.
        loss: what is asked of the rows.

    Raises:
        ValueError: too few tokens for the loss, or a target of another length.
        IndexError: an id without a row.
    """
    layers.lookup(ids[..., :0] if not ids.numel() else torch.stack([ids.min(), ids.max()]))
    table = layers.embedding.weight.detach().requires_grad_()
    ids, following = (part.to(table.device) for part in loss.pairs(ids))
    num_embeddings, dim = table.shape
    touched, place = torch.unique(ids, return_inverse=True)
    whole = num_embeddings * dim <= max_gradient() and len(ids) * num_embeddings <= MAX_ONE_HOT
    rows = torch.arange(num_embeddings, device=ids.device) if whole else touched
    columns = layers.linear.weight.detach()
    columns = columns if whole else columns[:, touched]
    hot = ids if whole else place

    outputs = F.embedding(ids, table, sparse=True)
    value = loss(outputs, following)
    gradient, sparse = torch.autograd.grad(value, [outputs, table], retain_graph=True)
    if whole:
        by_lookup = _passed_on(gradient, F.embedding(ids, table), table)
    else:
        by_lookup = sparse.coalesce().values()
    loss_linear, by_product = _through_linear(columns, hot, following, loss)
    closed = torch.zeros_like(by_lookup).index_add_(0, hot, gradient)
    return OneStep(
        ids,
        following,
        num_embeddings,
        whole,
        rows,
        float(value.detach()),
        loss_linear,
        gradient,
        loss.gradient(outputs.detach(), following),
        by_lookup,
        by_product,
        closed,
        _opened(sparse),
    )


def max_gradient() -> int:
    """Numbers of a gradient that is kept whole; fewer where the memory budget is small."""
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
        total += _passed_on(from_above, result, weight)
    return float(value.detach()), total.T.contiguous()


def _passed_on(
    from_above: torch.Tensor, result: torch.Tensor, parameter: torch.Tensor
) -> torch.Tensor:
    """What a gradient at `result` becomes at the parameter, to the bit as autograd.grad has it.

    Given a gradient, `torch.autograd.grad` imports 39 MB of sympy to compare two shapes.
    """
    (gradient,) = torch.autograd.grad((result * from_above).sum(), parameter)
    return gradient


def one_hot(ids: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Rows (M, V) for a weight (D, V), in its dtype and on its device."""
    return weight.new_zeros(len(ids), weight.shape[1]).scatter_(1, ids.unsqueeze(1), 1.0)


def _opened(gradient: torch.Tensor) -> SparseGradient:
    summed = gradient.coalesce()
    return SparseGradient(
        gradient._indices()[0],
        gradient._values(),
        summed.indices()[0],
        summed.values(),
        gradient.is_coalesced(),
    )
