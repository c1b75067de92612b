"""The space of what was learned: PCA, neighbours, groups; and the files it is saved in."""

import io
import math
import string
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from embviz.core.config import Config
from embviz.core.vocabulary import Vocabulary
from embviz.core.weights import read_weights
from embviz.training.export import (
    ExportError,
    embedding_npz,
    from_npz,
    read_tsv,
    to_npz,
    to_tsv,
)
from embviz.training.model import CharModel
from embviz.training.route_layers import Weights
from embviz.training.space import (
    cluster_quality,
    groups,
    nearer_than_chance,
    neighbours,
    pca,
)
from embviz.training.text import library_text, prepare

PRINTABLE = Vocabulary(string.printable)
VOWELS = PRINTABLE.encode("aeiou")
LETTERS = PRINTABLE.encode(string.ascii_lowercase)


def drawn(rows: int, columns: int, seed: int = 0) -> torch.Tensor:
    """Random rows, each axis of another spread."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, columns, generator=generator) * torch.arange(1.0, columns + 1)


def test_pca_is_that_of_the_covariance() -> None:
    """The picture would show some other plane than that of the largest variance."""
    table = drawn(50, 6)
    found = pca(table, 3)
    values, vectors = np.linalg.eigh(np.cov(table.double().numpy().T))
    np.testing.assert_allclose(found.explained, values[::-1][:3] / values.sum(), rtol=1e-6)
    overlap = np.abs(found.axes.numpy() @ vectors[:, ::-1][:, :3])
    np.testing.assert_allclose(overlap, np.eye(3), atol=1e-6)
    centred = table.double() - table.double().mean(dim=0)
    torch.testing.assert_close(found.points, centred @ found.axes.T)


def test_rows_outside_the_fit_move_no_axis() -> None:
    """Characters that the text lacks, still at their random start, would turn the picture."""
    table = drawn(20, 4)
    far = torch.cat([table, torch.full((1, 4), 1e4)])
    found = pca(far, 2, rows=range(20))
    torch.testing.assert_close(found.axes, pca(table, 2).axes)
    assert len(found.points) == 21


def test_frames_do_not_flip() -> None:
    """The cloud of points would jump to its mirror image, or its axes change places."""
    table, frame = drawn(40, 5), None
    for step in range(60):  # two axes' shares cross on the way
        scale = torch.tensor([1.0, 1.0, 1.0, 1.0 - 0.01 * step, 0.6 + 0.01 * step])
        now = pca(table * scale, 3, frame)
        if frame is not None:
            for axis in range(3):
                assert float(now.axes[axis] @ frame.axes[axis]) > 0.5
        frame = now
    before = pca(table, 3)
    mirrored = replace(before, axes=-before.axes[[1, 0, 2]])
    after = pca(table, 3, mirrored)
    torch.testing.assert_close(after.axes, mirrored.axes)
    torch.testing.assert_close(after.explained, before.explained[[1, 0, 2]])


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (5, 1), (2, 2), (100, 16)])
def test_small_tables_have_a_picture(rows: int, columns: int) -> None:
    """A table of one row or one column would be a traceback, or points of NaN."""
    for table in (drawn(rows, columns), torch.zeros(rows, columns)):
        found = pca(table, 3)
        assert found.points.shape == (rows, 3)
        assert bool(torch.isfinite(found.points).all())
        assert 0 <= float(found.explained.sum()) <= 1 + 1e-9


def test_neighbours_by_angle_and_by_distance_differ() -> None:
    """The two lists would be one, or a row its own neighbour."""
    table = torch.tensor([[1.0, 0.0], [10.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    near = neighbours(table, 0, k=9)
    assert [i for i, _ in near.by_cosine] == [1, 2, 3]
    assert near.by_cosine[0][1] == pytest.approx(1)
    assert near.by_cosine[2][1] == 0
    assert near.by_distance == [(2, 1.0), (3, 1.0), (1, 9.0)]
    assert [i for i, _ in neighbours(table, 0, 1, rows=[0, 3]).by_cosine] == [3]
    with pytest.raises(IndexError, match="Id 4 has no row"):
        neighbours(table, 4)


def test_groups_hold_only_what_occurs() -> None:
    """Characters at their random start would be counted as badly learned."""
    found = groups(PRINTABLE, PRINTABLE.encode("aZ5 .b"))
    assert {name: PRINTABLE.decode(ids) for name, ids in found.items()} == {
        "vowels": "a",
        "consonants": "b",
        "capitals": "Z",
        "digits": "5",
        "punctuation": ".",
        "white space": " ",
    }
    assert groups(Vocabulary(bytes(range(256))), [97, 200])["vowels"] == [97]
    assert groups(Vocabulary("ab", unk=True), [2, 3]) == {}


def test_quality_tells_groups_from_none() -> None:
    """A random table would be praised for its groups, or one with groups not."""
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


def test_chance_is_counted_exactly() -> None:
    """A p-value would be too small, and any start would be called learned."""
    table = torch.tensor([[1.0, 0.0], [1.0, 0.1], [-1.0, 3.0], [0.0, -3.0]])
    assert nearer_than_chance(table, [0, 1], range(4))[1] == pytest.approx(1 / 6)
    assert nearer_than_chance(table, [2, 3], range(4))[1] == pytest.approx(1)
    many = torch.randn(60, 8, generator=torch.Generator().manual_seed(1))
    p = [nearer_than_chance(many, range(n, n + 10), range(60))[1] for n in range(0, 50, 10)]
    assert min(p) > 0.005
    assert max(p) > 0.3
    many[:10] += 2
    assert nearer_than_chance(many, range(10), range(60))[1] < 1e-4


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other would make these small products slow."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def english() -> torch.Tensor:
    """The page's own text."""
    return prepare(library_text(), PRINTABLE)


