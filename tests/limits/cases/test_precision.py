import pytest
import torch
from torch.nn import functional as F

from embviz.limits.outcome import Outcome


def test_autocast_leaves_float64_alone() -> None:
    """Autocast leaves float64 as it is on both routes."""
    ids, weight = torch.tensor([3, 1]), torch.arange(12.0).double().reshape(4, 3) / 7
    with torch.autocast("cpu", dtype=torch.bfloat16):
        lookup = F.embedding(ids, weight)
        matmul = F.linear(F.one_hot(ids, num_classes=4).double(), weight.T)
    assert Outcome(lookup, matmul).verdict == "same"
    assert lookup.dtype == torch.float64


def test_two_dtypes_are_refused_by_matrix_products_only() -> None:
    """`*` takes an int64 one-hot, `@` and `F.linear` refuse it, and any two dtypes."""
    one_hot, weight = F.one_hot(torch.tensor([3, 1]), 4), torch.arange(12.0).reshape(4, 3)
    assert (one_hot[:, :, None] * weight).dtype == torch.float32
    for left, right in ((one_hot, weight), (one_hot.float(), weight.half())):
        with pytest.raises(RuntimeError, match="dtype"):
            left @ right
        with pytest.raises(RuntimeError, match="dtype"):
            F.linear(left, right.T)


def test_float16_is_exact() -> None:
    """Every finite float16 number but -0.0 comes out of a product of one-hot rows as it is."""
    every = torch.arange(2**16).to(torch.int16).view(torch.float16)
    weight = every[every.isfinite() & (every.view(torch.int16) != -(2**15))][:63_000].view(63, -1)
    assert Outcome(weight, torch.eye(63).half() @ weight).verdict == "same"
