"""How a table of weights may start: one record for each init, read by everything that names one.

To add an init, write one record here. It then draws, shows its density, exports a script and
stands in the help, on the page and in links. Numbers that are not random need their `origin`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from embviz.fact import letters, words
from embviz.text.records import by_name

if TYPE_CHECKING:
    import torch

Floats = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[..., "torch.Tensor"]


@dataclass(frozen=True)
class Promise:
    """The distribution that an init promises.

    Attributes:
        name: as a formula.
        mean, std: of the distribution.
        density: the density at float64 points; None for a discrete distribution.
        ends: its smallest and largest number, where it has them.
    """

    name: str
    mean: float
    std: float
    density: Callable[[Floats], Floats] | None
    ends: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True)
class Init:
    """One way to start a table of V rows and D columns.

    Attributes:
        name: its value in links and on the command line.
        sentence: how the page explains it.
        draw: fills an empty float32 (V, D) table on the CPU from `generator`, and returns
            it or a view of it of shape (V, D); None where the user gives the numbers.
        promise: the distribution for V and D; None where nothing is drawn.
        code: the PyTorch expression that gives the same table after `torch.manual_seed`, where V
            and D are set.
        sizes: the only V and D that it has, where rows were learnt.
        recorded: whether it is one table for all seeds, whose last row is `<unk>`.
        goes_with: the settings of the only vocabulary that it has rows for.
        unk: the init that draws a row `<unk>` after all others; empty for itself.
        origin: the origin of the numbers, as pictures say it; empty for random ones with a seed.
        words: whether a word stands in front of each of the user's rows: typed words look it up.
        program: where no expression gives the table: a seed -> lines of Python that make `table`.
    """

    name: str
    sentence: str
    draw: Draw | None = None
    promise: Callable[[int, int], Promise] | None = None
    code: str = ""
    sizes: tuple[int, int] | None = None
    recorded: bool = False
    goes_with: Mapping[str, str] = field(default_factory=dict)
    unk: str = ""
    origin: str = ""
    words: bool = False
    program: Callable[[int], str] | None = None

    def fits(self, settings: Mapping[str, Any]) -> bool:
        """Whether it has rows for the vocabulary that these settings name."""
        return all(settings[name] == value for name, value in self.goes_with.items())


def linear_promise(rows: int) -> Promise:
    """The init of nn.Linear(V, D) itself: U(-a, a) with a = 1 / sqrt(V)."""
    return _uniform(1 / math.sqrt(rows))


def _uniform(half: float, middle: float = 0.0) -> Promise:
    low, high = middle - half, middle + half

    def density(x: Floats) -> Floats:
        return ((x >= low) & (x <= high)) / (high - low)

    name = f"U({low:.3g}, {high:.3g})"
    return Promise(name, middle, half / math.sqrt(3), density, (low, high))


def _bell(x: Floats) -> Floats:
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _of_torch(name: str) -> Draw:
    """A function of `torch.nn.init`, which is imported with the first draw, not with a setting."""

    def draw(table: torch.Tensor, generator: torch.Generator, **more: float) -> torch.Tensor:
        from torch.nn import init

        drawn: torch.Tensor = getattr(init, name)(table, generator=generator, **more)
        return drawn

    return draw


def _kaiming_uniform(table: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    # nn.Linear draws D x V, so only this order and a transpose give its numbers.
    drawn = table.view(table.shape[::-1])
    return _of_torch("kaiming_uniform_")(drawn, generator, a=math.sqrt(5)).t()


def _learnt_letters(table: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    # A seed gives the whole training; the generator itself draws nothing.
    return table.copy_(letters.learn(generator.initial_seed()).rows[-1])


OWN = Init("own", "the numbers you give", origin="your own numbers")
VECTORS = Init(
    "vectors",
    "words and vectors, as GloVe and word2vec save them: typed words look up their rows",
    words=True,
    origin="your own vectors",
)

INITS = by_name(
    (
        Init(
            "normal",
            "N(0, 1), nn.Embedding's own start",
            _of_torch("normal_"),
            lambda _rows, _dim: Promise("N(0, 1)", 0.0, 1.0, _bell),
            "nn.Embedding(V, D).weight",
        ),
        Init(
            "uniform",
            "U(0, 1)",
            _of_torch("uniform_"),
            lambda _rows, _dim: _uniform(0.5, 0.5),
            "nn.init.uniform_(torch.empty(V, D))",
        ),
        Init(
            "xavier_uniform",
            "Glorot's U(-a, a), a = sqrt(6 / (V + D))",
            _of_torch("xavier_uniform_"),
            lambda rows, dim: _uniform(math.sqrt(6 / (rows + dim))),
            "nn.init.xavier_uniform_(torch.empty(V, D))",
        ),
        Init(
            "kaiming_uniform",
            "U(-a, a), a = 1 / sqrt(V), nn.Linear's own start",
            _kaiming_uniform,
            lambda rows, _dim: linear_promise(rows),
            "nn.Linear(V, D, bias=False).weight.t()",
        ),
        Init(
            "integers",
            "whole numbers 0 to 9, to multiply by hand",
            lambda table, generator: table.random_(0, 10, generator=generator),
            lambda _rows, _dim: Promise("whole numbers 0 to 9", 4.5, math.sqrt(8.25), None, (0, 9)),
            "torch.randint(0, 10, (V, D), dtype=torch.float32)",
            origin="random whole numbers: nothing is learnt yet",
        ),
        Init(
            "trained",
            f"learnt: {words.SIZES[0]:,} × {words.SIZES[1]} numbers of {words.SOURCE_MODEL}'s own "
            "nn.Embedding, for the vocabulary `words` alone",
            lambda table, generator: words.learnt(table),
            code='torch.from_numpy(np.load("words.npy")).float()',
            sizes=words.SIZES,
            recorded=True,
            goes_with={"vocab": "words"},
            origin=f"some of the rows that {words.SOURCE_MODEL} learnt",
        ),
        Init(
            "learnt",
            f"learnt: the letters {letters.LETTERS} after {letters.STEPS} steps of guessing the "
            f"next letter in {len(letters.WORDS)} words",
            _learnt_letters,
            program=letters.table_program,
            sizes=letters.SIZES,
            goes_with={"vocab": "custom", "chars": letters.LETTERS},
            unk="normal",
            origin=f"learnt in {letters.STEPS} steps, from {len(letters.WORDS)} words",
        ),
        OWN,
        VECTORS,
    )
)
