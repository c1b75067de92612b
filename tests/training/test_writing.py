"""Letters find their kind: what is learned, the map of the rows, and what the model writes."""

import math
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from embviz.fact.characters import PRINTABLE, constitution
from embviz.fact.vocabulary import Vocabulary
from embviz.training.settings import TEMPERATURES
from embviz.training.space import kinds, on_plane, same_kind
from embviz.training.writing import Writing, write
from tests.caches import held


def drawn(rows: int, columns: int) -> np.ndarray:
    """Random rows, of unequal spread."""
    return np.random.default_rng(0).normal(size=(rows, columns)) / np.arange(1, columns + 1)


def test_english_is_learned_to_near_its_limit() -> None:
    """500 steps come near the bigram limit, rows get near their kind, and maps do not flip."""
    english = Writing(constitution(), PRINTABLE, 16, 123)
    assert held(english.frames[0]) < 10_000  # a session may hold 53 of them
    english.advance(500)
    first, *_, last = english.points
    assert first.loss_embedding == pytest.approx(math.log(100), abs=0.05)
    assert english.limit == pytest.approx(2.2979, abs=1e-4)
    assert english.limit < last.loss_embedding < english.limit + 0.08
    assert english.furthest.max_abs_weight_difference < 1e-5
    frames = english.frames
    assert [one.step for one in frames] == [0, 10, 30, 100, 200, 300, 400, 500]
    start, end = map(english.beside_own_kind, (frames[0], frames[-1]))
    assert start < 20 < 40 < end < len(english.shown) == 74
    route, rows = english.embedding, english.embedding.table[[*english.shown]].double().numpy()
    order = np.argsort(-cosine_similarity(rows), axis=1)[:, :4]
    assert order.tolist() == [[row, *few] for row, few in enumerate(frames[-1].near.tolist())]
    for name, one in TEMPERATURES.items():
        written = write(route.table, route.loss, 44, int(english.ids[0]), temperature=one, seed=123)
        assert frames[-1].written[name] == written
    for before, frame in pairwise(frames):
        apart, flipped = (np.abs(frame.points - k * before.points).mean() for k in (1, -1))
        assert 0 < apart < flipped
        assert frame.written != before.written


def test_what_is_certain_is_learned_and_written() -> None:
    """A cycle is written as it was learned; a low temperature makes the likely likelier."""
    writing = Writing("abcd" * 30, Vocabulary("abcd"), 8, 0)
    writing.advance(500)
    assert writing.limit == pytest.approx(0)
    route = writing.embedding
    assert write(route.table, route.loss, 8, 3, temperature=1.0, seed=0) == [0, 1, 2, 3] * 2
    assert writing.frames[-1].written["0.5"] == [1, 2, 3, 0] * 11
    begun = Writing("abcd" * 30, Vocabulary("abcd"), 8, 0).embedding
    cold, hot = (
        {*pairwise(write(begun.table, begun.loss, 400, 0, temperature=one, seed=0))}
        for one in (0.01, 100.0)
    )
    assert len(cold) <= 4 < len(hot) == 16


def test_the_map_is_the_plane_of_largest_variance() -> None:
    """The axes are the covariance's first eigenvectors; a turned map comes back onto it."""
    rows = drawn(50, 6)
    points, spread = on_plane(rows)
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    expected = (rows - rows.mean(axis=0)) @ vectors[:, [-1, -2]]
    np.testing.assert_allclose(np.abs(points), np.abs(expected), atol=1e-9)
    assert spread == pytest.approx(values[-2:].sum() / values.sum())
    turned = points @ [[0.6, 0.8], [-0.8, 0.6]]
    np.testing.assert_allclose(on_plane(rows, turned)[0], turned, atol=1e-9)
    for table in (drawn(2, 2), np.zeros((5, 1))):
        points, spread = on_plane(table, np.ones((len(table), 2)))
        assert np.isfinite([*points.flat, spread]).all()
        assert points.shape == (len(table), 2)


def test_kinds_hold_only_what_occurs() -> None:
    """They come kind by kind; y is a consonant; a letter beyond ASCII is of no kind."""
    names = ["vowels", "consonants", "capitals", "digits", "punctuation", "white space"]
    assert [*kinds(PRINTABLE, PRINTABLE.encode(" .5Zya")).items()] == [
        *zip(PRINTABLE.encode("ayZ5. "), names, strict=True)
    ]
    assert kinds(Vocabulary("é"), [0]) == {}


def test_rows_beside_a_row_of_their_kind_are_counted() -> None:
    """The nearest row alone counts; a row alone has no neighbour."""
    assert same_kind([[1, 2], [0, 2], [3, 0], [1, 2]], "aabb") == 3
    assert same_kind([[]], "a") == 0
    alone = Writing("\r1\r1", Vocabulary("\r1é"), 2, 0)
    assert [alone.beside_own_kind(frame) for frame in alone.frames] == [0]
