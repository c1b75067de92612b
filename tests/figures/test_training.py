import numpy as np

from embviz.figures.training import difference_figure, space_figure, without_overlap
from embviz.training.lockstep import Point

COLOURS = ["#111111", "#222222", "#333333", "#444444"]


def points(*differences: float) -> list[Point]:
    """A training with these differences of the weights."""
    return [Point(k + 1, 1.0, 1.0, one, 0.0) for k, one in enumerate(differences)]


def test_no_difference_is_drawn_where_the_axis_says_0() -> None:
    """Equal bits lie on the tick 0, and every difference, however small, lies above it."""
    for differences in ([0.0, 0.0], [0.0, 1e-12, 2e-3]):
        figure = difference_figure(points(*differences), "title", COLOURS[0])
        axis = figure.layout.yaxis
        named = dict(zip(axis.ticktext, axis.tickvals, strict=True))
        drawn = list(figure.data[0].y)
        for one, height in zip(differences, drawn, strict=True):
            assert height == (named["0"] if one == 0 else one)
            assert one == 0 or height > named["0"]
        low, high = axis.range
        assert all(low < np.log10(height) < high for height in drawn)


def test_labels_of_a_picture_in_3_d_are_no_markup() -> None:
    """The text of a flat chart is markup; in 3-D it is not, and an escaped label shows `&lt;`."""
    for axes, shown in ((2, ["&lt;", "&amp;"]), (3, ["<", "&"])):
        places = np.array([[0.0] * axes, [1.0] * axes])
        figure = space_figure(places, ["<", "&"], ["marks"] * 2, [0.5] * axes, COLOURS)
        assert list(figure.data[0].text) == shown
        assert [one[1] for one in figure.data[0].customdata] == ["&lt;", "&amp;"]


def test_a_label_that_would_cover_another_is_a_dot() -> None:
    """The first of two close labels is written; the title counts the dots."""
    places = np.array([[0.0, 0.0], [0.01, 0.01], [1.0, 1.0]])
    assert without_overlap(places, ["a", "b", "c"], 15) == [True, False, True]
    figure = space_figure(places, ["a", "b", "c"], ["letters"] * 3, [0.5, 0.5], COLOURS)
    assert list(figure.data[0].text) == ["a", "·", "c"]
    assert figure.layout.title.text.endswith("; 1 labels are dots")
    assert without_overlap(np.zeros((2, 2)), ["a", "b"], 15) == [True, False]
