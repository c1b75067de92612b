"""How a table of weights may start: one record for each init, read by everything that names one.

To add an init, write one record here. It then draws, shows its density, exports a script and
stands in the help, on the page and among the URL parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

Floats = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[..., "torch.Tensor"]


@dataclass(frozen=True)
class Promise:
    """The distribution that an init promises.

    Attributes:
        name: as a formula.
        mean: of the distribution.
        std: of the distribution.
        density: the density at float64 points; None for a discrete distribution.
        bound: a, for U(-a, a); None otherwise.
    """

    name: str
    mean: float
    std: float
    density: Callable[[Floats], Floats] | None
    bound: float | None = None


@dataclass(frozen=True)
class Init:
    """One way to start a table of V rows and D columns.

    Attributes:
        name: its value in links and on the command line.
        sentence: how the page explains it.
        draw: fills an empty float32 (V, D) table on the CPU from `generator`, and returns
            it or a view of it of shape (V, D); None where the user gives the numbers.
        promise: the distribution for V and D; None where the user gives the numbers.
        code: the PyTorch expression that gives the same table after `torch.manual_seed`, where V
            and D are set.
    """

    name: str
    sentence: str
    draw: Draw | None = None
    promise: Callable[[int, int], Promise] | None = None
    code: str = ""


def linear_promise(rows: int) -> Promise:
    """The init of nn.Linear(V, D) itself: U(-a, a) with a = 1 / sqrt(V)."""
    return _symmetric(1 / math.sqrt(rows))


def _symmetric(bound: float) -> Promise:
    name = f"U(-{bound:.3g}, {bound:.3g})"
    return Promise(name, 0.0, bound / math.sqrt(3), _flat(-bound, bound), bound)


def _flat(low: float, high: float) -> Callable[[Floats], Floats]:
    return lambda x: ((x >= low) & (x <= high)) / (high - low)


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


OWN = Init("own", "the numbers you give")

INITS = {
    one.name: one
    for one in (
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
            lambda _rows, _dim: Promise("U(0, 1)", 0.5, 1 / math.sqrt(12), _flat(0.0, 1.0)),
            "nn.init.uniform_(torch.empty(V, D))",
        ),
        Init(
            "xavier_uniform",
            "Glorot's U(-a, a), a = sqrt(6 / (V + D))",
            _of_torch("xavier_uniform_"),
            lambda rows, dim: _symmetric(math.sqrt(6 / (rows + dim))),
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
            lambda _rows, _dim: Promise("whole numbers 0 to 9", 4.5, math.sqrt(8.25), None),
            "torch.randint(0, 10, (V, D), dtype=torch.float32)",
        ),
        OWN,
    )
}
