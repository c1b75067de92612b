import pytest
import torch
from torch.nn import functional as F

from embviz.limits.cases import CASES, case_named
from embviz.limits.outcome import Outcome
from embviz.limits.prove import prove


def test_autocast_leaves_float64_alone() -> None:
    """Autocast leaves float64 as it is on both routes."""
    ids, weight = torch.tensor([3, 1]), torch.arange(12.0).double().reshape(4, 3) / 7
    with torch.autocast("cpu", dtype=torch.bfloat16):
        lookup = F.embedding(ids, weight)
        matmul = F.linear(F.one_hot(ids, num_classes=4).double(), weight.T)
    assert Outcome(lookup, matmul).verdict == "same"
    assert lookup.dtype == torch.float64


def test_a_one_hot_is_refused_by_matrix_products_only() -> None:
    """`*` takes an int64 one-hot, `@` and `F.linear` refuse it, and the claim names all three."""
    one_hot, weight = F.one_hot(torch.tensor([3, 1]), 4), torch.arange(12.0).reshape(4, 3)
    assert (one_hot[:, :, None] * weight).dtype == torch.float32
    with pytest.raises(RuntimeError, match="long"):
        one_hot @ weight
    with pytest.raises(RuntimeError, match="long"):
        F.linear(one_hot, weight.T)
    claim = case_named("one-hot-is-int64").claim
    assert "cannot be multiplied" not in claim
    assert all(name in claim for name in ("`@`", "`F.linear`", "`*` converts"))


def test_float16_is_exact_and_no_case_says_so_of_any_precision() -> None:
    """Every float16 number is kept, but TF32 rounds: so no text speaks of any precision."""
    every = torch.arange(2**16).to(torch.int16).view(torch.float16)
    weight = every[every.isfinite() & (every.view(torch.int16) != -(2**15))][:63_000].view(63, -1)
    assert Outcome(weight, torch.eye(63).half() @ weight).verdict == "same"
    rounded = prove(case_named("tf32"))
    assert (rounded.verdict, rounded.holds) == ("differ", True)
    assert not [case.name for case in CASES if "any precision" in case.claim + case.reason]
    assert "TF32 and “medium” precision round" in case_named("float16").reason


def test_medium_precision_acts_on_large_products_only() -> None:
    """What the case says of small products is so, with or without AMX."""
    torch.set_float32_matmul_precision("medium")
    product = torch.eye(4) @ torch.full((4, 4), 1024.5)
    torch.set_float32_matmul_precision("highest")
    assert product.unique().tolist() == [1024.5]
    assert "4 rows of 4 numbers stay exact" in case_named("medium-precision-on-a-cpu").reason
