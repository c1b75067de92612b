"""The chart of a word's cosines: one line a pair, with a label that covers no other."""

from dataclasses import replace
from itertools import pairwise

from embviz.context.layers_chart import LABEL, layers_figure
from embviz.context.shared_word import recorded

COLOURS = [f"#00000{k}" for k in range(6)]


def test_pairs_of_one_sense_look_unlike_the_others() -> None:
    """Each line is a pair of the run, layer by layer; its label stands at its end.

    Behind them is the band of unrelated words.
    """
    run = recorded()
    figure = layers_figure(run, COLOURS)
    (band, *lines), (_, *labels) = figure.data, figure.layout.annotations
    assert {*band.y} == {end for ends in run.unrelated for end in ends}
    assert [[*one.y] for one in lines] == [*map(run.cosines, run.pairs)]
    assert [one.line.dash for one in lines] == ["dash", "dash", "solid"]
    assert all(0 <= line.y[-1] - one.y < 0.05 for line, one in zip(lines, labels, strict=True))
    texts = [one.text for one in labels]
    assert texts == ["1 and 2: other sense", "1 and 3: other sense", "2 and 3: same sense"]


def test_labels_of_many_pairs_stand_apart() -> None:
    """Equal values, too, of eleven pairs whose senses nobody named."""
    run = replace(recorded(), sentences=recorded().sentences[:2] * 6, senses=(), unrelated=())
    figure = layers_figure(run, COLOURS)
    height = 1 - min(min(one.y) for one in figure.data)
    places = sorted(one.y for one in figure.layout.annotations)
    assert len(places) == 11
    assert all(b - a >= 0.999 * LABEL * height for a, b in pairwise(places))
