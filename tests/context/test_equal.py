"""Which stacks part equal tokens, and by how much."""

import pytest
import torch

from embviz.context.equal import equal_vectors
from embviz.context.stack import Operation, Trace


def test_the_pairs_are_counted_by_hand() -> None:
    """Three equal tokens are three pairs; a number above rounding parts two of them."""
    rows, outputs = [1.0, 2.0, 1.0, 1.0], [10.0, 99.0, 10.0005, 10.5]
    for last, same in ((1.0, True), (-1.0, False)):
        rows[3] = last
        steps = [Operation("", "", torch.tensor(one)[:, None]) for one in (rows, outputs)]
        found = equal_vectors(torch.tensor([7, 3, 7, 7]), Trace(steps))
        assert found.pairs == 3
        assert found.parted == 2
        assert found.same_rows == same
        assert (found.apart, found.rounding) == (pytest.approx({7: 0.5}), pytest.approx(99e-4))
