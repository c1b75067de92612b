"""Both routes trained side by side: the same start, the same batches, the same optimizer.

`nn.Embedding`'s table (V, D) and `nn.Linear`'s weight (D, V) have an optimizer each and share no
number. After every step the difference of their weights and of their gradients is recorded.
Batches come from a private generator: the same arguments give the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config, check_budget
from embviz.core.layers import check_range, tie
from embviz.core.wording import format_bytes
from embviz.training.batches import Batches, whole_text
from embviz.training.journey import Journey
from embviz.training.losses import Loss
from embviz.training.optimizers import check_lr, optimizer_named
from embviz.training.size_limits import TRAINED_DTYPES, check_numbers
from embviz.training.step import one_hot
from embviz.training.stepwise import Stepwise

MAX_ONE_HOT = 8_000_000  # B · V numbers of one step
# Tensors as large as the table: both weights, their gradients, Adam's four moments, both journeys'
# first and latest tables, and three more within a step.
COPIES = 15
DIVERGED = 1_000.0  # factor over the first loss, or over 1 if that loss is smaller


class Point(NamedTuple):
    """One step: the losses before its update, and the differences after it."""

    step: int
    loss_embedding: float
    loss_linear: float
    max_abs_weight_difference: float
    max_abs_gradient_difference: float


class Lockstep(Stepwise[Point]):
    """Both routes and how far they are trained.

    Args:
        config: sizes, seed, init, dtype and device of the table.
        ids: int64, any shape.
        optimizer: a key of `OPTIMIZERS`.
        loss: the loss of both routes.
        lr: the learning rate; the optimizer's usual one if None.
        batches: the positions of each step; the whole text if None.
        table: the weights of `init="own"`, (V, D).

    Attributes:
        embedding: the trained `Embedding.weight`, (V, D).
        linear: the trained `Linear.weight`, (D, V).
        history: one `Point` for each step taken.
        failed: why training stopped, or `""`.
        lookups: int64 (V,), how often each row was looked up, repeats included.
        journeys: how far each row moved, of the embedding's table and of the linear layer's
            transposed one.
        moved: (V,), how far each of the embedding's rows moved in the latest step.

    Raises:
        ValueError: an unknown optimizer, a bad learning rate, too few tokens, a dtype outside
            `TRAINED_DTYPES`, or a table or one-hot over the limits, with the arithmetic.
        IndexError: an id without a row.
    """

    def __init__(
        self,
        config: Config,
        ids: torch.Tensor,
        *,
        optimizer: str,
        loss: Loss,
        lr: float | None = None,
        batches: Batches | None = None,
        table: torch.Tensor | None = None,
    ) -> None:
        numbers = config.num_embeddings * config.embedding_dim
        check_numbers(
            config.num_embeddings, config.embedding_dim, "training side by side takes up to"
        )
        if config.dtype not in TRAINED_DTYPES:
            raise ValueError(
                f"Training side by side takes {' or '.join(TRAINED_DTYPES)}, not {config.dtype}, "
                "in which steps this small round to nothing."
            )
        self.config, self.optimizer = config, optimizer_named(optimizer)
        tables = f"{COPIES} copies of a table of {numbers:,} numbers"
        _check_memory(config, numbers * COPIES, tables)
        self.lr = check_lr(self.optimizer.usual_lr if lr is None else lr)
        self._loss, self._batches, self._table = loss, batches or whole_text(), table
        self._text = ids
        ids, following = loss.pairs(ids)
        check_range(ids, config.num_embeddings)
        self._ids, self._following = ids.to(config.device), following.to(config.device)
        self._start()
        places = next(self._batches(len(self._ids))).to(config.device)
        if (hot := len(places) * config.num_embeddings) > MAX_ONE_HOT:
            raise ValueError(
                f"A one-hot of {len(places):,} tokens x {config.num_embeddings:,} rows has {hot:,} "
                f"numbers, more than the {MAX_ONE_HOT:,} of one step. Train on minibatches, or on "
                "a shorter text."
            )
        self._numbers = numbers * COPIES + 2 * hot
        _check_memory(config, self._numbers, f"{tables} and 2 of a one-hot of {hot:,}")
        # The loss itself refuses a target or a text that does not fit.
        loss(self.embedding.detach()[self._ids[places]], self._following[places])

    def in_float64(self) -> Lockstep:
        """The same training in float64, not yet begun: the same first numbers and batches.

        Raises:
            ValueError: both trainings together are over the memory budget.
        """
        config = replace(self.config, dtype="float64")
        share = self.config.torch_dtype.itemsize / config.torch_dtype.itemsize
        what = f"{self._numbers:,} numbers in {self.config.dtype} and as many in float64"
        _check_memory(config, math.ceil(self._numbers * (1 + share)), what)
        table = None if self._table is None else self._table.to(self.config.torch_dtype)
        return Lockstep(
            config,
            self._text,
            optimizer=self.optimizer.name,
            loss=self._loss,
            lr=self.lr,
            batches=self._batches,
            table=table,
        )

    def _start(self) -> None:
        """The first weights, batches and an empty history."""
        layers = tie(self.config, self._table)
        self.embedding = nn.Parameter(layers.embedding.weight.detach())
        self.linear = nn.Parameter(layers.linear.weight.detach())
        self._optimizers = self.optimizer.make(self.embedding, self.linear, self.lr)
        self._places: Iterator[torch.Tensor] = self._batches(len(self._ids))
        self.history: list[Point] = []
        self.failed = ""
        self.lookups = torch.zeros(
            self.config.num_embeddings, dtype=torch.int64, device=self.config.device
        )
        self.journeys = (Journey(self.embedding), Journey(self.linear.T))
        self.moved = torch.zeros_like(self.journeys[0].path)
        nothing = torch.empty(0, dtype=torch.int64)
        self._latest = (nothing, nothing, torch.empty(0))

    @torch.no_grad()
    def before(self) -> Point:
        """Step 0: the losses of the first batch and the difference of the weights, as they are."""
        places = next(self._batches(len(self._ids))).to(self._ids.device)
        ids, following = self._ids[places], self._following[places]
        by_lookup = self._loss(F.embedding(ids, self.embedding), following)
        by_product = self._loss(F.linear(one_hot(ids, self.linear), self.linear), following)
        apart = float((self.embedding - self.linear.T).abs().max())
        return Point(0, float(by_lookup), float(by_product), apart, 0.0)

    @property
    def max_abs_weight_difference(self) -> float:
        """Largest |difference| of the weights over all steps; 0.0 before the first."""
        return self.furthest.max_abs_weight_difference if self.history else 0.0

    @property
    def furthest(self) -> Point:
        """The first step after which the weights differed most; at least one is taken."""
        return max(self.history, key=lambda point: point.max_abs_weight_difference)

    @property
    def max_abs_loss_difference(self) -> float:
        """Largest |difference| of the losses over all steps; 0.0 before the first."""
        return max((abs(one.loss_embedding - one.loss_linear) for one in self.history), default=0.0)

    @property
    def max_abs_gradient_difference(self) -> float:
        """Largest |difference| of the gradients over all steps; 0.0 before the first."""
        return max((point.max_abs_gradient_difference for point in self.history), default=0.0)

    @property
    def rows_never_looked_up(self) -> int:
        """Number of rows that no step has looked up."""
        return int((self.lookups == 0).sum())

    @property
    def max_drift_of_unseen_rows(self) -> float:
        """Longest path of a row that no step looked up, of both routes; 0.0 if there is none."""
        unseen = self.lookups == 0
        if not bool(unseen.any()):
            return 0.0
        return max(float(journey.path[unseen].max()) for journey in self.journeys)

    def _step(self) -> None:
        places = next(self._places)
        if places is not self._latest[0]:  # the one-hot of the whole text is made once
            ids = self._ids[places.to(self._ids.device)]
            self._latest = (places, ids, one_hot(ids, self.linear.detach()))
        _, ids, hot = self._latest
        following = self._following[places.to(ids.device)]
        by_lookup = self._loss(
            F.embedding(ids, self.embedding, sparse=self.optimizer.sparse_gradient), following
        )
        by_product = self._loss(F.linear(hot, self.linear), following)
        losses = float(by_lookup.detach()), float(by_product.detach())
        if self._diverged(losses):
            return
        (self.embedding.grad,) = torch.autograd.grad(by_lookup, self.embedding)
        (self.linear.grad,) = torch.autograd.grad(by_product, self.linear)
        for optimizer in self._optimizers:
            optimizer.step()
        dense = (
            self.embedding.grad.to_dense()
            if self.optimizer.sparse_gradient
            else self.embedding.grad
        )
        with torch.no_grad():
            apart = float((self.embedding - self.linear.T).abs().max())
            gradients_apart = float((dense - self.linear.grad.T).abs().max())
        if not math.isfinite(apart):
            self.failed = self._stopped("the weights are no longer finite numbers")
            return
        self.history.append(Point(self.steps + 1, *losses, apart, gradients_apart))
        self.lookups += torch.bincount(ids, minlength=len(self.lookups))
        self.moved = self.journeys[0].move(self.embedding, ids)
        self.journeys[1].move(self.linear.T, ids)

    def _diverged(self, losses: tuple[float, float]) -> bool:
        worst = max(losses) if all(map(math.isfinite, losses)) else math.inf
        first = max(1.0, self.history[0].loss_embedding) if self.history else math.inf
        if not math.isfinite(worst):
            shown = " and ".join(f"{loss:g}" for loss in losses)
            self.failed = self._stopped(f"the losses are {shown}, no finite numbers")
        elif worst > DIVERGED * first:
            self.failed = self._stopped(
                f"the loss is {worst:g}, over {DIVERGED:,.0f} times what it was at the start"
            )
        return bool(self.failed)

    def _stopped(self, reason: str) -> str:
        return (
            f"Stopped at step {self.steps + 1:,}: {reason}. {self.optimizer.label} with a "
            f"learning rate of {self.lr:g} diverges here; choose a smaller one."
        )


def _check_memory(config: Config, numbers: int, what: str) -> None:
    """Raise ValueError if a training would need more than the memory budget."""
    needed = numbers * config.torch_dtype.itemsize
    check_budget(
        needed,
        f"Training side by side holds {what}: {format_bytes(needed)}",
        " Choose fewer rows, columns or tokens, or minibatches.",
    )
