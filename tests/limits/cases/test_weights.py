import pytest
import torch
from torch import nn

from embviz.limits.cases import case_named
from embviz.limits.prove import DTYPES, prove, run
from tests.limits.test_outcome import tensors


@pytest.mark.parametrize("dtype", DTYPES)
def test_setting_subnormals_to_zero_leaves_the_rest(dtype: str) -> None:
    """The fix sets all subnormal numbers to zero, and no others."""
    proof = prove(case_named("subnormals"), dtype=dtype)
    before, _ = tensors(proof.problem)
    after, _ = tensors(proof.fixed)
    smallest = torch.finfo(before.dtype).smallest_normal
    small = before.abs() < smallest
    assert (before[small] < 0).any()
    assert (before[~small] <= -smallest).any()
    assert (before == smallest).any()
    assert not after[small].any()
    assert torch.equal(after[~small], before[~small])


@pytest.mark.parametrize("value", ["inf", "-inf", "nan"])
@pytest.mark.parametrize("name", ["inf-in-seen-row", "inf-in-unseen-row"])
def test_inf_spoils_its_column_alone(name: str, value: str) -> None:
    """Inf or NaN changes its own column for the other tokens, and no other column."""
    outcome = prove(case_named(name), value=value).problem
    left, right = tensors(outcome)
    asks = left[:, 1].isinf() | left[:, 1].isnan()
    assert asks.tolist() == ([True, False] if name == "inf-in-seen-row" else [False, False])
    assert right[~asks, 1].isnan().all()
    assert outcome is not None
    assert outcome.differs is not None
    assert torch.equal(outcome.differs[:, 1], ~asks)
    assert not outcome.differs[:, [0, 2]].any()


def test_a_cell_without_a_seed_depends_on_the_cells_before() -> None:
    """A draw gives the seed's numbers only directly after the seed: not later, and not twice."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        first, again = (nn.Embedding(4, 3).weight.detach() for _ in range(2))
        proof = run(case_named("seed-of-another-cell"), {"dtype": "float32"})
    assert not torch.equal(first, again)
    in_order, after_another = tensors(proof.problem)
    assert torch.equal(in_order, first)
    assert not torch.isclose(after_another, first).any()
    assert all(torch.equal(one, first) for one in tensors(proof.fixed))
