"""Numbers as coloured cells."""

import numpy as np

from embviz.context.heat_map import heat_map

AXES = ("rows", "columns")
THREE = ["#000000", "#888888", "#ffffff"]


def test_cells_have_their_numbers_and_names() -> None:
    """The first row is on top; 0 has the middle colour; labels are no markup and may repeat."""
    values = np.array([[1.0, -3.0, np.inf], [0.0, 2.0, np.nan]])
    names = {"rows": ["<b>", "b"], "columns": ["a", "a", "c"]}
    figure = heat_map(values, THREE, **names, title="A < B", axes=AXES)
    np.testing.assert_array_equal(np.asarray(figure.data[0].z), values)
    layout = figure.layout
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-3.0, 3.0)
    assert (layout.yaxis.autorange, layout.title.text) == ("reversed", "A &lt; B")
    assert (layout.yaxis.title.text, layout.xaxis.title.text) == AXES
    assert [*layout.yaxis.ticktext] == ["&lt;b&gt;", "b"]
    assert [*layout.xaxis.tickvals, *layout.xaxis.ticktext] == [0, 1, 2, "a", "a", "c"]
