"""A next-character model, trained twice at once: by lookup and by one-hot x Linear.

Each route has its own layer and its own copy of the head; both start from the same
numbers and learn from the same batches, drawn by a private generator. The model sees
one character and predicts the next, so `bigram_limit` bounds it: it has no memory,
and holds nothing out. It does not draw, sleep or know of a page: `advance` returns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config, ConfigError
from embviz.core.layers import tie
from embviz.training.route_layers import Weights, both_routes
from embviz.training.sampling import next_characters, sample
from embviz.training.size_limits import check, max_steps
from embviz.training.text import bigram_entropy

LEARNING_RATE = 0.01
BATCH = 256
EVERY = 10  # steps between records
DIVERGED = 100.0  # nats: the loss of a model that calls what comes impossible

MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


@dataclass(frozen=True)
class Record:
    """The model after `step` steps.

    Attributes:
        step: steps taken.
        loss_embedding, loss_linear: mean cross-entropy over the whole text, in nats.
        max_abs_weight_difference: largest |difference| between the routes' tables.
    """

    step: int
    loss_embedding: float
    loss_linear: float
    max_abs_weight_difference: float


class CharModel:
    """Embedding and head in both routes, and how far they have come.

    Args:
        config: sizes, seed, start, dtype and device of the table.
        ids: the text, int64 of shape (N,), as `embviz.training.text.prepare` gives it.
        lr: Adam's learning rate; unused if `make_optimizer` is given.
        batch_size: positions drawn for each step, 1 to 1,024.
        bias: whether the head adds one number a character.
        tied: whether the head's weight is the table itself.
        every: steps between records.
        make_optimizer: another optimizer, made once for each route.
        table: the weights of `init="own"`, shape (V, D).

    Raises:
        ConfigError: sizes, dtype, learning rate or ids that cannot be trained here.
    """

    def __init__(
        self,
        config: Config,
        ids: torch.Tensor,
        *,
        lr: float = LEARNING_RATE,
        batch_size: int = BATCH,
        bias: bool = True,
        tied: bool = False,
        every: int = EVERY,
        make_optimizer: MakeOptimizer | None = None,
        table: torch.Tensor | None = None,
    ) -> None:
        check(config, ids, lr, batch_size, every)
        self.config, self.tied, self.every, self.batch_size = config, tied, every, batch_size
        self.step = 0
        self._taken = 0  # since the start, or since weights were loaded
        self.seconds = 0.0  # spent in `advance`
        self.failed: str | None = None
        self._generator = torch.Generator().manual_seed(config.seed)
        self.embedding, self.linear = both_routes(tie(config, table), config.seed, bias, tied)
        self._make = make_optimizer or (lambda parameters: torch.optim.Adam(parameters, lr=lr))
        self._start_optimizers()
        ids = ids.to(config.device)
        self._this, self._next = ids[:-1], ids[1:]
        self._ids = ids
        pairs, counts = torch.unique(
            self._this * config.num_embeddings + self._next, return_counts=True
        )
        self._pairs = pairs // config.num_embeddings, pairs % config.num_embeddings
        self._shares = (counts / counts.sum()).to(config.torch_dtype)
        self.history: list[Record] = [self._record()]

    def advance(self, steps: int, budget_s: float = math.inf) -> int:
        """Take up to `steps` steps, and stop after the one that ends past the budget.

        Returns:
            steps taken; fewer than asked for at the end of the budget, after `max_steps()`
            in all, or when `failed` holds a sentence.
        """
        started, done, most = time.perf_counter(), 0, max_steps()
        while done < steps and self.step < most and self.failed is None:
            if not self._one_step():
                break
            done += 1
            if self.step % self.every == 0:
                self.history.append(self._record())
            if time.perf_counter() - started >= budget_s:
                break
        self.seconds += time.perf_counter() - started
        return done

    @cached_property
    def bigram_limit(self) -> float:
        """The least loss in nats that a model of one character can have on this text."""
        return bigram_entropy(self._ids, self.config.num_embeddings)

    @cached_property
    def occurring(self) -> list[int]:
        """The ids that the text has, ascending."""
        return [int(i) for i in torch.unique(self._ids)]

    @property
    def steps_per_second(self) -> float:
        """Measured over all of `advance`; 0 before the first step."""
        return self._taken / self.seconds if self.seconds else 0.0

    @property
    def weight(self) -> torch.Tensor:
        """The lookup route's table, (V, D); a copy, on the CPU."""
        return self.embedding.rows().cpu().clone()

    @property
    def linear_weight(self) -> torch.Tensor:
        """The matmul route's weight as `nn.Linear` holds it, (D, V); a copy, on the CPU."""
        return self.linear.rows().t().cpu().clone(memory_format=torch.contiguous_format)

    @torch.no_grad()
    def loss(self) -> tuple[float, float]:
        """Mean cross-entropy over all pairs of the text, in nats: lookup's and matmul's."""
        found = []
        for route in (self.embedding, self.linear):
            chances = F.log_softmax(route.all_logits(), dim=1)
            found.append(float(-(chances[self._pairs] * self._shares).sum()))
        return found[0], found[1]

    def next_characters(self, token: int, k: int = 10) -> list[tuple[int, float]]:
        """The k most likely next ids after `token`, with their probabilities (lookup's route)."""
        return next_characters(self._answers(), token, k)

    def sample(
        self, length: int, seed: int = 0, temperature: float = 1.0, start: int | None = None
    ) -> list[int]:
        """`length` ids that the model writes after `start` (default: the text's first id)."""
        first = int(self._ids[0]) if start is None else start
        return sample(self._answers(), length, seed, temperature, first)

    def state(self) -> Weights:
        """Copies of all weights on the CPU, for `embviz.training.export.to_npz`."""
        return Weights.of(self.config, self.step, self.embedding, self.linear)

    def load_state(self, weights: Weights) -> None:
        """Go on from saved weights. The optimizers' moments start anew, and so does the history.

        Raises:
            ConfigError: weights of another shape, another vocabulary, or otherwise tied.
        """
        weights.copy_into(self.config, self.embedding, self.linear)
        self.step, self.seconds, self.failed = weights.step, 0.0, None
        self._taken = 0
        self._generator.manual_seed(self.config.seed)
        self._start_optimizers()
        self.history = [self._record()]

    def _start_optimizers(self) -> None:
        self._optimizers = [
            self._make(list(route.parameters())) for route in (self.embedding, self.linear)
        ]

    def _one_step(self) -> bool:
        place = torch.randint(len(self._this), (self.batch_size,), generator=self._generator)
        place = place.to(self.config.device)
        this, following = self._this[place], self._next[place]
        routes = (self.embedding, self.linear)
        losses = [F.cross_entropy(route(this), following) for route in routes]
        for name, loss in zip(("lookup", "matmul"), losses, strict=True):
            value = float(loss.detach())
            if not value <= max(DIVERGED, 10 * self.history[0].loss_embedding):  # NaN neither
                self.failed = (
                    f"Stopped before step {self.step + 1:,}: the {name} route's loss is {value:g}. "
                    "Start again with a smaller learning rate."
                )
                return False
        for optimizer, loss in zip(self._optimizers, losses, strict=True):
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        self.step += 1
        self._taken += 1
        return True

    @torch.no_grad()
    def _record(self) -> Record:
        difference = (self.embedding.rows() - self.linear.rows()).abs().max()
        return Record(self.step, *self.loss(), float(difference))

    def _answers(self) -> torch.Tensor:
        if self.failed is not None:
            raise ConfigError("lr", self.failed)
        with torch.no_grad():
            return self.embedding.all_logits().double().cpu()
