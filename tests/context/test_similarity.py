"""How alike the vectors of a text are: exact where they are equal, and never NaN for zeros."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.context.similarity import cosine
from embviz.core.dtypes import DTYPES

NUMBERS = st.floats(-(2.0**99), 2.0**99, width=32)
ROWS = st.integers(1, 5).flatmap(
    lambda dim: st.lists(st.lists(NUMBERS, min_size=dim, max_size=dim), min_size=1, max_size=8)
)


@pytest.mark.parametrize("dtype", [one.torch for one in DTYPES.values()], ids=list(DTYPES))
def test_it_is_the_cosine_of_every_two_rows(dtype: torch.dtype) -> None:
    """The cosines are those of a plain loop."""
    vectors = torch.randn(7, 5, generator=torch.Generator().manual_seed(1)).to(dtype)
    expected = torch.nn.functional.cosine_similarity(
        vectors.double().unsqueeze(0), vectors.double().unsqueeze(1), dim=2
    )
    torch.testing.assert_close(cosine(vectors), expected)


@settings(deadline=None, max_examples=60)
@given(ROWS, st.data())
def test_equal_rows_have_equal_figures(rows: list[list[float]], data: st.DataObject) -> None:
    """Equal rows have equal cosines to the last bit."""
    order = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=12))
    vectors = torch.tensor(rows)[order]
    found = cosine(vectors)
    assert torch.equal(found, found.t())
    assert bool((found.abs() <= 1).all())
    for i, a in enumerate(vectors):
        for j, b in enumerate(vectors):
            if torch.equal(a, b):
                assert float(found[i, j]) == (1.0 if bool(a.any()) else 0.0)
                assert torch.equal(found[i], found[j])


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e300])
def test_tiny_and_huge_rows_have_a_direction(size: float) -> None:
    """Very small and very large rows have finite cosines."""
    vectors = torch.tensor([[3.0, 4.0], [4.0, 3.0]], dtype=torch.float64) * size
    assert cosine(vectors).tolist() == [[1.0, pytest.approx(0.96)], [pytest.approx(0.96), 1.0]]


def test_zeros_are_like_nothing_and_nan_is_not_hidden() -> None:
    """A row of zeros has cosine 0; a row with NaN has NaN."""
    found = cosine(torch.tensor([[0.0, 0.0], [1.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]]))
    assert found[0].tolist()[:2] == [0.0, 0.0]
    assert float(found[1, 1]) == 1.0
    assert bool(found[2:, 1].isnan().all())
    assert bool(found.diagonal()[2:].isnan().all())


def test_a_single_row_and_none_at_all() -> None:
    """One row or no row gives a matrix of that size."""
    assert cosine(torch.tensor([[2.0]])).tolist() == [[1.0]]
    assert cosine(torch.empty(0, 4)).shape == (0, 0)
