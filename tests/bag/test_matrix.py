"""Sparse matrices as they are given: typed, dense, or CSR of unknown origin."""

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.bag.matrix import MatrixError, check, from_parts, parse_matrix
from tests.bag.matrices import FACTS


def whole(numbers: list[int], dtype: Any = np.int32) -> Any:
    """Numbers as an array of an index type."""
    return np.array(numbers, dtype=dtype)


def test_the_matrix_of_the_seed_facts() -> None:
    """The article's x_train can be typed and keeps its structure; zeros take no place."""
    matrix = parse_matrix(json.dumps(FACTS["x_train"]))
    assert matrix.csr.toarray().tolist() == FACTS["x_train"]
    assert matrix.csr.indptr.tolist() == [0, 2, 4, 7]
    assert matrix.csr.indices.tolist() == [0, 2, 2, 3, 0, 1, 2]
    row = matrix.row(FACTS["row"])
    assert row.indices.tolist() == FACTS["row_indices"]
    assert row.data.tolist() == [1, 1]
    assert row.dense().tolist() == [1, 0, 1, 0]
    assert row.binary


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No matrix was given"),
        ("[]", "1 x 0 is outside"),
        ("0 0\n1 nan", "nan in row 1, column 1 is not a finite number"),
    ],
)
def test_what_is_no_matrix_is_refused_in_a_sentence(text: str, words: str) -> None:
    """No matrix, an empty one and one that is not finite are refused; the rest in test_numbers."""
    with pytest.raises(MatrixError, match=words):
        parse_matrix(text)


@given(st.text(max_size=60) | st.text("[]0123456789.,;eE-+ \n_naN", max_size=60))
@settings(deadline=None)
def test_any_text_is_a_matrix_or_a_sentence(text: str) -> None:
    """Any text gives a finite matrix or a MatrixError."""
    try:
        matrix = parse_matrix(text)
    except MatrixError:
        return
    assert bool(np.isfinite(matrix.csr.data).all())
    assert matrix.shape >= (1, 1)


@given(st.lists(st.lists(st.floats(-9, 9) | st.integers(), min_size=2, max_size=2), min_size=1))
@settings(deadline=None)
def test_numbers_are_kept_exactly(rows: list[list[float]]) -> None:
    """Typed numbers keep their exact values; float32 is chosen only where it holds each."""
    for text in (json.dumps(rows), "\n".join(" ".join(map(repr, row)) for row in rows)):
        csr = parse_matrix(text).csr
        assert csr.toarray().tolist() == [[float(x) for x in r] for r in rows]
        exact = all(float(np.float32(x)) == float(x) for row in rows for x in row)
        assert csr.data.dtype == (np.float32 if exact else np.float64)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64])
def test_nothing_is_tidied(index: Any, value: Any) -> None:
    """Unsorted, repeated and zero entries are kept."""
    indptr, indices = whole([0, 4, 4, 5], index), whole([3, 0, 3, 1, 2], index)
    data = np.array([1, 2, 3, 0, 1], dtype=value)
    matrix = check(sp.csr_array((data, indices, indptr), shape=(3, 4)))
    assert matrix.csr.indices.dtype == matrix.csr.indptr.dtype == index
    first, empty, last = (matrix.row(i) for i in range(3))
    assert first.indices.tolist() == [3, 0, 3, 1]
    assert first.data.tolist() == [1, 2, 3, 0]
    assert first.dense().tolist() == [2, 0, 0, 4]
    assert first.dense().dtype == value
    odd = [
        (r.has_duplicates, r.has_explicit_zeros, not r.is_sorted, not r.binary)
        for r in (first, empty, last)
    ]
    assert odd == [(True,) * 4, (False,) * 4, (False,) * 4]


def test_bytes_are_computed() -> None:
    """csr_bytes and dense_bytes agree with real arrays; a wide row is not written out."""
    matrix = from_parts((2, 1_000_000), whole([0, 1, 3]), whole([5, 6, 7]), np.ones(3))
    assert matrix.csr_bytes == 3 * 4 + 3 * 4 + 3 * 8
    assert matrix.dense_bytes == 2 * 1_000_000 * 8
    with pytest.raises(MatrixError, match="1,000,000 columns is too long to write out"):
        matrix.row(0).dense()
    with pytest.raises(MatrixError, match="is not one of rows 0 to 1"):
        matrix.row(2)


PARTS: dict[str, Any] = {  # right but for the parts that a case changes
    "shape": (2, 3),
    "indptr": whole([0, 1, 2]),
    "indices": whole([0, 1]),
    "data": np.ones(2),
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"shape": (2,)}, "A shape of (2,) is no matrix"),
        ({"shape": (2, 1_000_001)}, "2 x 1,000,001 is outside"),
        ({"indptr": whole([0, 2])}, "indptr of 2 entries does not fit 2 rows"),
        ({"indices": whole([0])}, "1 indices do not fit data of shape (2,)"),
        ({"data": np.ones((2, 1))}, "Data of shape (2, 1)"),
        ({"indptr": whole([0, 1, 3])}, "indptr runs from 0 to 3"),
        ({"indptr": whole([0, 3, 2])}, "runs backwards at row 1: 3, then 2"),
        ({"indices": whole([0, 3])}, "Index 3 in row 1 is not one of columns 0 to"),
        ({"indices": whole([-1, 0])}, "Index -1 in row 0 is not one of columns"),
        ({"indices": np.ones(2)}, "indices is float64 of shape (2,)"),
        ({"data": np.array([1, np.nan])}, "nan in row 1, column 1"),
        ({"data": np.ones(2).astype(object)}, "object are not numbers"),
        ({"data": whole([1, 2**60], "i8")}, "too large to be held"),
    ],
)
def test_parts_that_do_not_belong_together(changed: dict[str, Any], words: str) -> None:
    """CSR parts that do not fit together are refused."""
    from_parts(**PARTS)  # right
    with pytest.raises(MatrixError) as refused:
        from_parts(**PARTS | changed)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("bool", "float32"), ("uint64", "float32"), ("float16", "float32"), (">f8", "float64")],
)
def test_data_become_floats_of_the_same_value(dtype: str, expected: str) -> None:
    """Integer and half data become floats of the same value."""
    data = np.array([1, 1], dtype=dtype)
    matrix = from_parts((1, 3), whole([0, 2], "u8"), whole([0, 2], ">i4"), data)
    assert matrix.csr.data.dtype == np.dtype(expected)
    assert matrix.csr.indices.dtype == np.int32
    assert matrix.csr.toarray().tolist() == [[1, 0, 1]]
    large = from_parts((1, 1), whole([0, 1]), whole([0]), whole([2**24 + 1], np.int64))
    assert large.csr.data.tolist() == [2**24 + 1]
