"""Which stacks part equal tokens, and by how much."""

import pytest
import torch

from embviz.context.equal import equal_vectors


def test_the_pairs_are_counted_by_hand() -> None:
    """Three equal tokens are three pairs; a number above rounding parts two of them."""
    outputs = torch.tensor([[10.0], [99.0], [10.0005], [10.5]])
    found = equal_vectors(torch.tensor([7, 3, 7, 7]), outputs)
    assert (found.pairs, found.parted) == (3, 2)
    assert (found.apart, found.rounding) == (pytest.approx({7: 0.5}), pytest.approx(99e-4))
