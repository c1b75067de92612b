"""One row through every route: which give the product of the dense row, and at what cost.

`linear(row)`, `embedding(ids).sum(0)` (which forgets the counts), the weighted sum,
`nn.EmbeddingBag` in its three modes, and the sparse products of torch and scipy. Whether
a route is right is found by comparing its numbers with the float64 product, never assumed.
Nothing is trained or timed here; the whole matrix at once is the business of `whole`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import torch
from numpy.typing import NDArray

from embviz.bag.arrays import rounded, tensor, tidied, torch_csr
from embviz.bag.layers import BagLayers, check_columns
from embviz.bag.matrix import Row
from embviz.bag.tolerance import Reference, row_reference
from embviz.core.comparison import Comparison
from embviz.core.wording import quote


@dataclass(frozen=True)
class Work:
    """What a route does for one row, counted from the shapes.

    Attributes:
        multiplications: how many numbers are multiplied (or, for a mean, divided).
        bytes_touched: of memory, each byte once: what is read, what is made on the way,
            and the output.
    """

    multiplications: int
    bytes_touched: int


@dataclass(frozen=True, eq=False)
class Route:
    """What one route gave for a row.

    Attributes:
        name: such as `embedding_bag`.
        code: the line of Python that gives it, after `RowResult.setup`.
        output: shape (D,), the weight's dtype.
        right: whether every number is within the tolerance of the float64 product.
        why: why it is, or is not.
        work: what it multiplies and touches.
        max_abs_error: largest |output - float64 product|.
        comparison: `lookup` is this output, `matmul` that of the dense linear route.
        near_dense: whether these two differ by no more than two right outputs can.
    """

    name: str
    code: str
    output: torch.Tensor
    right: bool
    why: str
    work: Work
    max_abs_error: float
    comparison: Comparison
    near_dense: bool


@dataclass(frozen=True, eq=False)
class RowResult:
    """What all routes gave for one row.

    Attributes:
        row: the row.
        setup: the lines of Python before any route's; they need `X` and `weight`.
        routes: in the order of the lesson, `dense_linear` first.
        reference: the float64 product, shape (D,), and the tolerance of each of its numbers.
    """

    row: Row
    setup: str
    routes: tuple[Route, ...]
    reference: Reference

    def route(self, name: str) -> Route:
        """The route of that name (KeyError if there is none)."""
        return {route.name: route for route in self.routes}[name]


@dataclass(frozen=True)
class _Given:
    """One row as each route wants it, in the weight's dtype."""

    layers: BagLayers
    row: Row
    csr: Any  # scipy, shape (1, V)
    tidy: Any  # the same, sorted and distinct

    @property
    def ids(self) -> torch.Tensor:
        return tensor(self.csr.indices)

    @property
    def data(self) -> torch.Tensor:
        return tensor(self.csr.data)


def run_row(row: Row, layers: BagLayers) -> RowResult:
    """Send one row through every route and compare each with the float64 product.

    Args:
        row: stored entries in any order, repeated or zero or none at all.
        layers: of a weight with a column for each of the row's.

    Raises:
        WeightError: the weight is of another number of columns, or its dtype cannot hold a count.
        ValueError: a row too long for its sum to be judged in the weight's dtype.
    """
    check_columns(layers, row.num_columns)
    parts = (row.data, row.indices, np.array([0, len(row.data)], dtype=row.indices.dtype))
    stored = scipy.sparse.csr_array(parts, shape=(1, row.num_columns))
    csr = rounded(stored, layers.dtype, first_row=row.index)
    given = _Given(layers, row, csr, tidied(csr))
    reference = row_reference(row.indices, row.data, layers)
    with torch.no_grad():
        outputs = {name: run(given) for name, (_, run) in _ROUTES.items()}
    work = _work(given)
    routes = []
    for name, (code, _) in _ROUTES.items():
        output, dense = outputs[name], outputs["dense_linear"]
        right = bool(reference.accepts(output).all())
        routes.append(
            Route(
                name,
                code,
                output,
                right,
                _why(name, given, output, right),
                work[name],
                reference.max_abs_error(output),
                Comparison(output, dense),
                reference.accepts_pair(output, dense),
            )
        )
    return RowResult(row, _setup(given), tuple(routes), reference)


def _dense_linear(given: _Given) -> torch.Tensor:
    output: torch.Tensor = given.layers.linear(torch.from_numpy(given.csr.toarray()[0]))
    return output


def _sparse_matmul(given: _Given) -> torch.Tensor:
    return (torch_csr(given.tidy) @ given.layers.weight.t())[0]


def _scipy_matmul(given: _Given) -> torch.Tensor:
    product: NDArray[Any] = given.csr @ given.layers.weight.t().numpy()
    return torch.from_numpy(product[0])


# Each route: its line, and the same as a function.
_ROUTES: dict[str, tuple[str, Callable[[_Given], torch.Tensor]]] = {
    "dense_linear": ("linear(torch.from_numpy(row.toarray()[0]))", _dense_linear),
    "embedding_sum": (
        "embedding(ids).sum(0)",
        lambda given: given.layers.embedding(given.ids).sum(0),
    ),
    "weighted_embedding_sum": (
        "(embedding(ids) * data[:, None]).sum(0)",
        lambda given: (given.layers.embedding(given.ids) * given.data[:, None]).sum(0),
    ),
    "embedding_bag": (
        "sum_bag(ids, torch.tensor([0]), per_sample_weights=data)[0]",
        lambda given: given.layers.sum_bag(
            given.ids, torch.tensor([0]), per_sample_weights=given.data
        )[0],
    ),
    "sparse_matmul": ("(csr @ weight.t())[0]", _sparse_matmul),
    "scipy_matmul": ("(row @ weight.t().numpy())[0]", _scipy_matmul),
    "embedding_bag_mean": (
        "mean_bag(ids, torch.tensor([0]))[0]",
        lambda given: given.layers.mean_bag(given.ids, torch.tensor([0]))[0],
    ),
    "embedding_bag_max": (
        "max_bag(ids, torch.tensor([0]))[0]",
        lambda given: given.layers.max_bag(given.ids, torch.tensor([0]))[0],
    ),
}


