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
    np.testing.assert_array_equal(np.asarray(figure.data[0].z), values)
    layout = figure.layout
    assert (layout.coloraxis.cmin, layout.coloraxis.cmax) == (-3.0, 3.0)
    assert (layout.yaxis.autorange, layout.title.text) == ("reversed", "A &lt; B")
    assert (layout.yaxis.title.text, layout.xaxis.title.text) == AXES
    assert [*layout.yaxis.ticktext] == ["&lt;b&gt;", "b"]
    assert [*layout.xaxis.tickvals, *layout.xaxis.ticktext] == [0, 1, 2, "a", "a", "c"]


@pytest.mark.parametrize(
    ("wide", "is_written", "ticks"), [(16, True, 16), (17, False, 17), (65, False, 22)]
)
def test_a_wide_one_has_no_numbers_and_fewer_labels(
    wide: int, is_written: bool, ticks: int
) -> None:
    """Up to 16 numbers of a row are written, at most 32 labels; of zeros the scale ends at 1."""
    labels = [str(k) for k in range(wide)]
    figure = heat_map(np.zeros((1, wide)), ["a"], labels, "", THREE, AXES)
    assert (figure.data[0].texttemplate is not None) == is_written
    assert len(figure.layout.xaxis.tickvals) == ticks
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1.0, 1.0)