@pytest.mark.parametrize("seed", range(5))
def test_vowels_come_together(english: torch.Tensor, seed: int) -> None:
    """What the page says of the trained space would not be so, or be so before training."""
    model = CharModel(Config(string.printable, 100, 16, seed=seed), english)
    before, chance = nearer_than_chance(model.weight, VOWELS, LETTERS)
    kinds = groups(PRINTABLE, model.occurring)
    quality = cluster_quality(model.weight, kinds)
    assert chance > 0.02
    assert abs(quality) < 0.05
    model.advance(500)
    after, chance = nearer_than_chance(model.weight, VOWELS, LETTERS)
    assert after > before + 0.1
    assert chance < 0.01  # of 65,780 sets of five letters
    assert cluster_quality(model.weight, kinds) > quality + 0.03


# --- files


def trained(**settings: bool) -> CharModel:
    """A small model that has learned a little."""
    model = CharModel(Config("abc\0", 5, 3), torch.tensor([0, 1, 2, 0, 1, 3]), **settings)  # type: ignore[arg-type]
    model.advance(5)
    return model


@pytest.mark.parametrize("settings", [{}, {"tied": True}, {"bias": False}])
def test_weights_come_back_bit_by_bit(settings: dict[str, bool]) -> None:
    """A download would not be what was trained, or could not be loaded again."""
    state = trained(**settings).state()
    back = from_npz(to_npz(state))
    assert (back.characters, back.unk, back.step) == ("abc\0", False, 5)
    for name, tensor in state.tensors.items():
        given = back.tensors[name]
        assert (tensor is None) == (given is None)
        if tensor is not None and given is not None:
            assert tensor.dtype == given.dtype
            assert torch.equal(tensor, given)
    other = CharModel(Config("abc\0", 5, 3, seed=9), torch.tensor([0, 1]), **settings)  # type: ignore[arg-type]
    other.load_state(back)
    assert torch.equal(other.weight, state.embedding)
    assert other.step == 5
    with np.load(io.BytesIO(to_npz(state)), allow_pickle=False) as archive:
        assert archive["embedding"].shape == (5, 3)


def test_bytes_and_unk_come_back() -> None:
    """A model of bytes would come back as one of characters."""
    config = Config(bytes(range(256)), 257, 2, unk=True, dtype="float64")
    state = CharModel(config, torch.tensor([0, 256])).state()
    back = from_npz(to_npz(state))
    assert (back.characters, back.unk) == (bytes(range(256)), True)
    assert back.embedding.dtype == torch.float64


def test_the_playground_reads_the_table() -> None:
    """What was learned could not be looked at where the layers are explained."""
    weight = trained().weight
    assert torch.equal(read_weights("table.npz", embedding_npz(weight)).float(), weight)


