"""The space of what was learned: PCA, neighbours and groups."""

import math
import string
from dataclasses import replace

import numpy as np
import pytest
import torch

from embviz.core.tokenizers import bpe
from embviz.core.vocabulary import BYTES, Vocabulary
from embviz.training.space import cluster_quality, groups, neighbours, pca

PRINTABLE = Vocabulary(string.printable)


def drawn(rows: int, columns: int, seed: int = 0) -> torch.Tensor:
    """Random rows, with another variance along each axis."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, columns, generator=generator) * torch.arange(1.0, columns + 1)


def test_pca_is_that_of_the_covariance() -> None:
    """The axes are the eigenvectors of the covariance, by share of the variance."""
    table = drawn(50, 6)
    found = pca(table, 3, range(50))
    values, vectors = np.linalg.eigh(np.cov(table.double().numpy().T))
    np.testing.assert_allclose(found.explained, values[::-1][:3] / values.sum(), rtol=1e-6)
    overlap = np.abs(found.axes.numpy() @ vectors[:, ::-1][:, :3])
    np.testing.assert_allclose(overlap, np.eye(3), atol=1e-6)
    centred = table.double() - table.double().mean(dim=0)
    torch.testing.assert_close(found.points, centred @ found.axes.T)


def test_rows_outside_the_fit_move_no_axis() -> None:
    """Rows outside the fit are drawn and move no axis."""
    table = drawn(20, 4)
    far = torch.cat([table, torch.full((1, 4), 1e4)])
    found = pca(far, 2, range(20))
    torch.testing.assert_close(found.axes, pca(table, 2, range(20)).axes)
    assert len(found.points) == 21


def test_frames_do_not_flip() -> None:
    """From frame to frame no axis flips or changes places."""
    table, frame = drawn(40, 5), None
    for step in range(60):  # two axes' shares cross on the way
        scale = torch.tensor([1.0, 1.0, 1.0, 1.0 - 0.01 * step, 0.6 + 0.01 * step])
        now = pca(table * scale, 3, range(40), frame)
        if frame is not None:
            for axis in range(3):
                assert float(now.axes[axis] @ frame.axes[axis]) > 0.5
        frame = now
    before = pca(table, 3, range(40))
    mirrored = replace(before, axes=-before.axes[[1, 0, 2]])
    after = pca(table, 3, range(40), mirrored)
    torch.testing.assert_close(after.axes, mirrored.axes)
    torch.testing.assert_close(after.explained, before.explained[[1, 0, 2]])


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (5, 1), (2, 2), (100, 16)])
def test_small_tables_have_a_picture(rows: int, columns: int) -> None:
    """Tables of one row or one column have finite points."""
    for table in (drawn(rows, columns), torch.zeros(rows, columns)):
        found = pca(table, 3, range(rows))
        assert found.points.shape == (rows, 3)
        assert bool(torch.isfinite(found.points).all())
        assert 0 <= float(found.explained.sum()) <= 1 + 1e-9


def test_neighbours_by_angle_and_by_distance_differ() -> None:
    """Neighbours by angle and by distance differ, and exclude the row itself."""
    table = torch.tensor([[1.0, 0.0], [10.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    near = neighbours(table, 0, 9, range(4))
    assert [i for i, _ in near.by_cosine] == [1, 2, 3]
    assert near.by_cosine[0][1] == pytest.approx(1)
    assert near.by_cosine[2][1] == 0
    assert near.by_distance == [(2, 1.0), (3, 1.0), (1, 9.0)]
    assert [i for i, _ in neighbours(table, 0, 1, [0, 3]).by_cosine] == [3]


def test_groups_hold_only_what_occurs() -> None:
    """Only characters of the text are in a group."""
    found = groups(PRINTABLE, PRINTABLE.encode("aZ5 .b"))
    assert {name: PRINTABLE.decode(ids) for name, ids in found.items()} == {
        "vowels": "a",
        "consonants": "b",
        "capitals": "Z",
        "digits": "5",
        "punctuation": ".",
        "white space": " ",
    }
    assert groups(BYTES, [97, 200])["vowels"] == [97]
    assert groups(Vocabulary("ab"), [2, 3]) == {}


def test_kinds_of_pieces_tell_starts_of_words_from_parts() -> None:
    """Pieces have kinds of their own; a byte of half a character is of none."""
    pieces = bpe(300)
    the, he, comma, half = (pieces.encode(one)[0] for one in (" the", "he", ",", "é"))
    found = groups(pieces, [the, he, comma, half, 10_000])
    assert found == {"starts of words": [the], "parts of words": [he], "punctuation": [comma]}


def test_quality_tells_groups_from_none() -> None:
    """The quality is near 0 for random rows and high for separate groups."""
    random = drawn(40, 16) / torch.arange(1.0, 17)
    members = {"one": list(range(20)), "two": list(range(20, 40))}
    assert abs(cluster_quality(random, members)) < 0.1
    apart = random.clone()
    apart[:20, 0] += 50
    assert cluster_quality(apart, members) > 1.5
    assert cluster_quality(apart + 1000, members) == pytest.approx(
        cluster_quality(apart, members), abs=1e-2
    )  # a shift of all rows is no change
    assert math.isnan(cluster_quality(random, {"one": [0]}))
