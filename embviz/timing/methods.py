"""The methods that are timed: one record each.

Statement, costs, refusals, charts, legend, page and tables follow from the record: a new method
is one entry of `METHODS`. PyTorch is not imported here; `tensors` makes what a statement names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from embviz.timing.settings import CACHES, PASSES

if TYPE_CHECKING:
    from embviz.timing.cases import Case

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
        label: in a legend or a table.
        route: `lookup` or `matmul`; the theme has a hue for each.
        words: what it does, in one sentence.
        source: the forward pass, exactly as it is timed; `tensors` lists the names that it may use.
        look: steps from the hue of the route, mark and dash. Crosses are failures.
        sentence_name: in a sentence; the label where empty.
        learns: the tensor whose gradient is computed, or the attribute that is this tensor.
        passes: what it can be timed with.
        default: whether a sweep has it unless others are chosen.
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
    words: str
    source: str
    look: tuple[int, str, str]
    sentence_name: str = ""
    learns: str = "table"
    passes: tuple[str, ...] = tuple(PASSES)
    default: bool = False
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

    @property
    def name_in_sentence(self) -> str:
        """The label where no other name is given."""
        return self.sentence_name or self.label

    def refusal(self, pass_: str, cache: str) -> str:
        """Why the method cannot be timed so, in one sentence; empty if it can."""
        if pass_ not in self.passes:
            return f"{self.name} has no pass {pass_!r}, only: {', '.join(self.passes)}."
        if CACHES[cache].renews and self.route != "lookup":  # a matmul reads the whole table
            able = " or ".join(name for name, one in CACHES.items() if not one.renews)
            return f"only lookups are timed with new ids: the cache of {self.name} is {able}."
        return ""


METHODS = {
    one.name: one
    for one in (  # each route begins with its plainest method: the others are compared with it
        Method(
            "lookup",
            "lookup",
            "lookup",
            "Copies one row of the table for each id, as nn.Embedding does.",
            "F.embedding(ids, table)",
            (0, "circle", "solid"),
            default=True,
        ),
        Method(
            "lookup_sparse",
            "lookup, sparse gradient",
            "lookup",
            "The lookup with sparse=True: its gradient holds only the rows that were looked up.",
            "F.embedding(ids, table, sparse=True)",
            (3, "pentagon", "longdash"),
            sentence_name="lookup with sparse gradients",
            passes=("backward", "sgd", "adam"),
            sparse_gradient=True,
        ),
        Method(
            "module",
            "nn.Embedding",
            "lookup",
            "Calls an nn.Embedding that holds the table: the same lookup, called through a module.",
            "embedding(ids)",
            (6, "diamond-wide", "12px,3px"),
            learns="embedding.weight",
        ),
        Method(
            "indexing",
            "table[ids]",
            "lookup",
            "The same copy by indexing, which also takes slices, masks and several tensors.",
            "table[ids]",
            (7, "bowtie", "9px,3px"),
        ),
        Method(
            "index_select",
            "index_select",
            "lookup",
            "The same copy by torch.index_select.",
            "torch.index_select(table, 0, ids)",
            (1, "diamond", "dash"),
            default=True,
        ),
        Method(
            "index_select_out",
            "index_select, out=",
            "lookup",
            "The same copy by torch.index_select, into a tensor that stands ready.",
            "torch.index_select(table, 0, ids, out=out)",
            (2, "triangle-left", "dashdot"),
            sentence_name="index_select into a ready tensor",
            passes=("forward",),
        ),
        Method(
            "matmul",
            "matmul, one-hot ready",
            "matmul",
            "Multiplies a ready one-hot matrix by the weight of an nn.Linear.",
            "F.linear(one_hot, weight)",
            (0, "square", "solid"),
            learns="weight",
            sentence_name="matmul",
            default=True,
            dense=True,
        ),
        Method(
            "matmul_out",
            "matmul, out=",
            "matmul",
            "Multiplies a ready one-hot matrix by the weight, into a tensor that stands ready.",
            "torch.mm(one_hot, weight.t(), out=out)",
            (8, "diamond-tall", "12px,3px"),
            learns="weight",
            sentence_name="matmul into a ready tensor",
            passes=("forward",),
            dense=True,
        ),
        Method(
            "matmul_table",
            "matmul with the table",
            "matmul",
            "Multiplies a ready one-hot matrix by the table, V x D.",
            "one_hot @ table",
            (3, "triangle-right", "dash"),
            dense=True,
        ),
        Method(
            "onehot_matmul",
            "one-hot built + matmul",
            "matmul",
            "Builds the one-hot matrix with F.one_hot inside the clock, then multiplies.",
            "F.linear(F.one_hot(ids, V).to(dtype), weight)",
            (1, "triangle-up", "longdash"),
            learns="weight",
            default=True,
            dense=True,
            builds=True,
            from_int64=True,
        ),
        Method(
            "scatter_matmul",
            "one-hot by scatter + matmul",
            "matmul",
            "Builds the one-hot matrix with scatter_ in the table's dtype, then multiplies.",
            "F.linear(torch.zeros(N, V, dtype=dtype, device=device)"
            ".scatter_(1, ids[:, None], 1), weight)",
            (2, "triangle-down", "dashdot"),
            learns="weight",
            dense=True,
            builds=True,
        ),
        Method(
            "sparse_matmul",
            "sparse (CSR) matmul",
            "matmul",
            "Multiplies a ready one-hot matrix in CSR format, which holds no zeros, by the table.",
            "csr @ table",
            (4, "star", "longdashdot"),
            passes=("forward", "backward"),
            gradient_copies=1,
            flops_per_number=2,
            index_bytes=_csr_bytes,
        ),
        Method(
            "embedding_bag",
            "embedding_bag",
            "lookup",
            "Looks up the rows of each bag of tokens and adds them.",
            'F.embedding_bag(ids, table, offsets, mode="sum")',
            (4, "hexagon2", "longdashdot"),
            bags=True,
            flops_per_number=1,
            index_bytes=_bag_bytes,
        ),
        Method(
            "dense_bag",
            "counts @ weight",
            "matmul",
            "Multiplies ready counts, one row for each bag of tokens, by the weight.",
            "F.linear(counts, weight)",
            (5, "cross", "6px,3px"),
            learns="weight",
            bags=True,
            dense=True,
        ),
    )
}
DEFAULT_METHODS = tuple(name for name, method in METHODS.items() if method.default)
