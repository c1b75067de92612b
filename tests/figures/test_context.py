"""The chart of a word's cosines, layer by layer."""

import numpy as np

from embviz.figures.context import layers_figure


def test_every_layer_has_its_point_and_every_pair_its_line() -> None:
    """The row and the place are points too; lines differ in colour and in mark."""
    cosines = np.array([[1.0, 1.0], [0.9, 0.8], [0.7, 0.6]])
    figure = layers_figure(cosines, ["1 and 2", "1 and 3"], "<b>", ["#000000", "#ffffff"])
    assert figure.layout.xaxis.type == "category"
    for line, column in zip(figure.data, cosines.T, strict=True):
        assert ([*line.x], [*line.y]) == (["row", "+ place", "1"], [*column])
    assert len({(one.line.color, one.marker.symbol) for one in figure.data}) == 2
    assert (figure.layout.title.text, figure.layout.showlegend) == ("&lt;b&gt;", True)
