"""Two results bit for bit: zeros, NaN and infinities; distances in representable numbers."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embviz.core.comparison import Comparison, bits
from embviz.core.dtypes import DTYPES

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("name", DTYPES)
def test_numbers_and_their_bits(name: str) -> None:
    """The bits count, the error is that of the numbers, and zero is one number."""
    dtype = DTYPES[name].torch
    first = bits(torch.zeros(1, dtype=dtype)) + 1
    tiny, largest = first.view(dtype).item(), torch.finfo(dtype).max
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
        found = Comparison(*(torch.tensor([[one], [1.0]], dtype=dtype) for one in (a, b)))
        assert (found.bitwise_equal, found.max_ulp) == (equal, ulp), (a, b)
        assert found.max_abs_error == pytest.approx(error, nan_ok=True, abs=0)
        assert (found.num_equal, found.differing_tokens) == (1 + equal, [0] * (not equal))


@given(st.floats(allow_nan=False), st.integers(1, 6))
def test_ulps_count_the_steps_of_nextafter(start: float, steps: int) -> None:
    """max_ulp is the number of `nextafter` steps between two floats, the most of all pairs."""
    numbers = [start]
    for _ in range(steps):
        numbers.append(math.nextafter(numbers[-1], -INF if start > 0 else INF))
    one, two = (torch.tensor(pair, dtype=torch.float64) for pair in ([start] * 2, numbers[-2:]))
    assert Comparison(one, two).max_ulp == steps


def test_differing_tokens_are_counted_over_all_axes_but_the_last() -> None:
    """differing_tokens are flat positions over all axes but the last."""
    a = torch.zeros(2, 3, 4)
    b = a.clone()
    b[0, 1, 2:] = 1.0
    b[1, 2, 0] = -3.0
    result = Comparison(a, b)
    assert (result.differing_tokens, result.max_abs_error) == ([1, 5], 3.0)
    assert result.differs.tolist() == (a != b).tolist()
    assert (result.num_equal, result.num_values) == (21, 24)
    assert Comparison(a.mT, b.mT).num_equal == 21  # not contiguous


def test_nothing_equals_nothing() -> None:
    """Empty results are bitwise equal with an error of 0."""
    for empty in (torch.empty(0), torch.empty(1, 0, 5)):
        found = Comparison(empty, empty)
        assert (found.bitwise_equal, found.differing_tokens) == (True, [])
        assert (found.max_abs_error, found.max_ulp) == (0, 0)


def test_what_cannot_be_compared_is_refused() -> None:
    """Different shapes or dtypes are refused."""
    for a, b, words in [
        (torch.zeros(2, 3), torch.zeros(3, 2), r"\(2, 3\) .* \(3, 2\)"),
        (torch.zeros(3).half(), torch.zeros(3).bfloat16(), "torch.float16 .* torch.bfloat16"),
    ]:
        with pytest.raises(ValueError, match=words):
            Comparison(a, b)
