"""Letters find their kind: a table and a head learn which id comes next, on both routes.

A model sees one id and predicts the next, so its loss cannot be below `bigram_entropy`. At fixed
steps a frame is kept: the same text, sizes and seed give the same frames, whenever they are drawn.
So sessions can share one training, and each shows it as it was after its own steps. A frame has
what is shown of a model, and not the model: of 5,000 steps that is 0.7 MB in place of 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray

from embviz.fact.layers import tie
from embviz.fact.nearest import nearest
from embviz.fact.table import Table
from embviz.fact.vocabulary import Vocabulary
from embviz.training import space
from embviz.training.corpus import bigram_entropy, left_out, prepare
from embviz.training.losses import NextId
from embviz.training.settings import TEMPERATURES
from embviz.training.training import Training

BATCH = 256  # positions drawn for each step
EVERY = 10  # steps between two points of the history
INIT = "xavier_uniform"  # small numbers: rows that begin far apart take long to gather
FIRST, LATER = (10, 30), 100  # steps with a frame: the start, these, and each multiple
SAMPLE = 44  # characters that a frame has written
NEAR = 3  # nearest rows of each row that a frame names


@dataclass(frozen=True, eq=False)
class Frame:
    """The shown part of the model after `step` steps.

    Attributes:
        step: steps taken.
        points: float64 (R, 2), the map of the rows in `Writing.shown`.
        spread: the share of these rows' variance that it shows.
        near: int16 (R, up to `NEAR`), the places of the nearest other rows, nearest first.
        written: by the name of a temperature the ids that it writes.
    """

    step: int
    points: space.Floats
    spread: float
    near: NDArray[np.int16]
    written: Mapping[str, list[int]]


@torch.no_grad()
def write(
    table: torch.Tensor, loss: NextId, length: int, start: int, *, temperature: float, seed: int
) -> list[int]:
    """`length` ids after `start`, drawn from softmax(scores / temperature) by a generator."""
    chances = (loss.scores(table).double() / temperature).softmax(1)
    generator = torch.Generator().manual_seed(seed)
    written = [start]
    for _ in range(length):
        written.append(int(chances[written[-1]].multinomial(1, generator=generator)))
    return written[1:]


class Writing(Training):
    """A training of the next id, and what its ids stand for.

    It keeps its past, for `at`.

    Args:
        text: what it learns from.
        vocabulary: its characters have ids; those that it lacks are left out.
        dim: D, numbers of a row.
        seed: of table, head and batches.

    Attributes:
        ids: int64 (N,), the text.
        left_out: the sentence about its characters without an id, if any.
        shown: the kind of each id on the map, kind by kind.
        frames: the start first.
        limit: the least loss in nats that a model that sees one id can have on this text.

    Raises:
        TextError: a text that cannot be learned from.
    """

    keeps_past = True

    def __init__(self, text: str, vocabulary: Vocabulary, dim: int, seed: int) -> None:
        ids, size = prepare(text, vocabulary), len(vocabulary)
        super().__init__(
            tie(Table(size, dim, seed, INIT)).embedding.weight.detach(),
            ids,
            NextId(size, dim, seed),
            "adam",
            batch=BATCH,
            seed=seed,
            every=EVERY,
        )
        self.vocabulary, self.ids = vocabulary, ids
        self.left_out = left_out(text, vocabulary)
        self.shown = space.kinds(vocabulary, torch.unique(ids).tolist())
        self._on_map = torch.tensor([*self.shown], dtype=torch.int64)
        self._seed = seed
        self.limit = bigram_entropy(ids, size)
        self.frames: list[Frame] = []
        self._keep_frame()

    def at(self, steps: int) -> Self:
        """A copy to look at, with the frames until then."""
        seen = super().at(steps)
        seen.frames = [frame for frame in self.frames if frame.step <= steps]
        return seen

    def beside_own_kind(self, frame: Frame) -> int:
        """How many rows on the map of a frame have a nearest row of their own kind."""
        return space.same_kind(frame.near.tolist(), [*self.shown.values()])

    def step(self) -> None:
        """Take one step, and keep a frame if it is due."""
        super().step()
        if not self.failed and (self.steps in FIRST or self.steps % LATER == 0):
            self._keep_frame()

    def _keep_frame(self) -> None:
        route = self.embedding
        assert isinstance(route.loss, NextId)
        rows = route.table[self._on_map]
        before = self.frames[-1].points if self.frames else None
        points, spread = space.on_plane(rows.double().numpy(), before)
        near = nearest(rows, range(len(rows)), NEAR)
        first, table, loss = int(self.ids[0]), route.table, route.loss
        written = {
            name: write(table, loss, SAMPLE, first, temperature=temperature, seed=self._seed)
            for name, temperature in TEMPERATURES.items()
        }
        places = np.array([[row.id for row in few or ()] for few in near], np.int16)
        self.frames.append(Frame(self.steps, points, spread, places, written))
