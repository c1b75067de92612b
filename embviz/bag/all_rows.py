"""A whole matrix at once: `indices` and `indptr` are EmbeddingBag's `input` and `offsets`.

Each route gives every row's sum in one call: `nn.EmbeddingBag` and the sparse products of torch
and scipy. Each is compared with the float64 product. The dense matrix is made only where it is
small; otherwise only its size is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from embviz.bag.arrays import rounded, tensor, tidied, torch_csr
from embviz.bag.layers import BagLayers, check_columns
from embviz.bag.matrix import Matrix
from embviz.bag.tolerance import Reference, matrix_reference
from embviz.core.comparison import Comparison
from embviz.core.config import BUDGET_VARIABLE, MIB, budget_bytes
from embviz.core.refused import Refused
from embviz.core.wording import format_bytes

MAX_DENSE_BYTES = 64 * MIB  # of a matrix that is made dense for comparison


class SizeError(Refused):
    """Outputs over the memory budget."""


@dataclass(frozen=True, eq=False)
class MatrixRoute:
    """The result of one route for every row.

    Attributes:
        name: such as `embedding_bag`.
        code: the line of Python that gives it, after `MatrixResult.setup`.
        output: shape (rows, D), the weight's dtype.
        wrong_rows: int64, rows with a number outside the tolerance, in order.
        why: what the route does.
        max_abs_error: largest |output - float64 product|.
    """

    name: str
    code: str
    output: torch.Tensor
    wrong_rows: NDArray[np.int64]
    why: str
    max_abs_error: float

    @property
    def right(self) -> bool:
        """Whether every row is right."""
        return not len(self.wrong_rows)


@dataclass(frozen=True)
class Tidying:
    """The effect of `sum_duplicates` on a matrix.

    Attributes:
        before: stored values before it.
        after: stored values after it; explicit zeros stay.
        max_abs_difference: between scipy's products with and without it.
        same_product: whether the two differ at most by twice the tolerance.
    """

    before: int
    after: int
    max_abs_difference: float
    same_product: bool


@dataclass(frozen=True, eq=False)
class MatrixResult:
    """The results of all routes for a whole matrix.

    Attributes:
        matrix: the matrix, unchanged.
        setup: lines of Python that come before a route's; they need `X` and `weight`.
        routes: `dense_linear` first if the dense matrix is small, else `embedding_bag`.
        reference: the float64 product, shape (rows, D), and the tolerance of each number.
        tidying: the effect of `sum_duplicates`.
        dense_bytes: of the dense matrix in the weight's dtype, made or not.
    """

    matrix: Matrix
    setup: str
    routes: tuple[MatrixRoute, ...]
    reference: Reference
    tidying: Tidying
    dense_bytes: int

    @property
    def densified(self) -> bool:
        """Whether the dense matrix was made."""
        return self.routes[0].name == "dense_linear"

    @cached_property
    def empty_rows(self) -> NDArray[np.int64]:
        """Rows that store nothing, in order; every right route gives them zeros."""
        return np.flatnonzero(np.diff(self.matrix.csr.indptr) == 0)

    def route(self, name: str) -> MatrixRoute:
        """The route of that name (KeyError if there is none)."""
        return {route.name: route for route in self.routes}[name]


@dataclass(frozen=True)
class _Given:
    """The matrix in the weight's dtype, in the forms that routes take."""

    layers: BagLayers
    csr: Any
    tidy: Any


def run_matrix(
    matrix: Matrix, layers: BagLayers, max_dense_bytes: int = MAX_DENSE_BYTES
) -> MatrixResult:
    """Send every row through the routes at once and compare each with the float64 product.

    Args:
        matrix: shape (rows, V); its entries are used as they are stored.
        layers: of a weight of shape (D, V).
        max_dense_bytes: bound on the dense matrix that `dense_linear` needs, in bytes.

    Raises:
        WeightError: the weight is of another number of columns, or its dtype cannot hold a count.
        SizeError: the outputs would exceed the memory budget; nothing has been allocated.
        ValueError: a row too long for its sum to be judged in the weight's dtype.
    """
    rows, columns = matrix.shape
    check_columns(layers, columns)
    dense_bytes = rows * columns * layers.dtype.itemsize
    names = [name for name in _ROUTES if name != "dense_linear" or dense_bytes <= max_dense_bytes]
    _check_outputs(rows, layers, len(names))
    csr = rounded(matrix.csr, layers.dtype)
    given = _Given(layers, csr, tidied(csr))
    reference = matrix_reference(matrix.csr, layers)
    with torch.no_grad():
        outputs = {name: _ROUTES[name][1](given) for name in names}
    routes = []
    for name, output in outputs.items():
        code, _, why = _ROUTES[name]
        wrong = (~reference.accepts(output)).any(1).nonzero().flatten().numpy()
        error = reference.max_abs_error(output)
        routes.append(MatrixRoute(name, code, output, wrong, why, error))
    tidying = _tidying(given, outputs["scipy_matmul"], reference)
    return MatrixResult(
        matrix, _setup(given, matrix), tuple(routes), reference, tidying, dense_bytes
    )


