from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn
from torch.nn import functional as F

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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [2, 4, 64, 300])
def test_a_product_of_minus_zeros_is_zero(rows: int, dtype: torch.dtype) -> None:
    """A product whose terms are all -0.0 gives 0.0, so the other rows' zeros do not explain it."""
    weight = torch.full((rows, 5), -0.0, dtype=dtype)
    one_hot = F.one_hot(torch.arange(rows), num_classes=rows).to(dtype)
    terms = one_hot[:3, :, None] * weight
    assert terms.signbit().all()
    for product in (one_hot @ weight, F.linear(one_hot, weight.T.contiguous())):
        assert not product.any()
        assert not product.signbit().any()
    case = case_named("minus-zero")
    assert "adds the zeros of the other rows" not in case.claim + case.reason
    assert "negative too" in case.reason


def test_the_terms_alone_keep_the_sign() -> None:
    """The sum of the terms is -0.0 where the product is 0.0; a sum from 0.0 has its bits."""
    proof = prove(case_named("minus-zero-among-negatives"), row=2)
    terms, product = tensors(proof.problem)
    assert (terms[2, 1].signbit(), product[2, 1].signbit()) == (True, False)
    assert proof.problem is not None
    assert proof.problem.detail == "1 of 12 values differs in the sign of zero alone"
    assert proof.holds is True


def test_the_switch_is_of_one_thread() -> None:
    """A thread that was started before the switch keeps subnormals, and no case says otherwise."""
    subnormal = torch.tensor([1e-40])
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # starts the thread
        if not torch.set_flush_denormal(True):
            pytest.skip("this processor cannot flush")
        here, there = subnormal * 1, pool.submit(torch.mul, subnormal, 1).result()
        torch.set_flush_denormal(False)
    assert (bool(here.any()), bool(there.any())) == (False, True)
    case = case_named("flush-to-zero")
    assert "calling thread" in case.claim
    assert "one thread only" in case.reason
    assert "whenever it computes" not in case.reason
    # No case shows a GPU that does it.
    assert "GPU" not in case_named("subnormals").reason
