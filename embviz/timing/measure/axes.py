"""The parts of a case besides its method, one record each: modes, kinds of ids, caches and axes.

Statements, charts, page, command line and sentences read these records. PyTorch is not imported
here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from embviz.fact.dtypes import DTYPES
from embviz.system.machine import default_threads, usable_cores
from embviz.text.digits import plain_digits, whole_number
from embviz.text.refused import Refused

if TYPE_CHECKING:
    import torch


DEVICES = ("cpu", "cuda", "mps", "xpu")
# Precisions of float32 products: a CUDA GPU may compute `high` with TF32, which keeps 11 binary
# digits of each number.
PRECISIONS = ("highest", "high")


@dataclass(frozen=True)
class Mode:
    """The work after the forward expression.

    Attributes:
        label: as a reader sees it.
        backward: whether gradients are computed.
        optimizer: class of `torch.optim` for dense gradients; empty where nothing is updated.
        sparse_optimizer: the same for sparse gradients.
        moved: numbers that an update reads and writes for each weight.
        flops: floating-point operations of an update for each weight.
        moments: tables that the optimizer keeps.
        scratch: tables that an update allocates, where gradients are dense.
    """

    label: str
    backward: bool = True
    optimizer: str = ""
    sparse_optimizer: str = ""
    moved: int = 0
    flops: int = 0
    moments: int = 0
    scratch: int = 0

    def statement(self, forward: str, learns: str) -> str:
        """The source that is timed: `forward`, and what this mode adds for the tensor `learns`."""
        if not self.backward:
            return forward
        forward = f"({forward})" if "@" in forward else forward
        rest = (
            "optimizer.step(); optimizer.zero_grad()" if self.optimizer else f"{learns}.grad = None"
        )
        return f"{forward}.backward(grad); {rest}"


MODES = {
    "forward": Mode("forward", backward=False),
    "backward": Mode("forward + backward"),
    # SGD reads weight and gradient and writes the weight.
    "sgd": Mode("training step (SGD)", optimizer="SGD", sparse_optimizer="SGD", moved=3, flops=2),
    # On a CPU PyTorch's Adam is seven element-wise operations, one after the other.
    "adam": Mode(
        "training step (Adam)",
        optimizer="Adam",
        sparse_optimizer="SparseAdam",
        moved=18,
        flops=12,
        moments=2,
        scratch=2,
    ),
}


# Kinds of ids. Each fills an int64 tensor (N) with ids for a count of rows.
SKEWS: dict[str, Callable[[torch.Tensor, int, torch.Generator], torch.Tensor]] = {
    "uniform": lambda ids, rows, g: ids.random_(0, rows, generator=g),
    # Id k has the weight ln(1 + 1 / (k + 1)), nearly Zipf's law.
    "zipf": lambda ids, rows, g: ids.copy_(
        ((rows + 1.0) ** ids.double().uniform_(generator=g) - 1).clamp_(max=rows - 1)
    ),
    "equal": lambda ids, rows, _: ids.fill_(rows // 2),
}


@dataclass(frozen=True)
class Cache:
    """A state of the caches when a call begins.

    Attributes:
        words: in a sentence.
        renews: whether each call gets ids of its own.
        flushes: whether the caches are flushed before each call, outside the clock.
    """

    words: str
    renews: bool = False
    flushes: bool = False


CACHES = {
    "same": Cache(
        "the same ids in each call",
    ),
    "new": Cache(
        "new ids in each call",
        renews=True,
    ),
    "cold": Cache(
        "caches flushed before each call",
        flushes=True,
    ),
}

# A number with commas between thousands, or what has no separator in it.
_VALUE = re.compile(r"(?<![^\s;])[0-9]{1,3}(?:,[0-9]{3})+(?![^\s;])|[^\s;,]+")


def _whole(word: str) -> int | str:
    try:
        return whole_number(word)
    except Refused:
        return word


@dataclass(frozen=True)
class Axis:
    """A setting that may differ from point to point.

    Attributes:
        field: the field of a case.
        values: what a sweep measures by default; for a kind, all its values in their order.
        usual: the value where it does not vary.
        title: of a chart's axis.
        singular: a single value in a sentence.
        plural: several values in a sentence.
        parameter: the URL parameter that sets it where it does not vary.
        size: whether the values are numbers with an order and a scale.
        before: the preposition before a value.
        compared: whether a method is compared with itself at each two values, because the work is
            the same.
    """

    field: str
    values: tuple[Any, ...]
    usual: Any
    title: str
    singular: str
    plural: str
    parameter: str
    size: bool = True
    before: str = "at"
    compared: bool = False

    def read(self, typed: str) -> list[Any]:
        """The values that a person typed, with blanks, commas or semicolons between.

        A word that is no value stays a word, and so does `1,024`, which may be one number or two.
        `Timed` refuses them.

        >>> VARY["vocab"].read("64, 1e4 1,024 many"), VARY["dtype"].read("float32 float64")
        ([64, 10000, '1,024', 'many'], ['float32', 'float64'])
        """
        places = _VALUE.finditer(plain_digits(typed))
        words = [typed[slice(*match.span())] for match in places]
        return [*map(_whole, words)] if self.size else words


_CORES = usable_cores()
VARY = {  # by its word on the command line and in the address
    "vocab": Axis(
        "num_embeddings",
        tuple(2**k for k in range(6, 17)),
        4096,
        "num_embeddings (rows of the table)",
        "{} row",
        "{} rows",
        "time_rows",
    ),
    "dim": Axis(
        "embedding_dim",
        tuple(2**k for k in range(2, 11)),
        64,
        "embedding_dim (numbers in a row)",
        "dim {}",
        "dim {}",
        "time_dim",
    ),
    "tokens": Axis(
        "tokens",
        tuple(2**k for k in range(13)),
        256,
        "tokens (ids looked up in one call)",
        "{} token",
        "{} tokens",
        "time_tokens",
    ),
    "ids": Axis(
        "ids",
        tuple(SKEWS),
        "uniform",
        "how the ids are drawn",
        "{} ids",
        "{} ids",
        "skew",
        size=False,
        compared=True,
        before="with",
    ),
    "dtype": Axis(
        "dtype",
        tuple(DTYPES),
        "float32",
        "dtype of table and output",
        "{}",
        "{}",
        "time_dtype",
        size=False,
        compared=True,
        before="in",
    ),
    "threads": Axis(
        "threads",
        tuple(n for n in range(1, _CORES + 1) if n & (n - 1) == 0 or n == _CORES),
        default_threads(),
        "threads (of PyTorch, on the CPU)",
        "{} thread",
        "{} threads",
        "threads",
        before="with",
        compared=True,
    ),
}
AXES = {axis.field: axis for axis in VARY.values()}
