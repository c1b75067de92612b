"""Two results bit for bit: zeros, NaN and infinities; distances in representable numbers."""

import math

import pytest
import torch

from embviz.fact.comparison import Pair, bits
from embviz.fact.dtypes import DTYPES

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("name", DTYPES)
def test_numbers_and_their_bits(name: str) -> None:
    """The bits count, the error is that of the numbers, and zero is one number."""
    dtype = DTYPES[name].torch
    tiny = (bits(torch.zeros(1, dtype=dtype)) + 1).view(dtype).item()
    for a, b, error, ulp in [
        (-0.0, 0.0, 0, 0),
        (NAN, NAN, 0, 0),
        (NAN, 1.0, NAN, None),
        (INF, torch.finfo(dtype).max, INF, 1),
        (tiny, -tiny, 2 * tiny, 2),
        (INF, -INF, INF, 2 * int(bits(torch.tensor(INF, dtype=dtype)))),
    ]:
        found = Pair(*(torch.tensor([[one], [1.0]], dtype=dtype) for one in (a, b)))
        assert (found.bitwise_equal, found.max_ulp) == (str(a) == str(b), ulp), (a, b)
        assert found.max_abs_error == pytest.approx(error, nan_ok=True, abs=0)


def test_differing_tokens_are_counted_over_all_axes_but_the_last() -> None:
    """Flat positions of tokens are told; other shapes and dtypes are refused."""
    a = torch.zeros(2, 3, 4)
    b = a.clone()
    b[0, 1, 2:] = 1.0
    b[1, 2, 0] = -3.0
    found, empty = Pair(a, b), Pair(a[:0], a[:0])
    assert found.differing_tokens == [1, 5]
    assert found.max_abs_error == 3.0
    assert found.num_equal == 21
    assert (found.max_ulp, found.differs.equal(a != b)) == (int(bits(-b).max()), True)
    assert Pair(a.mT, b.mT).num_equal == 21  # not contiguous
    assert empty.bitwise_equal
    assert empty.max_abs_error == 0
    assert empty.max_ulp == 0
    for other in (b[0], b.half()):
        with pytest.raises(ValueError, match="Cannot compare"):
            Pair(a, other)
