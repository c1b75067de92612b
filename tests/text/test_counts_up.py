"""Numbers that count are no data: they name rows or columns."""

import numpy as np
import pytest

from embviz.text.headers import counts_up


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([0, 1, 2], True),
        ([1, 2], True),
        ([2019, 2020], True),
        ([1000, 1001], True),
        ([2998, 2999], True),
        ([0], True),
        # One number does not count, but for 0.
        ([1], False),
        ([2020], False),
        ([2, 3], False),
        ([999, 1000], False),
        ([2999, 3000], False),
        ([0, 2], False),
        ([2020, 2019], False),
        ([1, 2, 2], False),
    ],
)
def test_numbers_count_from_0_from_1_or_as_years(values: list[int], counts: bool) -> None:
    """They rise by one; a year is a number from 1000 to 2999 beside others."""
    assert counts_up(np.array(values, dtype=float)) is counts
