"""Numbers as coloured cells."""

import numpy as np
import pytest

from embviz.figures.heat_map import heat_map

AXES = ("rows", "columns")
THREE = ["#000000", "#888888", "#ffffff"]


def test_cells_have_their_numbers_and_names() -> None:
    """The first row is on top; 0 has the middle colour; labels are no markup and may repeat."""
    values = np.array([[1.0, -3.0, np.inf], [0.0, 2.0, np.nan]])
    figure = heat_map(values, ["<b>", "b"], ["a", "a", "c"], "A < B", THREE, AXES)
    (cells,) = figure.data
    np.testing.assert_array_equal(np.asarray(cells.z), values)
    scale = figure.layout.coloraxis
    assert (scale.cmin, scale.cmax) == (-3.0, 3.0)
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.title.text == "A &lt; B"
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("rows", "columns")
    assert list(figure.layout.yaxis.ticktext) == ["&lt;b&gt;", "b"]
    assert (list(figure.layout.xaxis.tickvals), list(figure.layout.xaxis.ticktext)) == (
        [0, 1, 2],
        ["a", "a", "c"],
    )


def test_zeros_have_a_scale() -> None:
    """Without a number other than 0 the scale ends at 1."""
    scale = heat_map(np.zeros((1, 2)), ["a"], ["b", "c"], "", THREE, AXES).layout.coloraxis
    assert (scale.cmin, scale.cmax) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("wide", "is_written", "ticks"), [(16, True, 16), (17, False, 17), (65, False, 22)]
)
def test_a_wide_one_has_no_numbers_and_fewer_labels(
    wide: int, is_written: bool, ticks: int
) -> None:
    """Up to 16 numbers of a row are written; at most 32 labels are."""
    labels = [str(k) for k in range(wide)]
    figure = heat_map(np.ones((1, wide)), ["a"], labels, "", THREE, AXES)
    assert (figure.data[0].texttemplate is not None) == is_written
    assert len(figure.layout.xaxis.tickvals) == ticks
