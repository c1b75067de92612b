"""The gradient of one step on a whole text, by both routes and by hand.

The gradient of a table is `X^T G`: X holds the one-hot rows (M, V), G the gradient of the looked-up
rows (M, D). So a row's gradient is the sum of G over the places of its id, and 0 for a row that is
not looked up. No weight is updated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch.nn import functional as F

from embviz.training.losses import Loss
from embviz.training.training import Training, one_hot


@dataclass(frozen=True, eq=False)
class OneStep:
    """Both routes after `backward()`.

    Attributes:
        ids: int64 (M,), the looked-up ids.
        losses: of lookup and of one-hot x Linear.
        outputs_gradient: G, (M, D), of the lookup's outputs.
        embedding_gradient: (V, D), of `Embedding.weight`.
        linear_gradient: (V, D), of `Linear.weight`, transposed.
        closed_form: (V, D), X^T G by hand.
    """

    ids: torch.Tensor
    losses: tuple[float, float]
    outputs_gradient: torch.Tensor
    embedding_gradient: torch.Tensor
    linear_gradient: torch.Tensor
    closed_form: torch.Tensor

    @cached_property
    def touched(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Distinct ids, ascending, and how often each occurs in the text; both int64 (T,)."""
        rows, counts = torch.unique(self.ids, return_counts=True)
        return rows, counts

    def terms(self, row: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The places (c,) of an id, and what each adds to its row's gradient, (c, D)."""
        places = (self.ids == row).nonzero().flatten()
        return places, self.outputs_gradient[places]

    @property
    def largest_untouched(self) -> float:
        """Largest |gradient| of all rows that are not looked up; 0.0 without such rows."""
        both = torch.stack([self.embedding_gradient, self.linear_gradient])
        both[:, self.touched[0]] = 0
        return float(both.abs().max())


def one_step(weight: torch.Tensor, ids: torch.Tensor, loss: Loss) -> OneStep:
    """One forward and backward pass through both layers, from one weight (V, D).

    Raises:
        Refused, IndexError: as `Training`.
    """
    training = Training(weight, ids, loss)
    before, following = (part.to(weight.device) for part in loss.pairs(ids))
    losses = [route.backward(before, following) for route in training.routes]
    rows = F.embedding(before, training.start).requires_grad_()
    (gradient,) = torch.autograd.grad(training.embedding.loss(rows, following), rows)
    return OneStep(
        before,
        (losses[0], losses[1]),
        gradient,
        training.embedding.gradient,
        training.linear.gradient,
        one_hot(before, len(weight), gradient).T @ gradient,
    )
