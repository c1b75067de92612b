"""Both routes trained side by side: the same start, the same batches, the same optimizer.

`nn.Embedding`'s table (V, D) and `nn.Linear`'s weight (D, V) have an optimizer each and share no
number. After every step the difference of their weights and of their gradients is recorded.
Batches come from a private generator: the same arguments give the same numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config, check_budget
from embviz.core.dtypes import WIDE
from embviz.core.layers import check_range, tie
from embviz.core.refused import Refused
from embviz.core.wording import format_bytes
from embviz.training.batches import Batches, whole_text
from embviz.training.losses import Loss
from embviz.training.optimizers import check_lr, optimizer_named
from embviz.training.step import one_hot
from embviz.training.stepwise import Stepwise

MAX_NUMBERS = 2_000_000  # V · D of the table
MAX_ONE_HOT = 8_000_000  # B · V numbers of one step
# Tensors as large as the table: both weights, their gradients, Adam's four moments, the table at
# the start, and three more within a step.
COPIES = 12
DIVERGED = 1_000.0  # factor over the first loss, or over 1 if that loss is smaller


class Point(NamedTuple):
    """One step: the losses before its update, and the differences after it."""

    step: int
    loss_embedding: float
    loss_linear: float
    max_abs_weight_difference: float
    max_abs_gradient_difference: float


class Lockstep(Stepwise):
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
        start: both at the start, (V, D).
        history: one `Point` for each step taken.
        lookups: int64 (V,), how often each row was looked up, repeats included.

    Raises:
        Refused: an unknown optimizer, a bad learning rate, too few tokens, a dtype outside
            `WIDE`, or a table or one-hot over the limits, with the arithmetic.
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
        self.config, self.optimizer = config, optimizer_named(optimizer)
        numbers = _check_table(config)
        self.lr = check_lr(self.optimizer.usual_lr if lr is None else lr)
        self._loss, self._batches = loss, batches or whole_text()
        ids, following = loss.pairs(ids)
        check_range(ids, config.num_embeddings)
        self._ids, self._following = ids.to(config.device), following.to(config.device)
        layers = tie(config, table)
        self.embedding = nn.Parameter(layers.embedding.weight.detach())
        self.linear = nn.Parameter(layers.linear.weight.detach())
        self.start = self.embedding.detach().clone()
        self._optimizers = self.optimizer.make(self.embedding, self.linear, self.lr)
        self._places = self._batches(len(ids))
        self.history: list[Point] = []
        self.lookups = torch.zeros(config.num_embeddings, dtype=torch.int64, device=config.device)
        self._check_one_hot(numbers)
        # The loss itself refuses a target or a text that does not fit.
        self.before()

    def _check_one_hot(self, numbers: int) -> None:
        config, tokens = self.config, len(next(self._batches(len(self._ids))))
        if (hot := tokens * config.num_embeddings) > MAX_ONE_HOT:
            raise Refused(
                f"A one-hot of {tokens:,} tokens x {config.num_embeddings:,} rows has {hot:,} "
                f"numbers, more than the {MAX_ONE_HOT:,} of one step. Train on minibatches, or on "
                "a shorter text."
            )
        what = f"{COPIES} copies of a table of {numbers:,} numbers and 2 of a one-hot of {hot:,}"
        _check_memory(config, numbers * COPIES + 2 * hot, what)

    @torch.no_grad()
    def before(self) -> Point:
        """Step 0: the losses of the first batch and the difference of the weights, as they are."""
        _, by_lookup, by_product = self._losses(next(self._batches(len(self._ids))))
        return Point(0, float(by_lookup), float(by_product), self._apart(), 0.0)

    @property
    def furthest(self) -> Point:
        """The first step after which the weights differed most; at least one is taken."""
        return max(self.history, key=lambda point: point.max_abs_weight_difference)

    @property
    def max_abs_weight_difference(self) -> float:
        """Largest |difference| of the weights over all steps; 0.0 before the first."""
        return max((one.max_abs_weight_difference for one in self.history), default=0.0)

    @property
    def max_abs_loss_difference(self) -> float:
        """Largest |difference| of the losses over all steps; 0.0 before the first."""
        return max((abs(one.loss_embedding - one.loss_linear) for one in self.history), default=0.0)

    @property
    def max_abs_gradient_difference(self) -> float:
        """Largest |difference| of the gradients over all steps; 0.0 before the first."""
        return max((one.max_abs_gradient_difference for one in self.history), default=0.0)

    @property
    def rows_never_looked_up(self) -> int:
        """Number of rows that no step has looked up."""
        return int((self.lookups == 0).sum())

    @property
    def max_drift_of_unseen_rows(self) -> float:
        """Largest distance from the start of a row that no step looked up, of both routes."""
        distances = (self.tables() - self.start).norm(dim=2)[:, self.lookups == 0]
        return float(distances.max()) if distances.numel() else 0.0

    def tables(self) -> torch.Tensor:
        """Both weights now, (2, V, D): the embedding's, and the linear layer's transposed."""
        return torch.stack([self.embedding.detach(), self.linear.detach().T])

    def _step(self) -> None:
        ids, by_lookup, by_product = self._losses(next(self._places))
        losses = float(by_lookup.detach()), float(by_product.detach())
        if self._diverged(losses):
            return
        (self.embedding.grad,) = torch.autograd.grad(by_lookup, self.embedding)
        (self.linear.grad,) = torch.autograd.grad(by_product, self.linear)
        for optimizer in self._optimizers:
            optimizer.step()
        assert self.embedding.grad is not None
        assert self.linear.grad is not None
        apart = self._apart()
        gradients_apart = (self.embedding.grad.to_dense() - self.linear.grad.T).abs().max()
        if not math.isfinite(apart):
            self.failed = self._stopped("the weights are no longer finite numbers")
            return
        self.steps += 1
        self.history.append(Point(self.steps, *losses, apart, float(gradients_apart)))
        self.lookups += torch.bincount(ids, minlength=len(self.lookups))

    def _losses(self, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The ids at some positions, and their loss by lookup and by one-hot x Linear."""
        places = places.to(self._ids.device)
        ids, following = self._ids[places], self._following[places]
        rows = F.embedding(ids, self.embedding, sparse=self.optimizer.sparse_gradient)
        product = F.linear(one_hot(ids, self.linear.detach()), self.linear)
        return ids, self._loss(rows, following), self._loss(product, following)

    @torch.no_grad()
    def _apart(self) -> float:
        return float((self.embedding - self.linear.T).abs().max())

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


def _check_table(config: Config) -> int:
    """Numbers of the table; raise ValueError before one is allocated that is not trained here."""
    rows, columns = config.num_embeddings, config.embedding_dim
    if (numbers := rows * columns) > MAX_NUMBERS:
        raise Refused(
            f"A table of {rows:,} x {columns:,} has {numbers:,} numbers; training side by side "
            f"takes up to {MAX_NUMBERS:,}. Choose fewer rows or columns."
        )
    if config.dtype not in WIDE:  # in float16 Adam's eps is 0, and 0 / 0 is NaN
        raise Refused(
            f"Training side by side takes {' or '.join(WIDE)}, not {config.dtype}, "
            "in which steps this small round to nothing."
        )
    tables = f"{COPIES} copies of a table of {numbers:,} numbers"
    _check_memory(config, numbers * COPIES, tables)
    return numbers


def _check_memory(config: Config, numbers: int, what: str) -> None:
    """Raise ValueError if a training would need more than the memory budget."""
    needed = numbers * config.torch_dtype.itemsize
    check_budget(
        needed,
        f"Training side by side holds {what}: {format_bytes(needed)}",
    )
