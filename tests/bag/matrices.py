"""Matrices, weights and exact products that the tests of the bag share."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import scipy.sparse
import torch
from hypothesis import settings
from hypothesis import strategies as st

from embviz.bag.matrix import Matrix, from_parts, parse_matrix
from embviz.bag.row_routes import RowResult

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))[
    "bag_of_words"
]
QUICK = settings(deadline=None, max_examples=60)
RIGHT = ["dense_linear", "weighted_embedding_sum", "embedding_bag", "sparse_matmul", "scipy_matmul"]
RIGHT_AT_ONCE = ["dense_linear", "embedding_bag", "sparse_matmul", "scipy_matmul"]
WEIGHT = torch.tensor(FACTS["linear_weight"])
TYPED = parse_matrix(json.dumps(FACTS["x_train"]))


def untidy(dtype: type = np.float32, index: type = np.int32) -> Matrix:
    """Unsorted and repeated ids, a stored zero, and empty rows at the start, middle and end."""
    return from_parts(
        (5, 4),
        np.array([0, 0, 4, 4, 7, 7], dtype=index),
        np.array([3, 1, 3, 0, 2, 2, 0], dtype=index),
        np.array([1, 2, 0.5, 0, 1, 1, 1], dtype=dtype),
    )


def frozen(matrix: Matrix) -> Matrix:
    """The same matrix in read-only memory."""
    parts = [part.copy() for part in (matrix.csr.data, matrix.csr.indices, matrix.csr.indptr)]
    for part in parts:
        part.flags.writeable = False
    made = scipy.sparse.csr_array(tuple(parts), shape=matrix.shape)
    return Matrix(made, matrix.columns, matrix.documents)


MATRICES = {
    "typed": TYPED,
    "counts": parse_matrix("2 0 1 0\n0 0 0 0\n0 0.5 -3 1"),
    "untidy": untidy(),
    "untidy, float64 and int64": untidy(np.float64, np.int64),
    "float64": parse_matrix("0.1 0 0.2 0"),
    "one word": parse_matrix("0 1 0 0\n0 3 0 0"),
    "read-only": frozen(untidy()),
    "read-only, float64": frozen(untidy(np.float64)),
}


def wrong(result: RowResult) -> set[str]:
    """The names of the routes whose output is wrong."""
    return {route.name for route in result.routes if not route.right}


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    """Any CSR: empty rows, stored zeros, unsorted and repeated ids, both dtypes of each part."""
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    index = draw(st.sampled_from([np.int32, np.int64]))
    columns = draw(st.integers(1, 8))
    width = np.dtype(dtype).itemsize * 8
    values = st.one_of(
        st.sampled_from([0.0, 1.0, 1.0, 2.0, -1.0]),
        st.floats(-1000, 1000, width=width),
        st.floats(-(2.0**30), 2.0**30, width=width, allow_subnormal=True),
    )
    entries = st.lists(st.tuples(st.integers(0, columns - 1), values), max_size=12)
    rows = draw(st.lists(entries, min_size=1, max_size=5))
    stored = [entry for row in rows for entry in row]
    return from_parts(
        (len(rows), columns),
        np.cumsum([0, *map(len, rows)]).astype(index),
        np.array([column for column, _ in stored], dtype=index),
        np.array([value for _, value in stored], dtype=dtype),
    )


@st.composite
def weights(draw: st.DrawFn, columns: int) -> torch.Tensor:
    """Any finite weight of a few outputs."""
    dtype = draw(st.sampled_from([torch.float32, torch.float64]))
    numbers = st.one_of(
        st.floats(-2, 2, width=dtype.itemsize * 8),
        st.floats(-(2.0**40), 2.0**40, width=dtype.itemsize * 8, allow_subnormal=True),
    )
    dim = draw(st.integers(1, 4))
    row = st.lists(numbers, min_size=columns, max_size=columns)
    return torch.tensor(draw(st.lists(row, min_size=dim, max_size=dim)), dtype=dtype)


def exact_product(matrix: Matrix, weight: torch.Tensor) -> list[list[Fraction]]:
    """The product in rational numbers, without embviz's or scipy's arithmetic."""
    numbers = [[Fraction(number) for number in row] for row in weight.tolist()]
    found = []
    for row in map(matrix.row, range(matrix.shape[0])):
        counts = [Fraction(value) for value in row.data.tolist()]
        stored = list(zip(row.indices.tolist(), counts, strict=True))
        found.append([sum((n * line[at] for at, n in stored), Fraction()) for line in numbers])
    return found
