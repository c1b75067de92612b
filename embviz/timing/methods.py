"""What can be timed, one record each: methods, modes, kinds of ids, caches and axes.

Statements, costs, refusals, charts, page, command line and sentences read these records: a new
method is one entry of `METHODS`. PyTorch is not imported here; `tensors` makes what a statement
names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from embviz.core.dtypes import DTYPES
from embviz.core.machine import usable_cores

if TYPE_CHECKING:
    import torch

    from embviz.timing.case import Case

DEVICES = ("cpu", "cuda", "mps", "xpu")


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


@dataclass(frozen=True)
class Skew:
    """One way to draw ids.

    Attributes:
        words: for a reader.
        draw: fills an int64 tensor (N) with ids for a count of rows.
    """

    words: str
    draw: Callable[[torch.Tensor, int, torch.Generator], torch.Tensor]


SKEWS = {
    "uniform": Skew(
        "every id equally likely", lambda ids, rows, g: ids.random_(0, rows, generator=g)
    ),
    "zipf": Skew(
        "id k with weight ln(1 + 1 / (k + 1)), nearly Zipf's law",
        lambda ids, rows, g: ids.copy_(
            ((rows + 1.0) ** ids.double().uniform_(generator=g) - 1).clamp_(max=rows - 1)
        ),
    ),
    "equal": Skew("one id, always", lambda ids, rows, _: ids.fill_(rows // 2)),
}


@dataclass(frozen=True)
class Cache:
    """What the caches hold when a call begins.

    Attributes:
        words: in a sentence.
        statement: around the statement that is timed.
        renews: whether each call gets ids of its own.
        flushes: whether the caches are flushed before each call, outside the clock.
    """

    words: str
    statement: str = "{}"
    renews: bool = False
    flushes: bool = False


CACHES = {
    "same": Cache(
        "the same ids in each call",
    ),
    "new": Cache(
        "new ids in each call",
        "for ids in batches: {}",
        renews=True,
    ),
    "cold": Cache(
        "caches flushed before each call",
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
    ),
    "dim": Axis(
        "embedding_dim",
        tuple(2**k for k in range(2, 11)),
        "embedding_dim (numbers in a row)",
        "dim {}",
        "dim {}",
        "time_dim",
    ),
    "tokens": Axis(
        "tokens",
        tuple(2**k for k in range(13)),
        "tokens (ids looked up in one call)",
        "{} token",
        "{} tokens",
        "time_tokens",
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
    ),
    "threads": Axis(
        "threads",
        tuple(n for n in range(1, _CORES + 1) if n & (n - 1) == 0 or n == _CORES),
        "threads (of PyTorch, on the CPU)",
        "{} thread",
        "{} threads",
        "threads",
        before="with",
        span=False,
        pairs=True,
    ),
}
AXES = {axis.field: axis for axis in VARY.values()}

ROUTES = ("lookup", "matmul")  # in the order of the theme's two route colours
INDEX = 8  # bytes of an int64


def _ids_bytes(case: Case) -> int:
    return case.tokens * INDEX


def _bag_bytes(case: Case) -> int:
    return (case.tokens + case.bags) * INDEX


def _csr_bytes(case: Case) -> int:
    return (2 * case.tokens + 1) * INDEX + case.tokens * case.itemsize


@dataclass(frozen=True)
class Method:
    """One way to get the rows of a table.

    Attributes:
        name: in run files, on the command line and in addresses.
        label: in a legend, a table or a sentence.
        route: `lookup` or `matmul`; the theme has a hue for each.
        source: the forward pass, exactly as it is timed; `tensors` lists the names that it may use.
        look: steps from the hue of the route, and the mark.
        learns: the tensor whose gradient is computed, or the attribute that is this tensor.
        modes: what it can be timed with.
        bags: whether the output has one row for each bag of tokens.
        dense: whether it multiplies a dense N x V factor, and so reads the whole table.
        builds: whether that factor is made inside the clock.
        from_int64: whether it is made as int64 and then converted.
        sparse_gradient: whether the gradient holds only the rows that were looked up.
        gradient_copies: further tables that a backward pass makes.
        flops_per_number: operations for each number of a looked-up row, where it is not dense.
        index_bytes: bytes of the tensors that say which rows are meant.
    """

    name: str
    label: str
    route: Literal["lookup", "matmul"]
    source: str
    look: tuple[int, str]
    learns: str = "table"
    modes: tuple[str, ...] = tuple(MODES)
    bags: bool = False
    dense: bool = False
    builds: bool = False
    from_int64: bool = False
    sparse_gradient: bool = False
    gradient_copies: int = 0
    flops_per_number: int = 0
    index_bytes: Callable[[Case], int] = _ids_bytes

    @property
    def colour(self) -> int:
        """Index of its route's hue in the theme's colours."""
        return ROUTES.index(self.route)

    def refusal(self, mode: str, cache: str) -> str:
        """Why the method cannot be timed so, in one sentence; empty if it can."""
        if mode not in self.modes:
            return f"{self.name} has no mode {mode!r}, only: {', '.join(self.modes)}."
        if CACHES[cache].renews and self.route != "lookup":  # a matmul reads the whole table
            return f"only lookups are timed with new ids, not {self.name}."
        return ""


METHODS = {
    one.name: one
    for one in (  # each route begins with its plainest method: the others are compared with it
        Method(
            "lookup",
            "lookup",
            "lookup",
            "F.embedding(ids, table)",
            (0, "circle"),
        ),
        Method(
            "lookup_sparse",
            "lookup with sparse gradients",
            "lookup",
            "F.embedding(ids, table, sparse=True)",
            (3, "pentagon"),
            modes=("backward", "sgd", "adam"),
            sparse_gradient=True,
        ),
        Method(
            "module",
            "nn.Embedding",
            "lookup",
            "embedding(ids)",
            (6, "diamond-wide"),
            learns="embedding.weight",
        ),
        Method(
            "indexing",
            "table[ids]",
            "lookup",
            "table[ids]",
            (7, "bowtie"),
        ),
        Method(
            "index_select",
            "index_select",
            "lookup",
            "torch.index_select(table, 0, ids)",
            (1, "diamond"),
        ),
        Method(
            "index_select_out",
            "index_select into a ready tensor",
            "lookup",
            "torch.index_select(table, 0, ids, out=out)",
            (2, "triangle-left"),
            modes=("forward",),
        ),
        Method(
            "matmul",
            "matmul",
            "matmul",
            "F.linear(one_hot, weight)",
            (0, "square"),
            learns="weight",
            dense=True,
        ),
        Method(
            "matmul_out",
            "matmul into a ready tensor",
            "matmul",
            "torch.mm(one_hot, weight.t(), out=out)",
            (8, "diamond-tall"),
            learns="weight",
            modes=("forward",),
            dense=True,
        ),
        Method(
            "matmul_table",
            "matmul on the lookup's table",
            "matmul",
            "one_hot @ table",
            (3, "triangle-right"),
            dense=True,
        ),
        Method(
            "onehot_matmul",
            "one-hot built + matmul",
            "matmul",
            "F.linear(F.one_hot(ids, V).to(dtype), weight)",
            (1, "triangle-up"),
            learns="weight",
            dense=True,
            builds=True,
            from_int64=True,
        ),
        Method(
            "scatter_matmul",
            "one-hot by scatter + matmul",
            "matmul",
            "F.linear(torch.zeros(N, V, dtype=dtype, device=device)"
            ".scatter_(1, ids[:, None], 1), weight)",
            (2, "triangle-down"),
            learns="weight",
            dense=True,
            builds=True,
        ),
        Method(
            "sparse_matmul",
            "sparse (CSR) matmul",
            "matmul",
            "csr @ table",
            (4, "star"),
            modes=("forward", "backward"),
            gradient_copies=1,
            flops_per_number=2,
            index_bytes=_csr_bytes,
        ),
        Method(
            "embedding_bag",
            "embedding_bag",
            "lookup",
            'F.embedding_bag(ids, table, offsets, mode="sum")',
            (4, "hexagon2"),
            bags=True,
            flops_per_number=1,
            index_bytes=_bag_bytes,
        ),
        Method(
            "dense_bag",
            "counts @ weight",
            "matmul",
            "F.linear(counts, weight)",
            (5, "cross"),
            learns="weight",
            bags=True,
            dense=True,
        ),
    )
}
DEFAULT_METHODS = ("lookup", "index_select", "matmul", "onehot_matmul")
