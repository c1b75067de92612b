"""A model of the next character or piece, trained twice: by lookup and by one-hot x Linear.

Each route has its own layer and its own copy of the head. Both start from the same numbers and
learn from the same batches, drawn by a private generator. The model sees one id and
predicts the next, so its loss cannot be below `bigram_limit`. It holds no text out and draws no
page: `advance` returns after its budget.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property

import torch
from torch.nn import functional as F

from embviz.core.config import Config, ConfigError
from embviz.core.layers import tie
from embviz.training.route_layers import Weights, both_routes
from embviz.training.sampling import most_likely, sample
from embviz.training.size_limits import check, max_steps
from embviz.training.text import bigram_entropy

LEARNING_RATE = 0.01
BATCH = 256  # positions drawn for each step
EVERY = 10  # steps between records
DIVERGED = 100.0  # nats: the loss of a model that gives the right answer probability 0


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
    """Embedding and head in both routes, and how far they are trained.

    Args:
        config: sizes, seed, init, dtype and device of the table.
        ids: the text, int64 (N,), as `embviz.training.text.prepare` gives it.
        lr: Adam's learning rate.

    Attributes:
        embedding, linear: the routes.
        steps: steps taken.
        seconds: time spent in `advance`.
        failed: why training stopped, or `""`.
        history: the record of the start and of every tenth step.

    Raises:
        ConfigError: sizes, dtype, learning rate or ids that cannot be trained here.
    """

    def __init__(self, config: Config, ids: torch.Tensor, *, lr: float = LEARNING_RATE) -> None:
        check(config, ids, lr)
        self.config, self._lr = config, lr
        self.embedding, self.linear = both_routes(tie(config), config.seed)
        self._ids = ids.to(config.device)
        self._this, self._next = self._ids[:-1], self._ids[1:]
        rows = config.num_embeddings
        pairs, counts = torch.unique(self._this * rows + self._next, return_counts=True)
        self._pairs = pairs // rows, pairs % rows
        self._shares = (counts / counts.sum()).to(config.torch_dtype)
        self._start(0)

    def _start(self, steps: int) -> None:
        """New optimizers, batches and history for the weights as they are."""
        self.steps = self._first_step = steps
        self.seconds, self.failed = 0.0, ""
        self._generator = torch.Generator().manual_seed(self.config.seed)
        self._optimizers = [
            torch.optim.Adam(route.parameters(), lr=self._lr)
            for route in (self.embedding, self.linear)
        ]
        self.history: list[Record] = [self._record()]

    def advance(self, steps: int, budget_s: float = math.inf) -> int:
        """Take up to `steps` steps, and stop after the one that ends past the budget.

        Returns:
            Steps taken: fewer at the end of the budget, of the training, or if it `failed`.
        """
        started, before = time.perf_counter(), self.steps
        while self.steps - before < steps and not self.finished and self._one_step():
            if self.steps % EVERY == 0:
                self.history.append(self._record())
            if time.perf_counter() - started >= budget_s:
                break
        self.seconds += time.perf_counter() - started
        return self.steps - before

    @property
    def finished(self) -> bool:
        """Whether `advance` would do nothing."""
        return bool(self.failed) or self.steps >= max_steps()

    @cached_property
    def bigram_limit(self) -> float:
        """The least loss in nats that a model that sees one id can have on this text."""
        return bigram_entropy(self._ids, self.config.num_embeddings)

    @cached_property
    def occurring(self) -> list[int]:
        """The ids that the text has, ascending."""
        return [int(i) for i in torch.unique(self._ids)]

    @property
    def steps_per_second(self) -> float:
        """Measured over all of `advance`; 0 before the first step."""
        return (self.steps - self._first_step) / self.seconds if self.seconds else 0.0

    @property
    def weight(self) -> torch.Tensor:
        """The lookup route's table, (V, D); a copy, on the CPU."""
        return self.embedding.rows().cpu().clone()

    @torch.no_grad()
    def loss(self) -> tuple[float, float]:
        """Mean cross-entropy over all pairs of the text, in nats: lookup's and matmul's."""
        found = []
        for route in (self.embedding, self.linear):
            log_probabilities = F.log_softmax(route.all_logits(), dim=1)
            found.append(float(-(log_probabilities[self._pairs] * self._shares).sum()))
        return found[0], found[1]

    def next_characters(self, token: int, k: int = 10) -> list[tuple[int, float]]:
        """The k most likely ids after `token`, with their probabilities (lookup's route).

        Raises:
            IndexError: a token without a row.
            ConfigError: the training failed.
        """
        return most_likely(self._logits(token)[token], k)

    def sample(
        self, length: int, seed: int = 0, temperature: float = 1.0, start: int | None = None
    ) -> list[int]:
        """`length` ids that the model writes after `start` (default: the text's first id).

        Raises:
            IndexError: a start without a row.
            ConfigError: the training failed, or as `embviz.training.sampling.sample`.
        """
        first = int(self._ids[0]) if start is None else start
        logits = self._logits(first)
        return sample(lambda written: logits[written[-1]], [first], length, seed, temperature)

    def state(self) -> Weights:
        """Copies of all weights on the CPU, for `embviz.training.export.to_npz`."""
        return Weights.of(self.config, self.steps, self.embedding, self.linear)

    def load_state(self, weights: Weights) -> None:
        """Continue from saved weights, with new moments of the optimizers and a new history.

        Raises:
            ConfigError: weights of another shape or another vocabulary.
        """
        weights.copy_into(self.config, self.embedding, self.linear)
        self._start(weights.step)

    def _one_step(self) -> bool:
        place = torch.randint(len(self._this), (BATCH,), generator=self._generator)
        place = place.to(self.config.device)
        this, following = self._this[place], self._next[place]
        losses = [
            F.cross_entropy(route(this), following) for route in (self.embedding, self.linear)
        ]
        for name, loss in zip(("lookup", "matmul"), losses, strict=True):
            value = float(loss.detach())
            # Written so that NaN stops the training too.
            if not value <= max(DIVERGED, 10 * self.history[0].loss_embedding):
                self.failed = (
                    f"Stopped before step {self.steps + 1:,}: the {name} route's loss is "
                    f"{value:g}. Start again with a smaller learning rate."
                )
                return False
        for optimizer, loss in zip(self._optimizers, losses, strict=True):
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        self.steps += 1
        return True

    @torch.no_grad()
    def _record(self) -> Record:
        difference = (self.embedding.rows() - self.linear.rows()).abs().max()
        return Record(self.steps, *self.loss(), float(difference))

    @torch.no_grad()
    def _logits(self, token: int) -> torch.Tensor:
        """Logits (V, V), float64, of what follows each id; `token` must have a row."""
        if self.failed:
            raise ConfigError(self.failed)
        if not 0 <= token < self.config.num_embeddings:
            raise IndexError(
                f"Id {token} has no row; rows are 0 to {self.config.num_embeddings - 1}."
            )
        return self.embedding.all_logits().double().cpu()
