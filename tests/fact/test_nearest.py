"""The nearest rows by cosine: PyTorch's own figures, ties, and rows without a direction."""

import pytest
import torch

from embviz.fact import nearest as module
from embviz.fact.nearest import Neighbour, nearest


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("slice_bytes", [1, 1_000, 1 << 23])
def test_cosines_are_pytorchs_whatever_the_slices(
    dtype: torch.dtype, slice_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest come first, and the row itself is none of them."""
    monkeypatch.setattr(module, "SLICE_BYTES", slice_bytes)
    weight = torch.randn(40, 6, generator=torch.Generator().manual_seed(1)).to(dtype)
    wide = weight.double()
    for token, near in zip((0, 39, 7), nearest(weight, [0, 39, 7], 4), strict=True):
        expected = torch.cosine_similarity(wide, wide[token], dim=1)
        expected[token] = -2
        values, places = expected.topk(4)
        assert near is not None
        assert [one.id for one in near] == places.tolist()
        assert [one.cosine for one in near] == pytest.approx(values.tolist(), abs=1e-12)


def test_of_equal_cosines_the_lower_row_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lower row is first in slices too, and for rows of any length; few rows have few."""
    weight = torch.tensor([[1.0, 1.0 / 3]]) * torch.arange(1, 100)[:, None]
    for slice_bytes in (1 << 23, 160):
        monkeypatch.setattr(module, "SLICE_BYTES", slice_bytes)
        (near,) = nearest(weight, [1])
        assert near == [Neighbour(row, 1.0) for row in (0, 2, 3, 4, 5)]
    assert nearest(weight[:3], [0]) == [[Neighbour(1, 1.0), Neighbour(2, 1.0)]]
    assert nearest(weight[:1], [0]) == [[]]
    assert nearest(weight, []) == []


@pytest.mark.parametrize("odd", [0.0, -0.0, torch.nan, torch.inf])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_row_without_a_direction_has_no_neighbours_and_is_none(
    odd: float, dtype: torch.dtype
) -> None:
    """A row of zeros, or with a number that is not finite."""
    weight = torch.tensor([[odd, 0.0], [1.0, 0.0], [-2.0, 0.0]], dtype=dtype)
    assert nearest(weight, [0, 1]) == [None, [Neighbour(2, -1.0)]]


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1.7e308])
def test_a_direction_does_not_depend_on_a_size(size: float) -> None:
    """Squares of such numbers are no float64 any more."""
    weight = torch.tensor([[size, size], [1.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    (near,) = nearest(weight, [0])
    assert near == [Neighbour(1, 1.0), Neighbour(2, pytest.approx(0.5**0.5, abs=1e-12))]
