import numpy as np
import pytest

from embviz.core.vocabulary import Vocabulary
from embviz.figures.training import map_figure, training_figure, without_overlap
from embviz.training.training import Point
from embviz.training.writing import Writing

COLOURS = ["#111111", "#222222", "#333333", "#444444"]


def points(*differences: float) -> list[Point]:
    """A training with these differences of the weights."""
    return [Point(k, 4.0 - k, 3.0 - k, one, 0.0) for k, one in enumerate(differences)]


def test_no_difference_is_drawn_where_the_axis_says_0() -> None:
    """Equal bits lie on the tick 0, and every difference, however small, lies above it."""
    for differences in ([0.0, 0.0], [0.0, 1e-12, 2e-3]):
        figure = training_figure(points(*differences), COLOURS)
        axis = figure.layout.yaxis2
        named = dict(zip(axis.ticktext, axis.tickvals, strict=True))
        drawn = list(figure.data[2].y)
        assert list(figure.data[2].customdata) == differences
        for one, height in zip(differences, drawn, strict=True):
            assert height == (named["0"] if one == 0 else one)
            assert one == 0 or height > named["0"]
        low, high = axis.range
        assert all(low < np.log10(height) < high for height in drawn)


def test_both_losses_are_drawn_and_the_title_says_how_they_fell() -> None:
    """Lookup is the solid line, matmul the dashed one; a single point is a mark."""
    figure = training_figure(points(0.0, 0.0, 0.0), COLOURS, limit=1.5)
    assert [list(one.y) for one in figure.data[:2]] == [[4.0, 3.0, 2.0], [3.0, 2.0, 1.0]]
    assert [one.line.dash for one in figure.data[:2]] == ["solid", "dash"]
    assert figure.data[0].name == "nn.Embedding"
    assert figure.layout.title.text == "Loss 4 → 2"
    assert figure.layout.shapes[0].y0 == 1.5
    start = training_figure(points(0.0), COLOURS)
    assert (start.layout.title.text, start.data[0].mode) == ("Loss 4", "markers")
    assert not start.layout.shapes


def test_the_map_names_each_row_and_its_nearest() -> None:
    """Labels are no markup; a kind is a colour; the title has the step and the spread."""
    writing = Writing("a<b&a<c&e<" * 9, Vocabulary("abce<&"), 2, 0)
    figure = map_figure(writing, writing.frames[0], COLOURS)
    assert [one.name for one in figure.data] == ["vowels", "consonants", "punctuation"]
    assert {*figure.data[2].text} <= {"&lt;", "&amp;", "·"}
    hovers = [text for one in figure.data for text in one.customdata]
    assert hovers[0].startswith("a (vowels); nearest: ")
    assert all(len(text.split("nearest: ")[1].split()) == 3 for text in hovers)
    spread = writing.frames[0].spread
    assert figure.layout.title.text == f"Step 0: {spread:.0%} of the spread is in this plane"
    at = [*writing.shown].index(writing.symbols.encode("b")[0])
    drawn = figure.data[1]
    assert (drawn.x[0], drawn.y[0]) == pytest.approx(tuple(writing.frames[0].points[at]))


def test_a_label_that_would_cover_another_is_a_dot() -> None:
    """The first of two close labels is written."""
    places = np.array([[0.0, 0.0], [0.01, 0.01], [1.0, 1.0]])
    assert without_overlap(places, ["a", "b", "c"], 15) == [True, False, True]
    assert without_overlap(np.zeros((2, 2)), ["a", "b"], 15) == [True, False]