def _check_outputs(rows: int, layers: BagLayers, routes: int) -> None:
    # One output a route and one for `sum_duplicates`; in float64 the product, its tolerance, and
    # four tensors while they are compared.
    dim = layers.linear.out_features
    each = (routes + 1) * layers.dtype.itemsize + 6 * torch.float64.itemsize
    if rows * dim * each > budget_bytes():
        raise SizeError(
            f"{rows:,} rows of {dim:,} numbers by {routes} routes need {rows:,} · {dim:,} · "
            f"{each} B = {format_bytes(rows * dim * each)}, over the budget of "
            f"{format_bytes(budget_bytes())} ({BUDGET_VARIABLE}); take fewer outputs."
        )


def _dense_linear(given: _Given) -> torch.Tensor:
    output: torch.Tensor = given.layers.linear(torch.from_numpy(given.csr.toarray()))
    return output


def _bags(given: _Given, weights: torch.Tensor | None) -> torch.Tensor:
    return F.embedding_bag(
        tensor(given.csr.indices),
        given.layers.table,
        tensor(given.csr.indptr),
        mode="sum",
        per_sample_weights=weights,
        include_last_offset=True,
    )


def _scipy_matmul(given: _Given) -> torch.Tensor:
    product: NDArray[Any] = given.csr @ given.layers.weight.t().numpy()
    return torch.from_numpy(product)


# Each route: its line, the same as a function, and what it does.
_ROUTES: dict[str, tuple[str, Callable[[_Given], torch.Tensor], str]] = {
    "dense_linear": (
        "linear(torch.from_numpy(X.toarray()))",
        _dense_linear,
        "It multiplies every cell of the dense matrix, zeros too.",
    ),
    "embedding_bag": (
        "bag(indices, indptr, per_sample_weights=data)",
        lambda given: _bags(given, tensor(given.csr.data)),
        "Row i is the bag of ids from indptr[i] to indptr[i + 1]; the last offset is the end.",
    ),
    "unweighted_bag": (
        "bag(indices, indptr)",
        lambda given: _bags(given, None),
        "It forgets X.data: right only where every stored value is 1.",
    ),
    "sparse_matmul": (
        "csr @ weight.t()",
        lambda given: torch_csr(given.tidy) @ given.layers.weight.t(),
        "It skips what is not stored. PyTorch calls its CSR beta; it wants sorted, distinct ids.",
    ),
    "scipy_matmul": (
        "X @ weight.t().numpy()",
        _scipy_matmul,
        "The same product in scipy, which PyTorch cannot differentiate.",
    ),
}


def _setup(given: _Given, matrix: Matrix) -> str:
    """Lines that define the names in the routes' lines, from `X` and `weight`."""
    lines = ["D, V = weight.shape"]
    if given.csr is not matrix.csr:
        # X.astype() would sum the duplicates too.
        lines += ["X = X.copy()", f'X.data = X.data.astype("{given.csr.dtype}")']
    lines += [
        "indptr, indices = torch.from_numpy(X.indptr), torch.from_numpy(X.indices)",
        "data = torch.from_numpy(X.data)",
        "linear = nn.Linear(V, D, bias=False, dtype=weight.dtype)",
        "linear.weight = nn.Parameter(weight)",
        "table = weight.t().clone(memory_format=torch.contiguous_format)",
        "bag = nn.EmbeddingBag.from_pretrained(",
        '    table, mode="sum", include_last_offset=True, freeze=False',
        ")",
    ]
    parts = "indptr, indices, data"
    if given.tidy is not given.csr:
        lines += ["tidy = X.copy()", "tidy.sum_duplicates()  # torch wants sorted, distinct ids"]
        lines.append(
            "parts = [torch.from_numpy(part) for part in (tidy.indptr, tidy.indices, tidy.data)]"
        )
        parts = "*parts"
    lines.append(f"csr = torch.sparse_csr_tensor({parts}, X.shape, check_invariants=True)")
    return "\n".join(lines)


def _tidying(given: _Given, product: torch.Tensor, reference: Reference) -> Tidying:
    csr, tidy = given.csr, given.tidy
    if tidy is csr:
        return Tidying(csr.nnz, csr.nnz, 0.0, True)
    after = torch.from_numpy(tidy @ given.layers.weight.t().numpy())
    apart = Comparison(product, after).max_abs_error
    return Tidying(csr.nnz, tidy.nnz, apart, reference.accepts_pair(product, after))
