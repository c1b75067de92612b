import pytest
import torch

from embviz.limits.cases import case_named
from embviz.limits.prove import DTYPES, prove
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
