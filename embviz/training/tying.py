"""Weight tying, tried out: what `head.weight = embedding.weight` shares, and the `.T` that shares
by accident.

Each fact runs its code on copies and reports the result. Addresses are compared and never shown,
because they differ from run to run. Nothing here draws a number or changes its arguments.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.fact import Fact
from embviz.core.layers import check_range, embedding_of
from embviz.training.losses import MAX_SCORES

_ROUNDING = 1e-5  # share of the largest gradient
_STEP = 0.5  # learning rate of the step that changes the shared storage
_NOT_TIED = "Not tied, to compare:"
_POINTER = {True: "data_ptr() is the same", False: "data_ptr() is another"}


def facts(weight: torch.Tensor, ids: torch.Tensor) -> list[Fact]:
    """Three facts, tried out.

    Args:
        weight: a table (V, D), float32 or float64, finite; it is not changed.
        ids: int64, at least 2, each from 0 to V - 1.

    Raises:
        ValueError: fewer than 2 ids, or more than `MAX_SCORES` scores or numbers.
        IndexError: an id without a row.
    """
    ids = ids.reshape(-1)
    if len(ids) < 2:
        raise ValueError(f"Weight tying is tried on at least 2 tokens; there are {len(ids)}.")
    if max(len(ids) * len(weight), weight.numel()) > MAX_SCORES:
        raise ValueError(
            f"{len(ids):,} tokens, {len(weight):,} rows and {weight.shape[1]:,} columns are more "
            f"than weight tying is tried on here: {MAX_SCORES:,} scores or numbers."
        )
    check_range(ids, len(weight))
    table = weight.detach()
    return [_one_parameter(table), _gradients_add_up(table, ids), _transpose_shares(table)]


class _Model(nn.Module):
    """An embedding and a head of V scores from D numbers, on a copy of a table (V, D)."""

    def __init__(self, table: torch.Tensor, tied: bool) -> None:
        super().__init__()
        rows, dim = table.shape
        self.embedding = embedding_of(table.clone())
        self.head = nn.Linear(dim, rows, bias=False, device="meta")  # draws nothing
        self.head.weight = self.embedding.weight if tied else nn.Parameter(table.clone())

    def loss(self, ids: torch.Tensor) -> torch.Tensor:
        """Cross-entropy of the next id."""
        return F.cross_entropy(self.head(self.embedding(ids[:-1])), ids[1:])


def _one_parameter(table: torch.Tensor) -> Fact:
    tied, apart = _Model(table, True), _Model(table, False)
    same, other = (m.embedding.weight.data_ptr() == m.head.weight.data_ptr() for m in (tied, apart))
    counts = [len(list(model.parameters())) for model in (tied, apart)]
    sizes = [sum(weight.numel() for weight in model.parameters()) for model in (tied, apart)]
    return Fact(
        "Tied, the two weights are one parameter",
        "head = nn.Linear(D, V, bias=False)\nhead.weight = embedding.weight",
        f"{_POINTER[same]}: {counts[0]} parameter of {sizes[0]:,} numbers. nn.Linear(D, V) keeps "
        f"its weight as {tuple(tied.head.weight.shape)}, the table's own shape: no transpose.",
        "head.weight = nn.Parameter(embedding.weight.detach().clone())",
        f"{_POINTER[other]}: {counts[1]} parameters of {sizes[1]:,} numbers.",
        same and not other and counts == [1, 2] and sizes[1] == 2 * sizes[0],
        _NOT_TIED,
    )


def _gradients_add_up(table: torch.Tensor, ids: torch.Tensor) -> Fact:
    tied, apart = _Model(table, True), _Model(table, False)
    (total,) = torch.autograd.grad(tied.loss(ids), tied.embedding.weight)
    of_table, of_head = torch.autograd.grad(
        apart.loss(ids), [apart.embedding.weight, apart.head.weight]
    )
    off = float((total - (of_table + of_head)).abs().max())
    lone, shared = (int(part.any(dim=1).sum()) for part in (of_table, total))
    return Fact(
        "Its gradient is the sum of both uses",
        "head.weight = embedding.weight\nloss.backward(); embedding.weight.grad",
        f"It differs from lookup's gradient plus the head's by at most {off:.1e}; "
        f"{shared:,} of {len(table):,} rows have one, for the head scores every row.",
        "head.weight = nn.Parameter(embedding.weight.detach().clone())",
        f"embedding.weight.grad is lookup's alone: {lone:,} of {len(table):,} rows have one.",
        off <= _ROUNDING * float(total.abs().max()) and 0 < lone <= shared,
        _NOT_TIED,
    )


def _transpose_shares(table: torch.Tensor) -> Fact:
    one_row = table[:1]
    moved, same = [], []
    for is_view in (True, False):
        embedding = nn.Parameter(one_row.clone())
        linear = nn.Parameter(embedding.T if is_view else embedding.detach().T.contiguous().clone())
        before = float(embedding.detach()[0, 0])
        optimizer = torch.optim.SGD([linear], lr=_STEP)
        linear.grad = torch.ones_like(linear)
        optimizer.step()
        moved.append((before, float(embedding.detach()[0, 0])))
        same.append(linear.data_ptr() == embedding.data_ptr())
    outcomes = [
        f"{_POINTER[shared]}: one step of SGD on the linear layer's weight "
        f"{'changed' if before != after else 'left'} the embedding's first number "
        f"{f'from {before:.4f} to {after:.4f}' if before != after else f'at {before:.4f}'}."
        for shared, (before, after) in zip(same, moved, strict=True)
    ]
    return Fact(
        "Parameter(weight.T) shares its storage by accident",
        "linear.weight = nn.Parameter(embedding.weight.T)",
        outcomes[0],
        "linear.weight = nn.Parameter(embedding.weight.detach().T.contiguous().clone())",
        outcomes[1],
        same == [True, False] and moved[0][0] != moved[0][1] and moved[1][0] == moved[1][1],
    )
