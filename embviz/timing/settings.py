"""The settings of a case beside its method: a record for each pass, kind of ids, cache and axis.

Pages, command line, charts and sentences read these records. PyTorch is not imported here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from embviz.core.dtypes import DTYPES
from embviz.core.machine import usable_cores

if TYPE_CHECKING:
    import torch

DEVICES = ("cpu", "cuda", "mps", "xpu")
HERE = "this machine"  # beside the names of a cluster's machines


@dataclass(frozen=True)
class Pass:
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
        """The source that is timed: `forward`, and what this pass adds for the tensor `learns`."""
        if not self.backward:
            return forward
        forward = f"({forward})" if "@" in forward else forward
        rest = (
            "optimizer.step(); optimizer.zero_grad()" if self.optimizer else f"{learns}.grad = None"
        )
        return f"{forward}.backward(grad); {rest}"


PASSES = {
    "forward": Pass("forward", backward=False),
    "backward": Pass("forward + backward"),
    # SGD reads weight and gradient and writes the weight.
    "sgd": Pass("training step (SGD)", optimizer="SGD", sparse_optimizer="SGD", moved=3, flops=2),
    # On a CPU PyTorch's Adam is seven element-wise operations, one after the other.
    "adam": Pass(
        "training step (Adam)",
        optimizer="Adam",
        sparse_optimizer="SparseAdam",
        moved=18,
        flops=12,
        moments=2,
        scratch=2,
    ),
}


@dataclass(frozen=True)
class Skew:
    """One way to draw ids.

    Attributes:
        words: for a reader.
        draw: fills an int64 tensor (N) with ids for a count of rows.
    """

    words: str
    draw: Callable[[torch.Tensor, int, torch.Generator], torch.Tensor]


def _zipf(ids: torch.Tensor, rows: int, generator: torch.Generator) -> torch.Tensor:
    """Fill `ids` (N) with k - 1, where k from 1 to `rows` has weight 1 / k.

    The whole part of (rows + 1) ** uniform is k with weight ln(1 + 1 / k). A draw is kept with
    probability ln 2 / (k ln(1 + 1 / k)), which is 1 for k = 1. What is not kept is drawn again. So
    no tensor has `rows` numbers.
    """
    done = 0
    while done < len(ids):
        uniform = ids[done:].double().uniform_(generator=generator)
        k = ((rows + 1.0) ** uniform).floor_().clamp_(max=rows)
        k = k[uniform.uniform_(generator=generator) * k * (1 / k).log1p() <= math.log(2)]
        ids[done : done + len(k)] = k - 1
        done += len(k)
    return ids


SKEWS = {
    "uniform": Skew(
        "every id equally likely", lambda ids, rows, g: ids.random_(0, rows, generator=g)
    ),
    "zipf": Skew("id k with weight 1 / (k + 1), which is Zipf's law", _zipf),
    "equal": Skew("one id, always", lambda ids, rows, _: ids.fill_(rows // 2)),
}


@dataclass(frozen=True)
class Cache:
    """What the caches hold when a call begins.

    Attributes:
        words: for a reader.
        one: in a sentence.
        short: in a legend.
        statement: around the statement that is timed.
        ids: what stands ready as ids.
        renews: whether each call gets ids of its own.
        flushes: whether the caches are flushed before each call, outside the clock.
    """

    words: str
    one: str
    short: str
    statement: str = "{}"
    ids: str = "ids (N)"
    renews: bool = False
    flushes: bool = False


CACHES = {
    "same": Cache(
        "each call looks up the same ids, so their rows stay in the cache",
        "the same ids in each call",
        "same ids",
    ),
    "new": Cache(
        "each call looks up new ids, so rows of a large table come from memory",
        "new ids in each call",
        "new ids",
        "for ids in batches: {}",
        "batches (ids (N) for each call, drawn anew before each block)",
        renews=True,
    ),
    "cold": Cache(
        "slow: the caches are flushed before each call, outside the clock",
        "flushed caches",
        "cold cache",
        flushes=True,
    ),
}


@dataclass(frozen=True)
class Axis:
    """A setting that may differ from point to point.

    Attributes:
        field: the field of a case.
        values: the defaults; for a kind, all its values in their order.
        title: of a chart's axis.
        one: a single value in a sentence.
        many: several values in a sentence.
        parameter: the URL parameter that sets it where it does not vary.
        size: whether the values are numbers with an order and a scale.
        before: the preposition before a value.
        values_word: what the values are, in the plural.
        counts: what a size counts.
        help: what a size is, for its field on the page.
        span: whether the page lets a reader choose the ends; without it, all `values` are measured.
        pairs: whether values of a size are compared in pairs too, because the work is the same.
    """

    field: str
    values: tuple[Any, ...]
    title: str
    one: str
    many: str
    parameter: str
    size: bool = True
    before: str = "at"
    values_word: str = "sizes"
    counts: str = ""
    help: str = ""
    span: bool = True
    pairs: bool = False

    @property
    def compared(self) -> bool:
        """Whether a method is compared with itself at each two values, as for all kinds."""
        return self.pairs or not self.size


_CORES = usable_cores()
VARY = {  # by its word on the command line and in the address
    "vocab": Axis(
        "num_embeddings",
        tuple(2**k for k in range(6, 17)),
        "num_embeddings (rows of the table)",
        "{} row",
        "{} rows",
        "time_rows",
        counts="rows",
        help="V: how many rows the table has.",
    ),
    "dim": Axis(
        "embedding_dim",
        tuple(2**k for k in range(2, 11)),
        "embedding_dim (numbers in a row)",
        "dim {}",
        "dim {}",
        "time_dim",
        counts="numbers in a row",
        help="D: how many numbers each row has.",
    ),
    "tokens": Axis(
        "tokens",
        tuple(2**k for k in range(13)),
        "tokens (ids looked up in one call)",
        "{} token",
        "{} tokens",
        "time_tokens",
        counts="tokens",
        help="N: how many ids are looked up at once.",
    ),
    "ids": Axis(
        "ids",
        tuple(SKEWS),
        "how the ids are drawn",
        "{} ids",
        "{} ids",
        "skew",
        size=False,
        before="with",
        values_word="kinds of ids",
    ),
    "dtype": Axis(
        "dtype",
        tuple(DTYPES),
        "dtype of table and output",
        "{}",
        "{}",
        "time_dtype",
        size=False,
        before="in",
        values_word="dtypes",
    ),
    "threads": Axis(
        "threads",
        tuple(n for n in range(1, _CORES + 1) if n & (n - 1) == 0 or n == _CORES),
        "threads (of PyTorch, on the CPU)",
        "{} thread",
        "{} threads",
        "threads",
        before="with",
        values_word="numbers of threads",
        counts="threads",
        help="PyTorch's threads on the CPU. The default is one less than the cores it may use.",
        span=False,
        pairs=True,
    ),
}
AXES = {axis.field: axis for axis in VARY.values()}