def _setup(given: _Given) -> str:
    """The lines that make what the routes' lines name, of `X` and `weight`."""
    lines = ["D, V = weight.shape"]
    lines += [f"row = X[[{given.row.index}]]  # still CSR, of shape (1, V)"]
    if given.row.data.dtype != given.csr.dtype:
        # row.astype() would sum the duplicates too.
        lines.append(f'row.data = row.data.astype("{given.csr.dtype}")')
    lines += [
        "ids, data = torch.from_numpy(row.indices), torch.from_numpy(row.data)",
        "linear = nn.Linear(V, D, bias=False, dtype=weight.dtype)",
        "linear.weight = nn.Parameter(weight)",
        "table = weight.t().clone(memory_format=torch.contiguous_format)",
        "embedding = nn.Embedding.from_pretrained(table, freeze=False)",
        'sum_bag = nn.EmbeddingBag.from_pretrained(table, mode="sum", freeze=False)',
        'mean_bag = nn.EmbeddingBag.from_pretrained(table, mode="mean", freeze=False)',
        'max_bag = nn.EmbeddingBag.from_pretrained(table, mode="max", freeze=False)',
    ]
    name = "row"
    if given.tidy is not given.csr:
        lines += ["tidy = row.copy()", "tidy.sum_duplicates()  # torch wants sorted, distinct ids"]
        name = "tidy"
    arrays = ", ".join(f"torch.from_numpy({name}.{part})" for part in ("indptr", "indices", "data"))
    lines += [
        f"parts = ({arrays})",
        f"csr = torch.sparse_csr_tensor(*parts, {name}.shape, check_invariants=True)",
    ]
    return "\n".join(lines)


def _work(given: _Given) -> dict[str, Work]:
    dim, columns = given.layers.weight.shape
    item, index = given.layers.dtype.itemsize, given.csr.indices.itemsize
    stored, distinct = given.csr.nnz, given.tidy.nnz
    output, ids, data = dim * item, stored * index, stored * item
    rows, copied = distinct * dim * item, stored * dim * item
    offset, indptr = torch.int64.itemsize, 2 * index
    return {
        "dense_linear": Work(columns * dim, columns * item + columns * dim * item + output),
        "embedding_sum": Work(0, ids + rows + copied + output),
        "weighted_embedding_sum": Work(stored * dim, ids + data + rows + 2 * copied + output),
        "embedding_bag": Work(stored * dim, ids + data + offset + rows + output),
        "sparse_matmul": Work(distinct * dim, distinct * (index + item) + indptr + rows + output),
        "scipy_matmul": Work(stored * dim, ids + data + indptr + rows + output),
        "embedding_bag_mean": Work(dim if stored else 0, ids + offset + rows + output),
        "embedding_bag_max": Work(0, ids + offset + rows + output),
    }


_BY_CHANCE = "It agrees by chance: it never looks at the values that the row stores."


def _why(name: str, given: _Given, output: torch.Tensor, right: bool) -> str:
    if not output.isfinite().all():
        return f"A number on the way is too large for {given.csr.dtype}."
    stored = given.csr.nnz
    if name == "embedding_sum":
        return _why_plain_sum(given.row, right)
    if name in ("embedding_bag_mean", "embedding_bag_max"):
        if not stored:
            return "PyTorch gives an empty bag zeros, and so does the product."
        if right and stored == 1:
            return "Of one row, stored as 1, the sum, the mean and the largest are the row itself."
        if right:
            return _BY_CHANCE
        if stored == 1:
            what = "the one row, without its value"
        elif name.endswith("mean"):
            what = f"the mean of {stored:,} rows, not their sum"
        else:
            what = f"for each output the largest number of {stored:,} rows, not their sum"
        return f"It gives {what}; PyTorch takes per_sample_weights for mode='sum' only."
    columns = given.row.num_columns
    tidy = "" if given.tidy is given.csr else "; it wants sorted, distinct ids"
    return {
        "dense_linear": f"It multiplies all {columns:,} cells, {_zeros(given):,} of them 0.",
        "weighted_embedding_sum": "Each row of the table is multiplied by its value first.",
        "embedding_bag": "The same sum in one call, with no copy of the rows on the way.",
        "sparse_matmul": f"It skips what is not stored. PyTorch calls its CSR beta{tidy}.",
        "scipy_matmul": "The same product in scipy, which PyTorch cannot differentiate.",
    }[name]


def _zeros(given: _Given) -> int:
    return given.row.num_columns - int(np.count_nonzero(given.tidy.data))


def _why_plain_sum(row: Row, right: bool) -> str:
    if row.binary:
        return "Every stored value is 1, so nothing is lost by not multiplying."
    if right:
        return _BY_CHANCE
    at = int((row.data != 1).argmax())
    column = int(row.indices[at])
    word = quote(row.columns[column]) if row.columns is not None else f"column {column:,}"
    return f"It forgets row.data: {word} is stored as {row.data[at]:g} and added once, as 1."
