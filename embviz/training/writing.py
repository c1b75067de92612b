"""Learn to write: a table and a head learn which id comes next, on both routes.

A model sees one id and predicts the next, so its loss cannot be below `bigram_entropy`. At fixed
steps a frame is kept: the same text, sizes and seed give the same frames, whenever they are drawn.
So sessions can share one training, and each shows it as it was after its own steps.
"""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import dataclass

import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.vocabulary import Symbols
from embviz.training import space
from embviz.training.batches import minibatches
from embviz.training.corpus import bigram_entropy, ids_per_character, prepare
from embviz.training.losses import NextId
from embviz.training.training import COPIES, Training

BATCH = 256  # positions drawn for each step
OBJECTS_BYTES = 100_000  # bytes of a vocabulary, modules and optimizers, without their numbers
EVERY = 10  # steps between two points of the history
INIT = "xavier_uniform"  # small numbers: rows that begin far apart take long to gather
FIRST, LATER = (0, 10, 30), 100  # steps with a frame: these, and each multiple
POINT_BYTES = 300 // EVERY  # bytes of a point of the history, for each step


@dataclass(frozen=True, eq=False)
class Frame:
    """The model after `step` steps.

    Attributes:
        step: steps taken.
        points: float64 (R, 2), the map of the rows in `Writing.shown`.
        spread: the share of these rows' variance that it shows.
        table: float32 (V, D).
        loss: with the head.
        shown: int64 (R,), the ids on the map.
    """

    step: int
    points: space.Floats
    spread: float
    table: torch.Tensor
    loss: NextId
    shown: torch.Tensor

    @property
    def rows(self) -> space.Floats:
        """The rows on the map, float64 (R, D), in all dimensions."""
        found: space.Floats = self.table[self.shown].double().numpy()
        return found

    @property
    def nbytes(self) -> int:
        """Bytes of its numbers."""
        head = sum(one.nbytes for one in self.loss.parameters())
        return self.points.nbytes + self.table.nbytes + head

    def write(self, length: int, start: int, temperature: float, seed: int) -> list[int]:
        """`length` ids after `start`, drawn from softmax(scores / temperature) by a generator."""
        with torch.no_grad():
            scores = self.loss.scores(self.table)
        chances = (scores.double() / temperature).softmax(1)
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
        symbols: the vocabulary.
        dim: D, numbers of a row.
        seed: of table, head and batches.

    Attributes:
        ids: int64 (N,), the text.
        shown: the kind of each id on the map, kind by kind.
        frames: the start first.
        limit: the least loss in nats that a model that sees one id can have on this text.
        per_character: ids that a character of the text takes.

    Raises:
        TextError: a text that cannot be learned from.
    """

    keeps_past = True

    def __init__(self, text: str, symbols: Symbols, dim: int, seed: int) -> None:
        self.symbols, self.ids = symbols, prepare(text, symbols)
        self.shown = space.kinds(symbols, torch.unique(self.ids).tolist())
        self._on_map = torch.tensor([*self.shown], dtype=torch.int64)
        self.frames: list[Frame] = []
        size = len(symbols)
        self.limit = bigram_entropy(self.ids, size)
        self.per_character = ids_per_character(self.ids, symbols)
        super().__init__(
            tie(Config(symbols.characters, size, dim, seed, INIT)).embedding.weight.detach(),
            self.ids,
            NextId(size, dim, seed),
            "adam",
            batches=minibatches(BATCH, seed),
            every=EVERY,
        )

    def at(self, steps: int) -> Writing:
        """A copy to look at, as it was after at most so many steps; another thread may train on."""
        seen = copy(self)
        seen.steps = min(self.steps, steps)
        seen.points = [point for point in self.points if point.step <= steps]
        seen.frames = [frame for frame in self.frames if frame.step <= steps]
        return seen

    def most_bytes(self, steps: int) -> int:
        """About the bytes that it holds after so many steps: its frames, the training, its text."""
        frames = len(FIRST) + steps // LATER
        numbers = (frames + COPIES) * self.frames[0].nbytes + 4 * self.ids.nbytes
        return numbers + POINT_BYTES * steps + OBJECTS_BYTES

    def same_kind(self, frame: Frame) -> int:
        """How many rows on the map have a nearest row of their own kind, in all dimensions."""
        return space.same_kind(frame.rows, [*self.shown.values()])

    def watch(self) -> None:
        """Keep a frame, if it is due."""
        if self.steps not in FIRST and self.steps % LATER:
            return
        route = self.embedding
        assert isinstance(route.loss, NextId)
        rows = route.table[self._on_map].double().numpy()
        before = self.frames[-1].points if self.frames else None
        points, spread = space.flat_map(rows, before)
        self.frames.append(
            Frame(self.steps, points, spread, *deepcopy((route.table, route.loss)), self._on_map)
        )
