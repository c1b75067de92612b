"""Matrices of counts: typed, checked, and changed by hand."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.bag.matrix import Matrix, checked, parse_matrix
from embviz.core.refused import Refused


@given(
    st.lists(st.lists(st.floats(-9, 9) | st.integers(-9, 9), min_size=2, max_size=2), min_size=1)
)
@settings(deadline=None)
def test_typed_numbers_are_kept_exactly(rows: list[list[float]]) -> None:
    """Both notations give each number as float64; zeros are not stored."""
    for text in (json.dumps(rows), "\n".join(" ".join(map(repr, row)) for row in rows)):
        csr = parse_matrix(text).csr
        assert csr.toarray().tolist() == rows
        assert csr.dtype == np.float64
        assert csr.nnz == np.count_nonzero(rows)


@given(st.text(max_size=60) | st.text("[]0123456789.,;eE-+ \n_naN", max_size=60))
@settings(deadline=None)
def test_any_text_is_a_matrix_or_a_sentence(text: str) -> None:
    """Any text gives a finite matrix or a refusal."""
    try:
        csr = parse_matrix(text).csr
    except Refused:
        return
    assert min(csr.shape) >= 1
    assert bool((np.abs(csr.data) < 2**53).all())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No matrix was given. Write one row a line"),
        ("1 2\n3", "Row 1 has 1 numbers and row 0 has 2.* Write one row a line"),
        ("[[]]", "1 x 0 is outside 1 to 1,000,000"),
        ("0 0\n1 nan", "nan in row 1, column 1 is not a number between -9,007,199,254,740,992"),
        ("0 -9007199254740992", "in row 0, column 1 is not a number"),
        ("1\n" * 500_000 + "1 ", "1,000,002 characters are more than"),
    ],
)
def test_what_is_no_matrix_is_refused(text: str, words: str) -> None:
    """No matrix, an empty one and one with numbers out of range are refused in a sentence."""
    with pytest.raises(Refused, match=words):
        parse_matrix(text)
    assert parse_matrix("9007199254740991").csr.data.tolist() == [2**53 - 1]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("value", ["uint64", "int8", "float32", "float64"])
def test_every_format_and_type_becomes_sorted_floats(form: str, value: str) -> None:
    """Repeated places are summed and columns sorted; a number keeps its value."""
    places = np.array([1, 0, 1, 1]), np.array([2, 0, 0, 2])
    given = sp.coo_array((np.ones(4, value), places), shape=(2, 3))
    csr = checked(given if form == "coo" else given.asformat(form)).csr
    assert (csr.format, csr.dtype) == ("csr", np.float64)
    assert csr.indices.tolist() == [0, 0, 2]
    assert csr.toarray().tolist() == [[1, 0, 0], [1, 0, 2]]


def test_more_cells_than_allowed_and_a_sum_out_of_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of cells is the environment's; a sum of two counts is checked as well."""
    twice = np.array([0, 0]), np.array([1, 1])
    with pytest.raises(Refused, match=r"9.0072e\+15 in row 0, column 1"):
        checked(sp.coo_array((np.full(2, 2**52), twice), shape=(1, 2)))
    monkeypatch.setenv("EMBVIZ_MAX_CELLS", "2")
    assert parse_matrix("1 1").csr.nnz == 2
    with pytest.raises(Refused, match="3 stored values are more than the 2 allowed"):
        parse_matrix("1 1 1")


def test_a_changed_count_changes_its_row_alone() -> None:
    """A count is replaced, added, or with 0 removed; words, documents and the matrix stay."""
    matrix = Matrix(parse_matrix("1 2 0\n0 0 3\n4 0 0").csr, ("a", "b", "c"), ("x", "y", "z"))
    assert matrix.changed(1, {}) is matrix
    found = matrix.changed(1, {0: 5.0, 2: 0.0})
    assert found.csr.toarray().tolist() == [[1, 2, 0], [5, 0, 0], [4, 0, 0]]
    assert found.csr.nnz == 4
    assert (found.columns, found.documents) == (("a", "b", "c"), ("x", "y", "z"))
    assert matrix.changed(0, {1: 1}).csr.toarray()[0].tolist() == [1, 1, 0]
    assert matrix.changed(2, {2: 9}).csr.toarray()[2].tolist() == [4, 0, 9]
    assert matrix.csr.toarray().tolist() == [[1, 2, 0], [0, 0, 3], [4, 0, 0]]
    with pytest.raises(Refused, match="Column 3 of edit is not one of 0 to 2"):
        matrix.changed(0, {3: 1})
