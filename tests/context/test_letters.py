import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.context.letters import Place, places_of, plane, separation


def test_places_have_something_after_them() -> None:
    """A letter at the end of a text is no place."""
    found = places_of(1, [torch.tensor([1, 1, 0, 1]), torch.tensor([0, 1])])
    assert [(p.position, p.following) for p in found] == [(0, 1), (1, 0)]
    assert len(places_of(1, [torch.ones(300, dtype=torch.int64)])) == 256


def test_separation_is_the_mean_over_pairs() -> None:
    """Within and across are means over the right pairs."""
    table = torch.tensor([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]])
    places = [Place(torch.tensor([k, f]), 0) for k, f in [(0, 7), (1, 7), (2, 8)]]
    found = separation([torch.ones(3, 2), table], 0, places)
    assert found.within == [pytest.approx(1), pytest.approx(0)]
    assert found.across == [pytest.approx(1), pytest.approx((0.6 + 0.8) / 2)]
    alone = separation([table[:1]], 0, places[:1])
    assert (alone.within, alone.across) == ([None], [None])


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 8).flatmap(
        lambda dim: st.lists(
            st.lists(st.floats(-100, 100, width=32), min_size=dim, max_size=dim),
            min_size=1,
            max_size=9,
        )
    )
)
def test_the_plane_is_the_best_view(rows: list[list[float]]) -> None:
    """The plane holds the largest variance of two dimensions."""
    vectors = torch.tensor(rows, dtype=torch.float64)
    flat = plane(vectors)
    assert flat.shape == (len(rows), 2)
    assert bool(flat.isfinite().all())
    torch.testing.assert_close(flat.sum(dim=0), torch.zeros(2).double(), atol=1e-8, rtol=0)
    centred = vectors - vectors.mean(dim=0)
    values = torch.linalg.svdvals(centred)[:2].square()
    torch.testing.assert_close(flat.square().sum(), values.sum(), atol=1e-7, rtol=1e-7)
    assert torch.equal(flat, plane(vectors))


def test_equal_vectors_are_one_point() -> None:
    """Equal vectors are drawn at one point."""
    row = torch.randn(64, generator=torch.Generator().manual_seed(0))
    assert plane(row.expand(50, 64)).abs().max() == 0
