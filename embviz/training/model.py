"""A model of the next character or piece, trained twice: by lookup and by one-hot x Linear.

Each route has its own layer and its own copy of the head. Both start from the same numbers and
learn from the same batches, drawn by a private generator. The model sees one id and
predicts the next, so its loss cannot be below `bigram_limit`. It holds no text out and draws no
page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.route_layers import both_routes
from embviz.training.stepwise import Stepwise
from embviz.training.text import bigram_entropy

LEARNING_RATE = 0.01
BATCH = 256  # positions drawn for each step
EVERY = 10  # steps between records


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


class CharModel(Stepwise):
    """Embedding and head in both routes, and how far they are trained with Adam.

    Args:
        config: sizes and seed of the table, float32 on the CPU.
        ids: the text, int64 (N,), as `embviz.training.text.prepare` gives it.

    Attributes:
        embedding, linear: the routes.
        history: the record of the start and of every tenth step.
    """

    most = 20_000

    def __init__(self, config: Config, ids: torch.Tensor) -> None:
        self.config, self._ids = config, ids
        self.embedding, self.linear = both_routes(tie(config), config.seed)
        rows = config.num_embeddings
        pairs, counts = torch.unique(ids[:-1] * rows + ids[1:], return_counts=True)
        self._pairs, self._shares = (pairs // rows, pairs % rows), counts / counts.sum()
        self._generator = torch.Generator().manual_seed(config.seed)
        self._optimizers = [
            torch.optim.Adam(route.parameters(), lr=LEARNING_RATE)
            for route in (self.embedding, self.linear)
        ]
        self.history = [self._record()]

    @cached_property
    def bigram_limit(self) -> float:
        """The least loss in nats that a model that sees one id can have on this text."""
        return bigram_entropy(self._ids, self.config.num_embeddings)

    @cached_property
    def occurring(self) -> list[int]:
        """The ids that the text has, ascending."""
        return [int(i) for i in torch.unique(self._ids)]

    @property
    def weight(self) -> torch.Tensor:
        """The lookup route's table, (V, D); a copy."""
        return self.embedding.rows().clone()

    def loss(self) -> tuple[float, float]:
        """Mean cross-entropy over all pairs of the text, in nats: lookup's and matmul's."""
        found = []
        for route in (self.embedding, self.linear):
            log_probabilities = F.log_softmax(route.all_logits(), dim=1)
            found.append(float(-(log_probabilities[self._pairs] * self._shares).sum()))
        return found[0], found[1]

    def next_characters(self, token: int, k: int = 10) -> list[tuple[int, float]]:
        """The k most likely ids after `token`, with their probabilities (lookup's route)."""
        found = self._chances()[token].sort(descending=True, stable=True)
        pairs = zip(found.indices[:k].tolist(), found.values[:k].tolist(), strict=True)
        return list(pairs)

    def sample(self, length: int, start: int, seed: int = 0) -> list[int]:
        """`length` ids that the model writes after `start`, drawn by a private generator."""
        chances, generator = self._chances(), torch.Generator().manual_seed(seed)
        written = [start]
        for _ in range(length):
            written.append(int(chances[written[-1]].multinomial(1, generator=generator)))
        return written[1:]

    def _step(self) -> None:
        place = torch.randint(len(self._ids) - 1, (BATCH,), generator=self._generator)
        this, following = self._ids[place], self._ids[place + 1]
        routes = self.embedding, self.linear
        for optimizer, route in zip(self._optimizers, routes, strict=True):
            optimizer.zero_grad()
            F.cross_entropy(route(this), following).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        self.steps += 1
        if self.steps % EVERY == 0:
            self.history.append(self._record())

    def _record(self) -> Record:
        difference = (self.embedding.rows() - self.linear.rows()).abs().max()
        return Record(self.steps, *self.loss(), float(difference))

    def _chances(self) -> torch.Tensor:
        """Probabilities (V, V), float64: row i holds those of what follows id i."""
        return torch.softmax(self.embedding.all_logits().double(), dim=1)
