"""The methods that can be timed, one record each.

Statements, costs, refusals, charts, page, command line and sentences read these records: a new
method is one entry of `METHODS`. PyTorch is not imported here; `tensors` makes what a statement
names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from embviz.text.records import by_name
from embviz.timing.measure.axes import MODES

ROUTES = ("lookup", "matmul")  # Routes, in the order of the theme's two route colours.
INDEX = 8  # Bytes of an int64.


@dataclass(frozen=True)
class Method:
    """One way to get the rows of a table.

    Attributes:
        name: in run files, on the command line and in addresses.
        label: in a legend, a table or a sentence.
        route: `lookup` or `matmul`; the theme has a hue for each.
        source: the forward pass, exactly as it is timed; `tensors` lists the names that it may use.
        shade: its colour on a chart: a place in `picture/shades.py`, of which 0 is the hue of the
            route; another one than those of its route.
        symbol: its mark on a chart, one of plotly's, and no other method's.
        learns: the tensor whose gradient is computed, or the attribute that is this tensor.
        modes: what it can be timed with.
        dense: whether it multiplies a dense N x V factor, and so reads the whole table.
        builds: whether that factor is made inside the clock.
        from_int64: whether it is made as int64 and then converted.
        sparse_gradient: whether the gradient holds only the rows that were looked up.
        csr: whether it multiplies a sparse N x V factor in CSR format.
    """

    name: str
    label: str
    route: Literal["lookup", "matmul"]
    source: str
    shade: int
    symbol: str
    learns: str = "table"
    modes: tuple[str, ...] = tuple(MODES)
    dense: bool = False
    builds: bool = False
    from_int64: bool = False
    sparse_gradient: bool = False
    csr: bool = False


METHODS = by_name(
    (  # each route begins with its plainest method: the others are compared with it
        Method(
            "lookup",
            "lookup",
            "lookup",
            "F.embedding(ids, table)",
            0,
            "circle",
        ),
        Method(
            "lookup_sparse",
            "lookup with sparse gradients",
            "lookup",
            "F.embedding(ids, table, sparse=True)",
            5,
            "triangle-up",
            modes=("backward", "sgd", "adam"),
            sparse_gradient=True,
        ),
        Method(
            "module",
            "nn.Embedding",
            "lookup",
            "embedding(ids)",
            6,
            "pentagon",
            learns="embedding.weight",
        ),
        Method(
            "indexing",
            "table[ids]",
            "lookup",
            "table[ids]",
            7,
            "hexagon",
        ),
        Method(
            "index_select",
            "index_select",
            "lookup",
            "torch.index_select(table, 0, ids)",
            1,
            "star",
        ),
        Method(
            "matmul",
            "matmul",
            "matmul",
            "F.linear(one_hot, weight)",
            0,
            "diamond",
            learns="weight",
            dense=True,
        ),
        Method(
            "matmul_table",
            "matmul on the lookup's table",
            "matmul",
            "one_hot @ table",
            3,
            "square",
            dense=True,
        ),
        Method(
            "onehot_matmul",
            "one-hot built + matmul",
            "matmul",
            "F.linear(F.one_hot(ids, V).to(dtype), weight)",
            1,
            "x",
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
            2,
            "cross",
            learns="weight",
            dense=True,
            builds=True,
        ),
        Method(
            "sparse_matmul",
            "sparse (CSR) matmul",
            "matmul",
            "csr @ table",
            4,
            "triangle-down",
            modes=("forward", "backward"),
            csr=True,
        ),
    )
)
DEFAULT_METHODS = ("lookup", "index_select", "matmul", "onehot_matmul")
