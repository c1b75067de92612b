"""Learn to write: what is learned, the map of the rows, and what the model writes."""

import math
import string
from itertools import pairwise

import numpy as np
import pytest
import torch

from embviz.core.refused import Refused
from embviz.core.tokenizers import bpe
from embviz.core.vocabulary import Vocabulary
from embviz.training.space import flat_map, kinds, nearest, separation
from embviz.training.text import play, symbols
from embviz.training.writing import MOST, Writing

PRINTABLE = Vocabulary(string.printable)
ABCD = Vocabulary("abcd")


def drawn(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Random rows, of unequal spread."""
    return np.random.default_rng(seed).normal(size=(rows, columns)) / np.arange(1, columns + 1)


@pytest.fixture(scope="module")
def english() -> Writing:
    """A model of the play after 500 steps."""
    writing = Writing(play(), symbols("characters"), 16, 123)
    writing.training.advance(500)
    return writing


def test_english_is_learned_to_near_its_limit(english: Writing) -> None:
    """500 steps come near the bigram limit; rows of one kind gather; both routes are alike."""
    points = english.training.points
    assert points[0].loss_embedding == pytest.approx(math.log(100), abs=0.05)
    assert english.limit < points[-1].loss_embedding < english.limit + 0.08
    assert english.limit == pytest.approx(2.3826, abs=1e-4)
    assert english.training.furthest.max_abs_weight_difference < 1e-5
    start, end = english.separation(english.frames[0]), english.separation(english.frames[-1])
    assert start is not None
    assert end is not None
    assert start < 0 < end
    assert english.per_character == 1


def test_frames_are_kept_at_fixed_steps(english: Writing) -> None:
    """The start first; each frame has its step's table, and a map turned onto the one before."""
    assert [one.step for one in english.frames] == [0, 10, 30, 100, 200, 300, 400, 500]
    assert len({float(one.table.sum()) for one in english.frames}) == 8
    assert torch.equal(english.frames[-1].table, english.training.embedding.table)
    shown = [*english.shown]
    for before, frame in zip(english.frames, english.frames[1:], strict=False):
        np.testing.assert_array_equal(frame.rows, frame.table[shown].double().numpy())
        moved = np.abs(frame.points - before.points).mean()
        flipped = np.abs(frame.points + before.points).mean()
        assert moved < flipped
        assert 0 < frame.spread < 1


def test_one_link_gives_one_map() -> None:
    """Whenever it is drawn, and in whatever slices of time, steps and seed decide the map."""
    one, other = (Writing(play()[:2_000], PRINTABLE, 4, 7) for _ in range(2))
    one.training.advance(200)
    while other.training.steps < 200:
        other.training.advance(200 - other.training.steps, budget_s=0.0)
    for first, second in zip(one.frames, other.frames, strict=True):
        np.testing.assert_array_equal(first.points, second.points)
        assert first.write(40, 3, 1.0, 5) == second.write(40, 3, 1.0, 5)
    seeded = Writing(play()[:2_000], PRINTABLE, 4, 8)
    assert not np.array_equal(seeded.frames[0].points, one.frames[0].points)


def test_what_is_certain_is_learned_and_written() -> None:
    """A cycle is written as it was learned; a low temperature makes the likely likelier."""
    writing = Writing("abcd" * 30, ABCD, 8, 0)
    assert writing.limit == pytest.approx(0)
    writing.training.advance(1_000)
    assert writing.training.points[-1].loss_embedding < 0.01
    frame = writing.frames[-1]
    assert frame.write(8, 3, 1.0, 0) == [0, 1, 2, 3] * 2
    first = writing.frames[0]
    cold, hot = (first.write(400, 0, of, 0) for of in (0.01, 100.0))
    assert len({*pairwise(cold)}) <= 4
    assert len({*pairwise(hot)}) == 16
    assert writing.training.most == MOST


def test_pieces_have_a_loss_per_character() -> None:
    """A piece stands for several characters of the text."""
    writing = Writing("the cat sat on the mat, the rat sat", symbols("pieces"), 2, 0)
    assert (len(writing.ids), writing.symbols.unit) == (16, "piece")
    assert writing.per_character == 16 / 35
    with pytest.raises(Refused, match="there is nothing to learn"):
        Writing("aaa", PRINTABLE, 2, 0)


def test_the_map_is_the_plane_of_largest_variance() -> None:
    """Its axes are the first eigenvectors of the covariance."""
    rows = drawn(50, 6)
    points, spread = flat_map(rows)
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    expected = (rows - rows.mean(axis=0)) @ vectors[:, [-1, -2]]
    np.testing.assert_allclose(np.abs(points), np.abs(expected), atol=1e-9)
    assert spread == pytest.approx(values[-2:].sum() / values.sum())


def test_maps_do_not_flip() -> None:
    """A turned or mirrored map comes back onto the one before; distances stay."""
    rows = drawn(40, 5)
    before, _ = flat_map(rows)
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    points, _ = flat_map(rows, before @ turn)
    np.testing.assert_allclose(points, before @ turn, atol=1e-9)


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (5, 1), (100, 16), (2, 5)])
def test_small_tables_have_a_map(rows: int, columns: int) -> None:
    """Rows of one column, and rows that are all equal, have finite points."""
    for table in (drawn(rows, columns), np.zeros((rows, columns))):
        points, spread = flat_map(table, np.ones((rows, 2)))
        assert points.shape == (rows, 2)
        assert np.isfinite(points).all()
        assert 0 <= spread <= 1 + 1e-9


def test_the_nearest_rows_are_those_of_the_smallest_angle() -> None:
    """A row is not its own neighbour; a longer row of the same direction is the nearest."""
    rows = np.array([[1.0, 0.0], [10.0, 0.1], [1.0, 1.0], [-1.0, 0.0]])
    assert nearest(rows, 2) == [[1, 2], [0, 2], [1, 0], [2, 1]]
    assert nearest(rows[:1], 3) == [[]]


def test_kinds_hold_only_what_occurs() -> None:
    """Characters come kind by kind; y is a consonant, and é no vowel of these."""
    found = kinds(PRINTABLE, PRINTABLE.encode("yaZ5 ."))
    assert {PRINTABLE.decode([one]): name for one, name in found.items()} == {
        "a": "vowels",
        "y": "consonants",
        "Z": "capitals",
        "5": "digits",
        ".": "punctuation",
        " ": "white space",
    }
    assert next(iter(found.values())) == "vowels"
    assert kinds(Vocabulary("é"), [0]) == {}


def test_kinds_of_pieces_tell_starts_of_words_from_parts() -> None:
    """Pieces have kinds of their own; a byte of half a character is of none."""
    pieces = bpe(300)
    the, he, comma, half = (pieces.encode(one)[0] for one in (" the", "he", ",", "é"))
    assert kinds(pieces, [the, he, comma, half]) == {
        the: "starts of words",
        he: "parts of words",
        comma: "punctuation",
    }


def test_separation_tells_kinds_from_none() -> None:
    """It is near 0 for random rows, near 1 for separate kinds, and None without two kinds."""
    random, names = drawn(40, 16), ["one"] * 20 + ["two"] * 20
    near = separation(random, names)
    assert near is not None
    assert abs(near) < 0.1
    apart = separation(random + np.array([[9.0]] * 20 + [[-9.0]] * 20), names)
    assert apart is not None
    assert apart > 0.9
    assert separation(random, ["one"] * 40) is None
    assert separation(random[:2], ["one", "two"]) is None
