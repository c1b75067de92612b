"""Two results bit for bit: zeros, NaN and infinities; distances in representable numbers."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.comparison import Comparison, bits

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_and_their_bits(dtype: torch.dtype) -> None:
    """The bits count, the error is that of the numbers, and zero is one number."""
    tiny = torch.tensor([1], dtype=bits(torch.zeros(1, dtype=dtype)).dtype).view(dtype).item()
    largest = torch.finfo(dtype).max
    for a, b, equal, error, ulp in [
        (-0.0, 0.0, False, 0, 0),
        (NAN, NAN, True, 0, 0),
        (INF, INF, True, 0, 0),
        (NAN, 1.0, False, NAN, None),
        (1.0, NAN, False, NAN, None),
        (INF, largest, False, INF, 1),
        (tiny, -tiny, False, 2 * tiny, 2),
        (tiny, -0.0, False, tiny, 1),
        (INF, -INF, False, INF, 2 * int(bits(torch.tensor(INF, dtype=dtype)))),
    ]:
        one, other = (torch.tensor([[value], [1.0]], dtype=dtype) for value in (a, b))
        found = Comparison(one, other)
        assert (found.bitwise_equal, found.max_ulp) == (equal, ulp), (a, b)
        assert found.max_abs_error == pytest.approx(error, nan_ok=True, abs=0)
        assert (found.num_equal, found.num_values) == (1 + equal, 2)
        assert found.differing_tokens == [0] * (not equal)


@settings(deadline=None)
@given(st.sampled_from([np.float32, np.float64]), st.data(), st.integers(1, 6))
def test_ulps_count_the_steps_of_nextafter(dtype: Any, data: st.DataObject, steps: int) -> None:
    """max_ulp is the number of `nextafter` steps between two floats, the most of all pairs."""
    start = other = dtype(data.draw(st.floats(allow_nan=False, width=dtype(0).itemsize * 8)))
    for _ in range(steps):
        other = np.nextafter(other, dtype(-INF if start > 0 else INF))
    one, two = np.array([start, start]), np.array([np.nextafter(start, other), other])
    assert Comparison(torch.from_numpy(one), torch.from_numpy(two)).max_ulp == steps


def test_differing_tokens_are_counted_over_all_axes_but_the_last() -> None:
    """differing_tokens are flat positions over all axes but the last."""
    a = torch.zeros(2, 3, 4)
    b = a.clone()
    b[0, 1, 2:] = 1.0
    b[1, 2, 0] = -3.0
    result = Comparison(a, b)
    assert (result.differing_tokens, result.max_abs_error) == ([1, 5], 3.0)
    assert tuple(result.differs.shape) == (2, 3, 4)
    assert (result.num_equal, result.num_values) == (21, 24)
    assert Comparison(a.mT, b.mT).num_equal == 21  # not contiguous


@pytest.mark.parametrize("shape", [(0,), (1, 0, 5)])
def test_nothing_equals_nothing(shape: tuple[int, ...]) -> None:
    """Empty results are bitwise equal with an error of 0."""
    result = Comparison(torch.empty(shape), torch.empty(shape))
    assert (result.bitwise_equal, result.num_equal, result.num_values) == (True, 0, 0)
    assert (result.max_abs_error, result.max_ulp, result.differing_tokens) == (0.0, 0, [])


def test_what_cannot_be_compared_is_refused() -> None:
    """Different shapes or dtypes are refused."""
    for a, b, words in [
        (torch.zeros(2, 3), torch.zeros(3, 2), r"\(2, 3\) .* \(3, 2\)"),
        (torch.zeros(3).half(), torch.zeros(3).bfloat16(), "torch.float16 .* torch.bfloat16"),
    ]:
        with pytest.raises(ValueError, match=f"Cannot compare .*{words}"):
            Comparison(a, b)
