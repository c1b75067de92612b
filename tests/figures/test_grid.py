"""Grids of numbers, as the browser gets them."""

from base64 import b64decode

import numpy as np

from embviz.figures.grid import largest
from embviz.figures.training import gradient_grid


def test_a_grid_sends_its_numbers_and_labels() -> None:
    """The values arrive as float32, row by row; labels stay text, and the picture has words."""
    values = np.array([[1.5, -2.0, np.nan], [0.0, 3.25, np.inf]])
    sent = gradient_grid(values, ["<b>", "$x$"], "Gradient", largest(values)).payload()
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
