"""The routes to rows of counts times a weight: one table; the line shown is the line that runs.

One function serves one row and all of them, because a row is a matrix of one row. Each output is
compared with the product in float64. In a sum of n products in any order, rounding moves the result
by at most about

    n · u · sum |x_k · w_k|,   u = eps / 2 of the dtype

(N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., section 3.1). The tolerance
is twice that, because the float64 product is rounded too; a count is rounded as well, and what lies
below the smallest normal number may be lost.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import nn

from embviz.bag.weight import check_weight
from embviz.fact.comparison import Pair
from embviz.system import bounds
from embviz.system.bounds import MIB, OverLimitError, check_budget
from embviz.text.refused import Refused
from embviz.text.wording import format_bytes

MAX_DENSE_BYTES = 64 * MIB  # Bytes of a matrix that is made dense.
# It needs X, a scipy CSR, and weight of shape (D, V).
SETUP = """\
D, V = weight.shape
linear = nn.Linear(V, D, bias=False, device="meta")  # draws no numbers of its own
linear.weight = nn.Parameter(weight)
table = weight.t().contiguous()
embedding = nn.Embedding.from_pretrained(table)
bag, mean_bag, max_bag = (
    nn.EmbeddingBag.from_pretrained(table, mode=mode, include_last_offset=True)
    for mode in ("sum", "mean", "max")
)
X = X.astype(weight.numpy().dtype)
X.sum_duplicates()  # sorts the columns of each row, as PyTorch wants them
indptr, indices, data = map(torch.from_numpy, (X.indptr, X.indices, X.data))
csr = torch.sparse_csr_tensor(indptr, indices, data, X.shape, check_invariants=True)
"""
DENSE = "x = torch.from_numpy(X.toarray())\n"


@dataclass(frozen=True)
class Route:
    """One way to the sum.

    Attributes:
        name: such as `embedding_bag`.
        code: the line of Python, after the setup.
        why: what it does, in a sentence.
        needs: `dense` for the dense matrix, `row` for a single row, or nothing.
    """

    name: str
    code: str
    why: str
    needs: str = ""


ROUTES = (
    Route("dense_linear", "linear(x)", "It multiplies every cell, zeros too.", "dense"),
    Route(
        "linear_of_a_vector",
        "linear(x[0, :])",
        "The shape of the input decides: x[0, :] gives (D,); x[0:1], a matrix of one row, gives "
        "(1, D).",
        "row",
    ),
    Route("linear_of_csr", "linear(csr)", "nn.Linear takes sparse rows: no row is made dense."),
    Route(
        "linear_of_coo",
        "linear(csr.to_sparse_coo())",
        "nn.Linear takes COO too, the other sparse layout.",
    ),
    Route(
        "embedding_sum",
        "embedding(indices).sum(0)",
        "It forgets the counts, so it is right only where each count is 1, or by chance. Without "
        "sum(0) the result is one row for each word.",
        "row",
    ),
    Route(
        "weighted_embedding_sum",
        "(embedding(indices) * data[:, None]).sum(0)",
        "Each row of the table is multiplied by its count first.",
        "row",
    ),
    Route(
        "embedding_bag",
        "bag(indices, indptr, per_sample_weights=data)",
        "The same sum in one call: indices are the ids, indptr the offsets, data the weights.",
    ),
    Route(
        "unweighted_bag",
        "bag(indices, indptr)",
        "It forgets the counts too, so it is right only where each count is 1, or by chance.",
    ),
    Route("sparse_matmul", "csr @ weight.t()", "It skips what is not stored."),
    Route(
        "scipy_matmul",
        "torch.from_numpy(X @ weight.t().numpy())",
        "The same matmul in scipy, which PyTorch cannot differentiate.",
    ),
    Route(
        "embedding_bag_mean",
        "mean_bag(indices, indptr)",
        "The mean of the rows. PyTorch takes per_sample_weights for mode='sum' only.",
    ),
    Route(
        "embedding_bag_max",
        "max_bag(indices, indptr)",
        "The largest number of the rows. PyTorch takes per_sample_weights for mode='sum' only.",
    ),
)


@dataclass(frozen=True, eq=False)
class RouteResult:
    """The result of one route.

    Attributes:
        route: its record.
        output: as the line gave it, shape (rows, D), or (D,); the weight's dtype.
        wrong: bool, shape (rows, D): where it is outside of the tolerance.
        max_abs_error: largest |output - float64 product|.
        same_bits: whether it has the bits of `linear(x)`; False where that is left out.
    """

    route: Route
    output: torch.Tensor
    wrong: torch.Tensor
    max_abs_error: float
    same_bits: bool

    @property
    def right(self) -> bool:
        """Whether every number is right."""
        return not self.wrong.any()


@dataclass(frozen=True, eq=False)
class Result:
    """The results of all routes.

    Attributes:
        setup: the lines before a route's; they need `X` and `weight`.
        of_routes: what each gave, by its name, in the order of `ROUTES`.
        tolerance: float64, shape (rows, D): largest |difference| of a right output.
    """

    setup: str
    of_routes: dict[str, RouteResult]
    tolerance: torch.Tensor


@torch.no_grad()
def run(csr: Any, weight: torch.Tensor, max_dense_bytes: int = MAX_DENSE_BYTES) -> Result:
    """Send rows through every route and compare each output with the float64 product.

    Args:
        csr: of a `Matrix`, shape (rows, V).
        weight: shape (D, V), float32 or float64.
        max_dense_bytes: bound on the dense matrix; above it, `linear(x)` is left out.

    Raises:
        Refused: a weight that does not fit, sums too large for its dtype, or outputs over the
            memory budget.
    """
    rows, columns = csr.shape
    check_weight(weight, columns)
    kept = 16 * rows  # the outputs, the product and comparisons
    if rows == 1:
        kept += 2 * csr.nnz  # the rows that it looks up
    needed = 8 * len(weight) * kept
    what = f"{rows:,} × {len(weight):,} numbers by {len(ROUTES)} routes"
    check_budget(needed, f"{what} need {format_bytes(needed)}")
    _check_products(len(weight), csr.nnz + rows)
    small = rows * columns * 8 <= max_dense_bytes
    # Only columns that some row stores: a weight of a million words in float64 takes a second.
    stored, place = np.unique(csr.indices, return_inverse=True)
    table = weight.detach()[:, stored].t().double().numpy()
    few = scipy.sparse.csr_array((csr.data, place, csr.indptr), (rows, len(stored)))
    product = torch.from_numpy(few @ table)
    terms = np.diff(csr.indptr)[:, None] + 2.0
    info = torch.finfo(weight.dtype)
    if (sizes := abs(few) @ np.abs(table)).max() > info.max / 2:
        raise Refused(f"Counts times this weight give sums too large for {weight.dtype}.")
    lost = info.smallest_normal * (4 + np.abs(table).max(0, initial=0.0))
    tolerance = torch.from_numpy(terms * (info.eps * sizes + lost))
    setup = SETUP + DENSE if small else SETUP
    names = {"torch": torch, "nn": nn, "X": csr, "weight": weight.detach()}
    exec(setup, names)  # noqa: S102 - a text of ours
    results: dict[str, RouteResult] = {}
    for route in ROUTES:
        if (route.needs == "dense" and not small) or (route.needs == "row" and rows > 1):
            continue
        output: torch.Tensor = eval(route.code, names)  # noqa: S307 - a line of ours
        error = (output.double() - product).abs()
        same_bits = False
        if small:  # then the dense one is the first of them
            dense = results["dense_linear"].output if results else output
            same_bits = Pair(output.reshape(rows, -1), dense).bitwise_equal
        results[route.name] = RouteResult(
            route, output, ~(error <= tolerance), float(error.max()), same_bits
        )
    return Result(setup, results, tolerance)


def _check_products(outputs: int, counts: int) -> None:
    """Refuse sums that take a public server too long.

    Raises:
        OverLimitError: shows the arithmetic, with the outputs that fit.
    """
    if (products := outputs * counts) > (most := bounds.BAG.value()):
        fix = {f"Use {fits:,} outputs": {"outputs": fits}} if (fits := most // counts) else None
        raise OverLimitError(
            f"{outputs:,} outputs times {counts:,} counts and rows are {products:,} products on "
            f"each route. This server computes at most {most:,}.",
            fix,
            "outputs",
        )


with warnings.catch_warnings():  # PyTorch says once in a process that its CSR is in beta
    warnings.simplefilter("ignore")
    torch.eye(1).to_sparse_csr()
