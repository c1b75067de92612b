import string

import numpy as np
import pytest

from embviz.fact.characters import PRINTABLE
from embviz.fact.vocabulary import Vocabulary
from embviz.training.charts import map_figure, sizes_figure, training_figure, without_overlap
from embviz.training.sizes import Sizes
from embviz.training.training import Point
from embviz.training.writing import Writing

COLOURS = ["#111111", "#222222", "#333333", "#444444"]


def test_losses_and_differences_are_drawn_inside_their_axes() -> None:
    """Lookup is solid, matmul dashed; equal weights have no axis, and none cuts a point."""
    for apart in ((0.0, 0.0, 0.0), (0.0, 1e-12, 2e-3)):
        points = [Point(k, 4.0 - k, 3.0 - k, one, 0.0) for k, one in enumerate(apart)]
        figure = training_figure(points, COLOURS, limit=1.5, start="random at first")
        lookup, matmul, *below = figure.data
        assert [*map(list, (lookup.x, lookup.y, matmul.y))] == [[0, 1, 2], [4, 3, 2], [3, 2, 1]]
        assert [lookup.line.dash, matmul.line.dash] == [None, "dash"]
        assert [one.line.color for one in figure.data] == COLOURS[: 2 + len(below)]
        assert [(tuple(one.y), one.yaxis) for one in below] == [(apart, "y2")] * any(apart)
        if below:
            low, high = figure.layout.yaxis2.range
            assert low < 0 <= max(apart) < high
        assert figure.layout.title.text == "Loss 4 (random at first) → 2"
        assert figure.layout.shapes[0].y0 == 1.5
    begun = training_figure(points[:1], COLOURS)
    assert [begun.layout.title.text, begun.data[0].mode] == ["Loss 4", "markers"]


def test_the_map_names_each_row_and_its_nearest() -> None:
    """Labels are no markup; a kind is a colour; the title has the step."""
    writing = Writing("a<b&a<c&e<" * 9, Vocabulary("abce<&"), 2, 0)
    frame = writing.frames[0]
    figure = map_figure(writing, frame, COLOURS)
    kinds = [(one.name, one.textfont.color) for one in figure.data]
    names = ["vowels", "consonants", "punctuation"]
    assert kinds == [*zip(names, COLOURS[:3], strict=True)]
    vowels, consonants, marks = figure.data
    assert {*marks.text} <= {"&lt;", "&amp;", "◦"}
    first, near = vowels.hovertext[0].split("; nearest: ")
    assert (first, len(near.split())) == ("a (vowels)", 3)
    assert figure.layout.title.text.startswith("Step 0: each mark is a row")
    at = [*writing.shown].index(writing.vocabulary.encode("b")[0])
    assert (consonants.x[0], consonants.y[0]) == pytest.approx(tuple(frame.points[at]))


def test_each_mark_without_ink_is_explained() -> None:
    """A space, a line break, a tab, and a ring where there is no room: those that are there."""
    explained = ["· a space", "↵ a line break", "⇥ a tab", "◦ a row with no room for its name"]
    for text in ("a b", "a\nb", "a\tb", string.printable):
        writing = Writing(text, PRINTABLE, 2, 0)
        figure = map_figure(writing, writing.frames[0], COLOURS)
        drawn = "".join(mark for one in figure.data for mark in one.text)
        title = figure.layout.title.text
        assert [words in title for words in explained] == [words[0] in drawn for words in explained]
        assert any(words in title for words in explained)


def test_the_chart_of_sizes_shows_the_last_losses_and_where_they_began() -> None:
    """The axis of the loss is the same from the first measured steps on, and cuts no point."""
    sizes = Sizes("the cat sat on the mat", PRINTABLE, 1)
    assert [*sizes_figure(sizes, COLOURS).data[0].y] == sizes.points[0].losses
    ranges = set()
    for step in (50, 100):
        sizes.advance(step - sizes.steps)
        figure = sizes_figure(sizes, COLOURS)
        last = figure.data[-1]
        assert [*last.y] == sizes.points[-1].losses
        assert [*last.text] == [f"{loss:.2f}" for loss in last.y]
        assert figure.layout.xaxis.ticktext[0] == "<b>2</b><br>200"
        assert figure.layout.title.text.startswith(f"Step {step}: loss {last.text[0]} with D = 2")
        low, high = figure.layout.yaxis.range
        assert figure.layout.shapes[0].y0 == sizes.limit
        assert low < sizes.limit <= min(last.y) <= max(last.y) < high
        ranges.add((low, high))
    assert len(ranges) == 1
    assert [*figure.data[0].y] == sizes.points[1].losses


def test_a_label_that_would_cover_another_is_a_ring() -> None:
    """The first of two close labels is written."""
    places = np.array([[0.0, 0.0], [0.01, 0.01], [1.0, 1.0], [0.0, 1.0]])
    assert without_overlap(places, ["a", "b", "c", "d"], 15) == [True, False, True, True]
    assert without_overlap(np.zeros((2, 2)), ["a", "b"], 15) == [True, False]
