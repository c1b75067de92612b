"""The chart of a word's cosines, layer by layer."""

import numpy as np

from embviz.figures.context import layers_figure


def test_every_layer_has_its_point_and_every_pair_its_line() -> None:
    """The row and the place are points too; lines differ in colour and in mark."""
    cosines = np.array([[1.0, 1.0], [0.9, 0.8], [0.7, 0.6]])
    figure = layers_figure(cosines, ["1 and 2", "1 and 3"], "<b>", ["#000000", "#ffffff"])
    assert figure.layout.xaxis.type == "category"
    assert [list(line.x) for line in figure.data] == [["row", "+ place", "1"]] * 2
    np.testing.assert_array_equal(np.stack([line.y for line in figure.data], 1), cosines)
    assert len({line.line.color for line in figure.data}) == 2
    assert len({line.marker.symbol for line in figure.data}) == 2
    assert figure.layout.title.text == "&lt;b&gt;"
    assert figure.layout.showlegend
    assert not layers_figure(cosines[:, :1], ["1 and 2"], "", ["#000000"]).layout.showlegend
