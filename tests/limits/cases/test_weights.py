import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.cases import case_named
from embviz.limits.prove import prove
from tests.limits.test_outcome import tensors


def test_inf_or_nan_spoils_its_column_alone() -> None:
    """Inf or NaN changes its own column for the other tokens, and nothing else."""
    for value in (math.inf, math.nan):
        weight = torch.arange(12.0).reshape(4, 3)
        weight[2, 1] = value
        product = F.linear(F.one_hot(torch.tensor([0, 3]), 4).float(), weight.T)
        assert product.isnan().tolist() == [[False, True, False]] * 2


def test_a_cell_without_a_seed_depends_on_the_cells_before() -> None:
    """A draw gives the seed's numbers only directly after the seed: not later, and not twice."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        first, again = (nn.Embedding(4, 3).weight.detach() for _ in range(2))
        proof = prove(case_named("seed-of-another-cell"))
    assert not torch.equal(first, again)
    in_order, after_another = tensors(proof.problem)
    assert torch.equal(in_order, first)
    assert not torch.isclose(after_another, first).any()
    assert all(torch.equal(one, first) for one in tensors(proof.fixed))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [2, 4, 300])
def test_a_product_of_minus_zeros_is_zero(rows: int, dtype: torch.dtype) -> None:
    """A product whose terms are all -0.0 gives 0.0, so the other rows' zeros do not explain it."""
    weight = torch.full((rows, 5), -0.0, dtype=dtype)
    one_hot = F.one_hot(torch.arange(rows), num_classes=rows).to(dtype)
    assert (one_hot[:3, :, None] * weight).signbit().all()
    for product in (one_hot @ weight, F.linear(one_hot, weight.T.contiguous())):
        assert not product.any()
        assert not product.signbit().any()


def test_the_switch_is_of_one_thread() -> None:
    """A thread that was started before the switch keeps subnormals."""
    subnormal = torch.tensor([1e-40])
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # starts the thread
        if not torch.set_flush_denormal(True):
            pytest.skip("this processor cannot flush")
        here, there = subnormal * 1, pool.submit(torch.mul, subnormal, 1).result()
        torch.set_flush_denormal(False)
    assert (bool(here.any()), bool(there.any())) == (False, True)
