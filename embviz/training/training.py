"""The one training: both routes side by side, from the same start, on the same batches.

`nn.Embedding`'s table (V, D) and `nn.Linear`'s weight (D, V) have a loss and optimizers each, and
share no number. Point k of the history is the state after k steps, measured on the whole text.
The same arguments give the same numbers, in any slices of time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import deepcopy
from itertools import repeat
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from embviz.fact.layers import check_range
from embviz.system import bounds
from embviz.system.bounds import check_budget
from embviz.text.refused import Refused
from embviz.text.wording import format_bytes
from embviz.training.batches import minibatches
from embviz.training.learning import Learning
from embviz.training.losses import Loss
from embviz.training.optimizers import OPTIMIZERS, Rule

# Tensors as large as the table: both weights, their gradients, Adam's four moments, the table at
# the start, and three more within a step. A head has the same size, and as many.
COPIES = 12
DIVERGED = 1_000.0  # factor over the first loss, or over 1 if that loss is smaller


class Point(NamedTuple):
    """The state after `step` steps.

    Attributes:
        step: steps taken.
        loss_embedding, loss_linear: the mean loss of the whole text, by each route.
        max_abs_weight_difference: largest |difference| of the two weights.
        max_abs_gradient_difference: of the gradients of the step before; 0 at the start.
    """

    step: int
    loss_embedding: float
    loss_linear: float
    max_abs_weight_difference: float
    max_abs_gradient_difference: float


class TrainedRoute:
    """One way to the rows: a weight, the loss of its rows, and what updates both.

    Args:
        weight: `Embedding.weight` (V, D), or `Linear.weight` (D, V).
        loss: copied.
        rule: makes its optimizers.
        lr: the learning rate.
        is_linear: whether it is the linear layer's, which multiplies a one-hot.
    """

    def __init__(
        self,
        weight: torch.Tensor,
        loss: Loss,
        rule: Rule,
        lr: float,
        is_linear: bool,
    ) -> None:
        self.weight = nn.Parameter(weight.detach().clone(memory_format=torch.contiguous_format))
        self.loss = deepcopy(loss).to(weight)
        self.is_linear, self.sparse = is_linear, rule.sparse
        self.table = self.weight.detach().T if is_linear else self.weight.detach()
        self.optimizers = rule.optimizers(self.weight, [*self.loss.parameters()], lr, is_linear)

    def rows(self, ids: torch.Tensor) -> torch.Tensor:
        """The rows (B, D) of these ids (B,)."""
        if self.is_linear:
            return F.linear(one_hot(ids, len(self.table), self.table), self.weight)
        return F.embedding(ids, self.weight, sparse=self.sparse)

    def backward(self, ids: torch.Tensor, following: torch.Tensor) -> float:
        """The loss of these ids; its gradients take the place of those of the step before.

        Args:
            ids: int64 (B,).
            following: int64 (B,), the ids after them.
        """
        for learnt in (self.weight, *self.loss.parameters()):
            learnt.grad = None  # `zero_grad` does the same in ten times the time
        loss = self.loss(self.rows(ids), following)
        torch.autograd.backward([loss])
        return float(loss.detach())

    def update(self) -> None:
        """One step of its optimizers."""
        for optimizer in self.optimizers:
            optimizer.step()

    @property
    def gradient(self) -> torch.Tensor:
        """The gradient of the last step, (V, D), dense."""
        assert self.weight.grad is not None
        gradient = self.weight.grad.to_dense()
        return gradient.T if self.is_linear else gradient


class WholeText:
    """A whole text as its different pairs of an id and the next one, each with its share.

    Args:
        ids: int64 (M,).
        following: int64 (M,), the ids after them.
        weight: (V, D), whose dtype and device its numbers get.
    """

    def __init__(self, ids: torch.Tensor, following: torch.Tensor, weight: torch.Tensor) -> None:
        rows = len(weight)
        pairs, counts = torch.unique(ids * rows + following, return_counts=True)
        self._shares, self._next = (counts / counts.sum()).to(weight), pairs % rows
        self._distinct, self._id_of_pair = torch.unique(pairs // rows, return_inverse=True)

    @torch.no_grad()
    def loss_of(self, route: TrainedRoute) -> float:
        """The mean loss of the text; the row of each different id is computed once."""
        rows = route.rows(self._distinct)
        each = route.loss.each(rows, self._id_of_pair, self._next)
        return float((each * self._shares).sum())


class Training(Learning):
    """Both routes, and how far they are trained.

    Args:
        weight: the table at the start, (V, D), float32 or float64; it is copied.
        ids: int64, any shape; lines are its last axis.
        loss: of both routes; copied for each.
        optimizer: a key of `OPTIMIZERS`.
        lr: the learning rate; the optimizer's usual one if None.
        batch: positions of each step, drawn at random; all of the text if None.
        seed: of these positions.
        every: steps from one point to the next.

    Attributes:
        embedding, linear: the routes.
        start: the table at the start, (V, D).
        lookups: int64 (V,), how often each row was looked up, repeats included.

    Raises:
        Refused: too few tokens, or a one-hot or tensors over the limits, with the arithmetic.
        IndexError: an id without a row.
    """

    points: list[Point]

    def __init__(
        self,
        weight: torch.Tensor,
        ids: torch.Tensor,
        loss: Loss,
        optimizer: str = "sgd",
        lr: float | None = None,
        *,
        batch: int | None = None,
        seed: int = 0,
        every: int = 1,
    ) -> None:
        self.rule, self.every = OPTIMIZERS[optimizer], every
        self.lr = self.rule.usual_lr if lr is None else lr
        before, following = loss.pairs(ids)
        check_range(before, len(weight))
        self._ids, self._following = before.to(weight.device), following.to(weight.device)
        count = len(before)
        _check_step(weight, loss, count if batch is None else batch)
        self._batches: Iterator[torch.Tensor] = repeat(torch.arange(count))
        if batch is not None:
            self._batches = minibatches(count, batch, seed)
        self.start = weight.detach().clone()
        made = self.rule, self.lr
        self.embedding = TrainedRoute(weight, loss, *made, is_linear=False)
        self.linear = TrainedRoute(weight.T, loss, *made, is_linear=True)
        self._whole = WholeText(self._ids, self._following, weight)
        self.lookups = torch.zeros(len(weight), dtype=torch.int64, device=weight.device)
        self.points = [self._point()]

    @property
    def routes(self) -> tuple[TrainedRoute, TrainedRoute]:
        """Lookup, then matmul."""
        return self.embedding, self.linear

    @property
    def tables(self) -> torch.Tensor:
        """Both weights now, (2, V, D): the embedding's, and the linear layer's transposed."""
        return torch.stack([route.table for route in self.routes])

    @property
    def furthest(self) -> Point:
        """The first point at which the weights differed most."""
        return max(self.points, key=lambda point: point.max_abs_weight_difference)

    @property
    def unseen(self) -> torch.Tensor:
        """Bool (V,): the rows that no step has looked up."""
        return self.lookups == 0

    @property
    def drift(self) -> float:
        """Largest change of a number in the rows never looked up, by either route; 0.0 if none."""
        ways = (self.tables - self.start).abs()[:, self.unseen]
        return float(ways.max()) if ways.numel() else 0.0

    def step(self) -> None:
        """Take one step on both routes, or say in `failed` why they cannot."""
        positions = next(self._batches).to(self._ids.device)
        ids, following = self._ids[positions], self._following[positions]
        losses = [route.backward(ids, following) for route in self.routes]
        if self._diverged(losses):
            return
        for route in self.routes:
            route.update()
        if not bool(self.tables.isfinite().all()):
            self.failed = self._stopped("the weights are no longer finite numbers")
            return
        self.steps += 1
        self.lookups += torch.bincount(ids, minlength=len(self.lookups))
        if self.steps % self.every == 0:
            self.points.append(self._point())

    @torch.no_grad()
    def _point(self) -> Point:
        losses = [self._whole.loss_of(route) for route in self.routes]
        apart = self.embedding.table - self.linear.table
        of_gradients = 0.0
        if self.steps:
            of_gradients = float((self.embedding.gradient - self.linear.gradient).abs().max())
        return Point(self.steps, losses[0], losses[1], float(apart.abs().max()), of_gradients)

    def _diverged(self, losses: list[float]) -> bool:
        first = max(1.0, self.points[0].loss_embedding)
        if not all(map(math.isfinite, losses)):
            shown = " and ".join(f"{loss:g}" for loss in losses)
            self.failed = self._stopped(f"the losses are {shown}, no finite numbers")
        elif (worst := max(losses)) > DIVERGED * first:
            self.failed = self._stopped(
                f"the loss is {worst:g}, over {DIVERGED:,.0f} times what it was at the start"
            )
        return bool(self.failed)

    def _stopped(self, reason: str) -> str:
        return (
            f"Stopped at step {self.steps + 1:,}: {reason}. {self.rule.label} with a "
            f"learning rate of {self.lr:g} diverges here; choose a smaller one."
        )


def one_hot(ids: torch.Tensor, rows: int, like: torch.Tensor) -> torch.Tensor:
    """One-hot rows (M, V) in the dtype and on the device of `like`."""
    return like.new_zeros(len(ids), rows).scatter_(1, ids.unsqueeze(1), 1.0)


def numbers_learnt(weight: torch.Tensor, loss: Loss) -> int:
    """How many numbers each route learns: those of its weight, and of a head."""
    return weight.numel() + sum(parameter.numel() for parameter in loss.parameters())


def _check_step(weight: torch.Tensor, loss: Loss, positions: int) -> None:
    """Refuse a step whose one-hot, or a training whose tensors, are too large."""
    if (hot := positions * len(weight)) > (most := bounds.STEP_ONE_HOT.value()):
        raise Refused(
            f"A one-hot of {positions:,} tokens × {len(weight):,} rows has {hot:,} numbers, more "
            f"than the {most:,} of one step. Train on minibatches, or on a shorter text.",
            {"Train on minibatches": {"batches": "minibatch"}},
            "batches",
        )
    learnt = numbers_learnt(weight, loss)
    needed = (learnt * COPIES + 2 * hot) * weight.element_size()
    check_budget(
        needed,
        f"Training side by side holds {COPIES} copies of {learnt:,} numbers and 2 of a one-hot of "
        f"{hot:,}: {format_bytes(needed)}",
    )