def spoiled(**changed: object) -> bytes:
    """A file of weights with arrays replaced or, given None, left out."""
    with np.load(io.BytesIO(to_npz(trained().state()))) as archive:
        arrays = dict(archive) | changed
    stream = io.BytesIO()
    np.savez(stream, **{name: a for name, a in arrays.items() if a is not None})
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK", "not a .npz archive"),
        (spoiled(embedding=None), "embedding is missing"),
        (spoiled(strange=np.zeros(2)), "no part of a trained model"),
        (spoiled(linear=np.zeros((5, 3), np.float32)), r"linear has shape \(5, 3\), not \(3, 5\)"),
        (spoiled(linear=np.zeros((3, 5))), "all are float32 or all float64"),
        (spoiled(embedding=np.zeros(5, np.float32)), r"a table of \(rows, columns\) is needed"),
        (spoiled(embedding=np.full((5, 3), np.nan, np.float32)), "not finite"),
        (spoiled(embedding_head=None), "only one is there"),
        (spoiled(step=np.array(-1)), "step is not a whole number"),
        (spoiled(kind=np.array([0, 1])), "kind is not a whole number"),
        (spoiled(characters=np.array([-1])), "not a list of code points"),
        (spoiled(characters=np.array([1.5])), "not a list of code points"),
        (spoiled(characters=np.arange(9)), "9 characters do not fit 5 rows"),
        (spoiled(characters=np.array([{}])), "Python objects"),
    ],
)
def test_a_file_that_is_no_model_is_refused(content: bytes, message: str) -> None:
    """A stranger's file would run code, fill the memory, or be a traceback."""
    with pytest.raises(ExportError, match=message):
        from_npz(content)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Config("abd\0", 5, 3), "another vocabulary"),
        (Config("abc\0", 6, 3), r"embedding of these weights is \(5, 3\); .* \(6, 3\)"),
    ],
)
def test_weights_of_another_model_are_refused(config: Config, message: str) -> None:
    """Rows would be given to characters that they were not learned for."""
    state = trained().state()
    model = CharModel(config, torch.tensor([0, 1]))
    before = model.weight
    with pytest.raises(ValueError, match=message):
        model.load_state(state)
    assert torch.equal(model.weight, before)


def test_a_tied_model_takes_only_tied_weights() -> None:
    """The head would stay at its random start beside a trained table."""
    with pytest.raises(ValueError, match="embedding_head of these weights is absent"):
        trained().load_state(trained(tied=True).state())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_projector_opens_the_pair(dtype: torch.dtype) -> None:
    """A line break or tab among the characters would shift every label after it."""
    vocabulary = Vocabulary(string.printable + "\u2028é\x85", unk=True)
    weight = torch.cat([drawn(104, 3).to(dtype) / 3, torch.zeros(1, 3, dtype=dtype)])
    vectors, metadata = to_tsv(weight, vocabulary)
    table, labels = read_tsv(vectors, metadata)
    assert torch.equal(torch.tensor(table, dtype=dtype), weight)
    assert len(set(labels)) == 105
    assert labels[:11] == [*"0123456789", "a"]
    assert labels[PRINTABLE.encode("\n")[0]] == "line feed (U+000A)"
    assert labels[PRINTABLE.encode("\t")[0]] == "tab (U+0009)"
    assert labels[101] == "é"
    assert labels[-2:] == ["any unknown character", "row 104"]


def test_what_the_projector_refuses_is_refused_before() -> None:
    """A download would only fail when it is opened, in another program."""
    with pytest.raises(ExportError, match="take dim 2"):
        to_tsv(torch.zeros(2, 1), Vocabulary("ab"))
    with pytest.raises(ExportError, match="not all finite"):
        to_tsv(torch.tensor([[0.0, torch.inf]]), Vocabulary("a"))


@pytest.mark.parametrize(
    ("vectors", "metadata", "message"),
    [
        ("1\t2\n1\t2\t3\t4\n", "a\nb\n", "do not match"),
        ("1\n", "a\n", "only one dimension"),
        ("1\t2\n3\t4\n", "a\n \n", "Number of tensors"),
        ("1\t2\n", "\t\n", "Number of tensors"),
    ],
)
def test_the_reader_is_as_strict_as_the_projector(
    vectors: str, metadata: str, message: str
) -> None:
    """The test above would pass whatever was written."""
    with pytest.raises(ExportError, match=message):
        read_tsv(vectors, metadata)


def test_weights_are_frozen() -> None:
    """A saved state would change after it was taken."""
    model = trained()
    state = model.state()
    kept = state.embedding.clone()
    model.advance(3)
    assert isinstance(state, Weights)
    assert torch.equal(state.embedding, kept)
