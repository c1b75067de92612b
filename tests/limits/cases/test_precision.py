import pytest
import torch
from torch.nn import functional as F

from embviz.limits.cases import case_named
from embviz.limits.outcome import Outcome


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
