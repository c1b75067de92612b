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
