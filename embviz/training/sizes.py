"""How large should D be? Models that differ in D alone, trained on the same text and batches.

Each is the lookup's route of `Writing` with that D: the same numbers, step for step. The linear
layer's route learns the same, and is left out here. Nothing is measured on another text than that
which is learnt from.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from embviz.fact.layers import tie
from embviz.fact.table import Table
from embviz.fact.vocabulary import Vocabulary
from embviz.training.batches import minibatches
from embviz.training.corpus import bigram_entropy, left_out, prepare
from embviz.training.learning import Learning
from embviz.training.losses import NextId
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.training import TrainedRoute, WholeText
from embviz.training.writing import BATCH, INIT

DIMS = 2, 4, 8, 16, 32  # Numbers of a row, model by model: each twice the one before.
EVERY = 50  # Steps from one measured loss to the next.
HARDLY = 0.02  # Nats: a doubling of D that lowers the loss by less hardly lowers it.


class Measured(NamedTuple):
    """The loss of the whole text after `step` steps, one number for each of `DIMS`."""

    step: int
    losses: list[float]

    @property
    def falls(self) -> list[float]:
        """Nats by which each doubling lowers the loss; negative where it rises."""
        return [before - after for before, after in pairwise(self.losses)]

    @property
    def enough(self) -> int | None:
        """The first D from which on no doubling lowers the loss by `HARDLY`; None if the last does.

        >>> Measured(9, [3.0, 2.5, 2.4, 2.39, 2.4]).enough, Measured(9, [5.0, 4, 3, 2, 1]).enough
        (8, None)
        """
        lowering = [k for k, fall in enumerate(self.falls) if fall >= HARDLY]
        place = lowering[-1] + 1 if lowering else 0
        return DIMS[place] if place < len(DIMS) - 1 else None


class Sizes(Learning):
    """The models, and how far they are trained. All of them take each step.

    Args:
        text: what they learn from.
        vocabulary: its characters have ids; those that it lacks are left out.
        seed: of tables, heads and batches.

    Attributes:
        limit: the least loss in nats that a model that sees one id can have on this text.
        rows: V.
        count: ids of the text.
        left_out: the sentence about its characters without an id, if any.

    Raises:
        TextError: a text that cannot be learned from.
    """

    keeps_past = True
    models = len(DIMS)
    points: list[Measured]

    def __init__(self, text: str, vocabulary: Vocabulary, seed: int) -> None:
        ids = prepare(text, vocabulary)
        self.rows, self.count = len(vocabulary), len(ids)
        self.left_out = left_out(text, vocabulary)
        rule = OPTIMIZERS["adam"]
        self._routes = []
        for dim in DIMS:
            weight = tie(Table(self.rows, dim, seed, INIT)).embedding.weight.detach()
            loss = NextId(self.rows, dim, seed)
            self._routes.append(TrainedRoute(weight, loss, rule, rule.usual_lr, is_linear=False))
        self._ids, self._following = ids[:-1], ids[1:]
        self._batches = minibatches(len(self._ids), BATCH, seed)
        self._whole = WholeText(self._ids, self._following, self._routes[0].table)
        self.limit = bigram_entropy(ids, self.rows)
        self.points = [self._measured()]

    def step(self) -> None:
        """Take one step of each model."""
        positions = next(self._batches)
        for route in self._routes:
            route.backward(self._ids[positions], self._following[positions])
            route.update()
        self.steps += 1
        if self.steps % EVERY == 0:
            self.points.append(self._measured())

    def _measured(self) -> Measured:
        return Measured(self.steps, [self._whole.loss_of(route) for route in self._routes])
