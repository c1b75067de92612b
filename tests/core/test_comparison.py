import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.comparison import Comparison

QUICK = settings(deadline=None, max_examples=100)
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def compare(a: list[float], b: list[float], dtype: torch.dtype = torch.float32) -> Comparison:
    """Compares two lists of numbers."""
    return Comparison(torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype))


def from_bits(*bits: int, dtype: torch.dtype) -> torch.Tensor:
    """Floats with the given bit patterns."""
    return torch.tensor(bits, dtype=BITS[dtype.itemsize]).view(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_two_zeros_are_the_same_number_with_other_bits(dtype: torch.dtype) -> None:
    """-0.0 and 0.0 differ in bits and are 0 ulp apart."""
    result = compare([-0.0, 1.0], [0.0, 1.0], dtype)
    assert not result.bitwise_equal
    assert (result.num_equal, result.num_values) == (1, 2)
    assert (result.max_abs_error, result.max_ulp) == (0.0, 0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_same_nan_is_equal_to_itself(dtype: torch.dtype) -> None:
    """NaNs with the same bits are bitwise equal."""
    result = compare([math.nan, 1.0], [math.nan, 1.0], dtype)
    assert result.bitwise_equal
    assert (result.max_abs_error, result.max_ulp) == (0.0, 0)


@pytest.mark.parametrize(("first", "second"), [(0x7FC00000, 0x7FC00001), (0x3F800000, 0x7FC00000)])
def test_a_nan_against_anything_else_has_no_distance(first: int, second: int) -> None:
    """A NaN beside another value has an error of NaN and no ulp distance."""
    result = Comparison(
        from_bits(first, 0x40000000, dtype=torch.float32),
        from_bits(second, 0x40400000, dtype=torch.float32),
    )
    assert not result.bitwise_equal
    assert result.max_ulp is None
    assert math.isnan(result.max_abs_error)


@QUICK
@given(st.sampled_from([np.float32, np.float64]), st.data(), st.integers(1, 6))
def test_ulps_count_the_steps_of_nextafter(dtype: Any, data: st.DataObject, steps: int) -> None:
    """max_ulp is the number of `nextafter` steps between two floats."""
    start = other = dtype(data.draw(st.floats(allow_nan=False, width=dtype(0).itemsize * 8)))
    target = dtype(-np.inf if start > 0 else np.inf)
    for _ in range(steps):
        other = np.nextafter(other, target)
    result = Comparison(torch.from_numpy(np.array([start])), torch.from_numpy(np.array([other])))
    assert result.max_ulp == steps
    assert not result.bitwise_equal


@pytest.mark.parametrize("dtype", FLOATS)
def test_steps_across_zero_count_zero_once(dtype: torch.dtype) -> None:
    """The smallest positive and negative floats are 2 ulp apart."""
    low = torch.iinfo(BITS[dtype.itemsize]).min
    tiny, minus_tiny = from_bits(1, dtype=dtype), from_bits(low + 1, dtype=dtype)
    assert Comparison(tiny, minus_tiny).max_ulp == 2
    assert Comparison(tiny, from_bits(low, dtype=dtype)).max_ulp == 1


def test_the_widest_distance_does_not_overflow() -> None:
    """The ulp distance between the ends of float64 is exact."""
    largest = torch.finfo(torch.float64).max
    assert compare([-largest], [largest], torch.float64).max_ulp == 2 * 0x7FEFFFFFFFFFFFFF
    assert compare([-math.inf], [math.inf], torch.float64).max_ulp == 2 * 0x7FF0000000000000


def test_infinities() -> None:
    """Infinity beside a finite number is an infinite error with a finite ulp distance."""
    largest = torch.finfo(torch.float32).max
    assert compare([math.inf, -math.inf], [math.inf, -math.inf]).bitwise_equal
    past_the_end = compare([math.inf], [largest])
    assert (past_the_end.max_ulp, past_the_end.max_abs_error) == (1, math.inf)
    assert compare([math.inf], [-math.inf]).max_abs_error == math.inf


def test_differing_tokens_are_counted_over_all_axes_but_the_last() -> None:
    """differing_tokens are flat positions over all axes but the last."""
    a = torch.zeros(2, 3, 4)
    b = a.clone()
    b[0, 1, 3] = 1.0
    b[1, 2, 0] = -0.0
    result = Comparison(a, b)
    assert result.differing_tokens == [1, 5]
    assert tuple(result.differs.shape) == (2, 3, 4)
    assert (result.num_equal, result.num_values) == (22, 24)
    assert Comparison(a, a).differing_tokens == []


@pytest.mark.parametrize("shape", [(0,), (1, 0, 5)])
def test_nothing_equals_nothing(shape: tuple[int, ...]) -> None:
    """Empty results are bitwise equal with an error of 0."""
    result = Comparison(torch.empty(shape), torch.empty(shape))
    assert result.bitwise_equal
    assert (result.num_equal, result.num_values) == (0, 0)
    assert (result.max_abs_error, result.max_ulp, result.differing_tokens) == (0.0, 0, [])


@pytest.mark.parametrize(
    ("a", "b", "quoted"),
    [
        (torch.zeros(2, 3), torch.zeros(3, 2), ["(2, 3)", "(3, 2)"]),
        (torch.zeros(3).half(), torch.zeros(3).bfloat16(), ["torch.float16", "torch.bfloat16"]),
    ],
)
def test_what_cannot_be_compared_is_refused(
    a: torch.Tensor, b: torch.Tensor, quoted: list[str]
) -> None:
    """Different shapes or dtypes are refused."""
    with pytest.raises(ValueError, match="Cannot compare") as refused:
        Comparison(a, b)
    assert all(part in str(refused.value) for part in quoted)
