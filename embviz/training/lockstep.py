"""Two routes, trained side by side: the same start, the same batches, the same rule.

`nn.Embedding`'s table (V, D) and `nn.Linear`'s (D, V) each have their own optimizer and never see
each other; after every step the difference of their weights and gradients is written down. It
draws its batches from a generator of its own: same arguments, same numbers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core import bounds
from embviz.core.config import BUDGET_VARIABLE, Config, budget_bytes
from embviz.core.dtypes import WIDE
from embviz.core.layers import tie
from embviz.core.wording import format_bytes
from embviz.training.batches import Batches, whole_text
from embviz.training.journey import Journey
from embviz.training.losses import Loss
from embviz.training.optimizers import TOLERANCE, check_lr, optimizer_named
from embviz.training.step import one_hot

MAX_NUMBERS = 2_000_000  # V · D of a table that is trained
MAX_ONE_HOT = 8_000_000  # B · V numbers of one step
# Of the size of a table: both weights, their gradients, Adam's four moments, where both journeys
# began and were last, and three more within a step.
COPIES = 15
TRAINED_DTYPES = tuple(WIDE)  # in float16 Adam's eps is 0, and 0 / 0 is NaN
DIVERGED = 1_000.0  # times the first loss, or times 1 if that is smaller


class Point(NamedTuple):
    """One step; losses are of before its update, differences of the weights of after."""

    step: int
    loss_embedding: float
    loss_linear: float
    max_abs_weight_difference: float
    max_abs_gradient_difference: float


class Lockstep:
    """Both routes, as far as they have been trained.

    Attributes:
        embedding: the trained `Embedding.weight`, (V, D).
        linear: the trained `Linear.weight`, (D, V).
        history: one `Point` per step taken.
        failed: why it cannot go on, or `""`.
        lookups: int64 (V,), how often each row was looked up, repeats counted.
        journeys: how far each row travelled, of the embedding's table and of the linear
            layer's, transposed.
        moved: (V,), how far each of the embedding's rows moved in the latest step.

    Raises:
        ValueError: an unknown optimizer, a bad learning rate, too few tokens, another dtype than
            `TRAINED_DTYPES`, a table or a one-hot over the bounds, with the arithmetic.
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
        if numbers > MAX_NUMBERS:
            raise ValueError(
                f"A table of {config.num_embeddings:,} x {config.embedding_dim:,} has {numbers:,} "
                f"numbers; training side by side takes up to {MAX_NUMBERS:,}. "
                "Choose fewer rows or columns."
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
        ids, following = loss.pairs(ids)
        if not 0 <= int(ids.min()) <= int(ids.max()) < config.num_embeddings:
            raise IndexError(
                f"ids run from {int(ids.min()):,} to {int(ids.max()):,}; "
                f"this table has rows 0 to {config.num_embeddings - 1:,}."
            )
        self._ids, self._following = ids.to(config.device), following.to(config.device)
        self.reset()
        places = next(self._batches(len(self._ids))).to(config.device)
        if (hot := len(places) * config.num_embeddings) > MAX_ONE_HOT:
            raise ValueError(
                f"A one-hot of {len(places):,} tokens x {config.num_embeddings:,} rows has {hot:,} "
                f"numbers, more than the {MAX_ONE_HOT:,} of one step. Train on minibatches, or on "
                "a shorter text."
            )
        _check_memory(config, numbers * COPIES + 2 * hot, f"{tables} and 2 of a one-hot of {hot:,}")
        loss(self.embedding.detach()[self._ids[places]], self._following[places])  # does it fit?

    def reset(self) -> None:
        """Back to the start: the same weights, the same batches to come."""
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

    @property
    def steps(self) -> int:
        """Steps taken."""
        return len(self.history)

    def advance(self, steps: int, budget_s: float = math.inf) -> int:
        """Train on, at least one step, until so many steps or seconds are over.

        Returns:
            Steps taken: fewer than asked for at the end of the budget, after EMBVIZ_MAX_STEPS in
            all, or when training `failed`.
        """
        end = time.perf_counter() + budget_s
        before = self.steps
        last = min(before + steps, bounds.STEPS.value())
        while self.steps < last and not self.failed:
            self._step()
            if time.perf_counter() >= end:
                break
        return self.steps - before

    @property
    def finished(self) -> bool:
        """Whether `advance` would do nothing."""
        return bool(self.failed) or self.steps >= bounds.STEPS.value()

    @property
    def max_abs_weight_difference(self) -> float:
        """Largest of all steps; 0.0 before the first."""
        return max((point.max_abs_weight_difference for point in self.history), default=0.0)

    @property
    def max_abs_gradient_difference(self) -> float:
        """Largest of all steps; 0.0 before the first."""
        return max((point.max_abs_gradient_difference for point in self.history), default=0.0)

    @property
    def within_tolerance(self) -> bool:
        """Whether the weights never differed by more than `TOLERANCE`."""
        return self.max_abs_weight_difference <= TOLERANCE

    @property
    def rows_never_looked_up(self) -> int:
        """Rows that no step has looked up so far."""
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
        if places is not self._latest[0]:  # the whole text's one-hot is made once
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
            self.failed = self._sentence("the weights are no longer finite numbers")
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
            self.failed = self._sentence(f"the losses are {shown}, no finite numbers")
        elif worst > DIVERGED * first:
            self.failed = self._sentence(
                f"the loss is {worst:g}, over {DIVERGED:,.0f} times what it was at the start"
            )
        return bool(self.failed)

    def _sentence(self, what: str) -> str:
        return (
            f"Stopped at step {self.steps + 1:,}: {what}. {self.optimizer.label} with a "
            f"learning rate of {self.lr:g} diverges here; choose a smaller one."
        )


def _check_memory(config: Config, numbers: int, what: str) -> None:
    """Refuse (ValueError) a training that would hold more than the memory budget."""
    needed = numbers * config.torch_dtype.itemsize
    if needed > budget_bytes():
        bounds.TABLE.refused()
        raise ValueError(
            f"Training side by side holds {what}, {format_bytes(needed)}: over the budget of "
            f"{format_bytes(budget_bytes())} ({BUDGET_VARIABLE}). Choose fewer rows, columns or "
            "tokens, or minibatches."
        )
