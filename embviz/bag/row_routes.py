"""One row through every route: which give the product of the dense row.

`linear(row)`, `embedding(ids).sum(0)` (which forgets the counts), the weighted sum,
`nn.EmbeddingBag` in its three modes, and the sparse products of torch and scipy. A route is
right if its numbers are those of the float64 product. Nothing is trained or timed here;
`all_rows` computes the whole matrix at once.
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


@dataclass(frozen=True, eq=False)
class Route:
    """The result of one route for a row.

    Attributes:
        name: such as `embedding_bag`.
        is_basic: whether a newcomer sees it first.
        code: the line of Python that gives it, after `RowResult.setup`.
        output: shape (D,), the weight's dtype.
        right: whether every number is within the tolerance of the float64 product.
        why: the reason, in a sentence.
        max_abs_error: largest |output - float64 product|.
        comparison: `lookup` is this output, `matmul` the output of `dense_linear`.
        near_dense: whether the two differ at most by twice the tolerance.
    """

    name: str
    is_basic: bool
    code: str
    output: torch.Tensor
    right: bool
    why: str
    max_abs_error: float
    comparison: Comparison
    near_dense: bool


@dataclass(frozen=True, eq=False)
class RowResult:
    """The results of all routes for one row.

    Attributes:
        row: the row.
        setup: lines of Python that come before a route's; they need `X` and `weight`.
        routes: in the order of the lesson, `dense_linear` first.
        reference: the float64 product, shape (D,), and the tolerance of each number.
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
    """One row in the weight's dtype, in the forms that routes take."""

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


@dataclass(frozen=True)
class _RowRoute:
    """One route: its line of code, the same as a function, and why it is right or not."""

    code: str
    run: Callable[[_Given], torch.Tensor]
    why: Callable[[_Given, bool], str]
    is_basic: bool = False


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
        outputs = {name: one.run(given) for name, one in _ROUTES.items()}
    routes = []
    for name, one in _ROUTES.items():
        output, dense = outputs[name], outputs["dense_linear"]
        right = bool(reference.accepts(output).all())
        finite = bool(output.isfinite().all())
        too_large = f"A number on the way is too large for {given.csr.dtype}."
        routes.append(
            Route(
                name,
                one.is_basic,
                one.code,
                output,
                right,
                one.why(given, right) if finite else too_large,
                reference.max_abs_error(output),
                Comparison(output, dense),
                reference.accepts_pair(output, dense),
            )
        )
    return RowResult(row, _setup(given), tuple(routes), reference)


def _dense_linear(given: _Given) -> torch.Tensor:
    output: torch.Tensor = given.layers.linear(torch.from_numpy(given.csr.toarray()[0]))
    return output


def _why_dense(given: _Given, _right: bool) -> str:
    columns = given.row.num_columns
    zeros = columns - int(np.count_nonzero(given.tidy.data))
    return f"It multiplies all {columns:,} cells, {zeros:,} of them 0."


def _scipy_matmul(given: _Given) -> torch.Tensor:
    product: NDArray[Any] = given.csr @ given.layers.weight.t().numpy()
    return torch.from_numpy(product[0])


_BY_CHANCE = "It agrees by chance: it never looks at the values that the row stores."


def _why_plain_sum(given: _Given, right: bool) -> str:
    row = given.row
    if row.binary:
        return "Every stored value is 1, so nothing is lost by not multiplying."
    if right:
        return _BY_CHANCE
    at = int((row.data != 1).argmax())
    column = int(row.indices[at])
    word = quote(row.columns[column]) if row.columns is not None else f"column {column:,}"
    return f"It forgets row.data: {word} is stored as {row.data[at]:g} and added once, as 1."


def _why_other_mode(gives: str) -> Callable[[_Given, bool], str]:
    """Why a mode other than `sum` is right or wrong; `gives` names its result for n rows."""

    def why(given: _Given, right: bool) -> str:
        stored = given.csr.nnz
        if not stored:
            return "PyTorch gives an empty bag zeros, and so does the product."
        if right and stored == 1:
            return "Of one row, stored as 1, the sum, the mean and the largest are the row itself."
        if right:
            return _BY_CHANCE
        what = "the one row, without its value" if stored == 1 else gives.format(n=f"{stored:,}")
        return f"It gives {what}; PyTorch takes per_sample_weights for mode='sum' only."

    return why


_ROUTES = {
    "dense_linear": _RowRoute(
        "linear(torch.from_numpy(row.toarray()[0]))", _dense_linear, _why_dense, True
    ),
    "embedding_sum": _RowRoute(
        "embedding(ids).sum(0)",
        lambda given: given.layers.embedding(given.ids).sum(0),
        _why_plain_sum,
        True,
    ),
    "weighted_embedding_sum": _RowRoute(
        "(embedding(ids) * data[:, None]).sum(0)",
        lambda given: (given.layers.embedding(given.ids) * given.data[:, None]).sum(0),
        lambda _given, _right: "Each row of the table is multiplied by its value first.",
    ),
    "embedding_bag": _RowRoute(
        "sum_bag(ids, torch.tensor([0]), per_sample_weights=data)[0]",
        lambda given: given.layers.sum_bag(
            given.ids, torch.tensor([0]), per_sample_weights=given.data
        )[0],
        lambda _given, _right: "The same sum in one call, with no copy of the rows on the way.",
        True,
    ),
    "sparse_matmul": _RowRoute(
        "(csr @ weight.t())[0]",
        lambda given: (torch_csr(given.tidy) @ given.layers.weight.t())[0],
        lambda given, _right: (
            "It skips what is not stored. PyTorch calls its CSR beta"
            + ("." if given.tidy is given.csr else "; it wants sorted, distinct ids.")
        ),
    ),
    "scipy_matmul": _RowRoute(
        "(row @ weight.t().numpy())[0]",
        _scipy_matmul,
        lambda _given, _right: "The same product in scipy, which PyTorch cannot differentiate.",
    ),
    "embedding_bag_mean": _RowRoute(
        "mean_bag(ids, torch.tensor([0]))[0]",
        lambda given: given.layers.mean_bag(given.ids, torch.tensor([0]))[0],
        _why_other_mode("the mean of {n} rows, not their sum"),
    ),
    "embedding_bag_max": _RowRoute(
        "max_bag(ids, torch.tensor([0]))[0]",
        lambda given: given.layers.max_bag(given.ids, torch.tensor([0]))[0],
        _why_other_mode("for each output the largest number of {n} rows, not their sum"),
    ),
}


def _setup(given: _Given) -> str:
    """Lines that define the names in the routes' lines, from `X` and `weight`."""
    lines = ["D, V = weight.shape", f"row = X[[{given.row.index}]]  # still CSR, of shape (1, V)"]
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
