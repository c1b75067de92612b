"""Grids of numbers, as the browser gets them."""

from base64 import b64decode

import numpy as np

from embviz.figures.context import similarity_grid
from embviz.figures.grid import Grid, largest, numbers


def test_a_grid_sends_its_numbers_and_labels() -> None:
    """The values arrive as float32, row by row; labels stay text, and the picture has words."""
    values = np.array([[1.5, -2.0, np.nan], [0.0, 3.25, np.inf]])
    ends = -largest(values), largest(values)
    grid = Grid("Gradient", values, ["<b>", "$x$"], numbers(3), ("row", "dimension"), ends, "")
    sent = grid.payload()
    found = np.frombuffer(b64decode(sent["values"]), "<f4").reshape(2, 3)
    np.testing.assert_array_equal(found, values)
    assert sent["rows"] == ["<b>", "$x$"]
    assert sent["columns"] == ["0", "1", "2"]
    assert sent["ends"] == (-3.25, 3.25)
    assert sent["alt"] == "Gradient. row against dimension."


def test_the_largest_number_is_finite_and_above_zero() -> None:
    """The ends of the colours are usable for zeros, NaN and infinity, or nothing at all."""
    assert largest(np.array([[np.nan, np.inf, -2.0]]), np.array([[1.0]])) == 2.0
    assert largest(np.zeros((2, 0)), np.array([[np.nan, 0.0]])) == 1.0


def test_a_short_text_has_its_numbers_written_and_a_long_one_numbered() -> None:
    """Up to 8 tokens show their cosines; over 26 the axes count instead of naming each token."""

    def grid(count: int) -> Grid:
        return similarity_grid(np.eye(count), ["a"] * count, "Alike")

    assert [grid(count).written for count in (8, 9)] == [2, None]
    assert grid(26).ticks is None
    assert grid(27).ticks == [str(k) for k in range(27)]
