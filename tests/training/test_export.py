"""Weights as files: they come back bit by bit, and the projector's pair is what it reads."""

import io
import string

import numpy as np
import pytest
import torch

from embviz.core.config import Config
from embviz.core.merges import bpe
from embviz.core.vocabulary import Vocabulary
from embviz.core.weights import read_weights
from embviz.training.export import ExportError, embedding_npz, from_npz, to_npz, to_tsv
from embviz.training.model import CharModel

torch.set_num_threads(1)  # several threads make small products slow
PRINTABLE = Vocabulary(string.printable)


def trained() -> CharModel:
    """A small model after five steps."""
    model = CharModel(Config("abc\0", 5, 3), torch.tensor([0, 1, 2, 0, 1, 3]))
    model.advance(5)
    return model


def test_weights_come_back_bit_by_bit() -> None:
    """A download has the trained weights, and another model can load them."""
    state = trained().state()
    back = from_npz(to_npz(state))
    assert (back.characters, back.unk, back.step) == ("abc\0", False, 5)
    for name, tensor in state.tensors.items():
        assert tensor.dtype == back.tensors[name].dtype
        assert torch.equal(tensor, back.tensors[name])
    other = CharModel(Config("abc\0", 5, 3, seed=9), torch.tensor([0, 1]))
    other.load_state(back)
    assert torch.equal(other.weight, state.tensors["embedding"])
    assert other.steps == 5
    with np.load(io.BytesIO(to_npz(state)), allow_pickle=False) as archive:
        assert archive["embedding"].shape == (5, 3)


def test_bytes_and_unk_come_back() -> None:
    """A model of bytes with an `<unk>` row comes back as one."""
    config = Config(bytes(range(256)), 257, 2, unk=True, dtype="float64")
    state = CharModel(config, torch.tensor([0, 256])).state()
    back = from_npz(to_npz(state))
    assert (back.characters, back.unk) == (bytes(range(256)), True)
    assert back.tensors["embedding"].dtype == torch.float64


def test_the_pieces_come_back() -> None:
    """A model of pieces comes back as one, and as no model of other pieces."""
    pieces = bpe(3)
    state = CharModel(Config(pieces.characters, 259, 2), torch.tensor([0, 258])).state()
    assert from_npz(to_npz(state)).characters == pieces.characters != bpe(4).characters


def test_the_playground_reads_the_table() -> None:
    """The playground reads the downloaded table."""
    weight = trained().weight
    assert torch.equal(read_weights("table.npz", embedding_npz(weight)).float(), weight)


def spoiled(**changed: object) -> bytes:
    """A file of weights with some arrays replaced, or left out where None is given."""
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
        (spoiled(embedding_head=None), "embedding_head is missing"),
        (spoiled(step=np.array(-1)), "step is not a whole number"),
        (spoiled(kind=np.array([0, 1])), "kind is not a whole number"),
        (spoiled(characters=np.array([-1])), "not a list of code points"),
        (spoiled(characters=np.array([1.5])), "not a list of code points"),
        (spoiled(characters=np.arange(9)), "9 symbols do not fit 5 rows"),
        (spoiled(characters=np.array([{}])), "Python objects"),
        (spoiled(kind=np.array(2)), "name no vocabulary"),
        (spoiled(kind=np.array(2), characters=np.array(list(b"[[]]"))), "name no vocabulary"),
        (
            spoiled(
                kind=np.array(2),
                characters=np.array(list(b'{"vocab": "bpe", "size": -1, "merges": 0}')),
            ),
            "name no vocabulary",
        ),
    ],
)
def test_a_file_that_is_no_model_is_refused(content: bytes, message: str) -> None:
    """A file that is no trained model is refused with the reason."""
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
    """Weights of another vocabulary or shape are refused and change nothing."""
    state = trained().state()
    model = CharModel(config, torch.tensor([0, 1]))
    before = model.weight
    with pytest.raises(ValueError, match=message):
        model.load_state(state)
    assert torch.equal(model.weight, before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_projector_opens_the_pair(dtype: torch.dtype) -> None:
    """The projector reads the table without loss, and one label a row."""
    vocabulary = Vocabulary(string.printable + "\u2028é\x85", unk=True)
    weight = torch.cat([torch.randn(104, 3, dtype=dtype), torch.zeros(1, 3, dtype=dtype)])
    vectors, metadata = to_tsv(weight, vocabulary)
    # As the projector's data-provider.ts: lines are trimmed, empty ones skipped, tabs split them.
    table = [[float(number) for number in line.split("\t")] for line in vectors.strip().split("\n")]
    labels = [line for line in metadata.split("\n") if line.strip()]
    assert not any("\t" in label for label in labels)
    assert torch.equal(torch.tensor(table, dtype=dtype), weight)
    assert len(set(labels)) == 105
    assert labels[:11] == [*"0123456789", "a"]
    assert labels[PRINTABLE.encode("\n")[0]] == "line feed (U+000A)"
    assert labels[PRINTABLE.encode("\t")[0]] == "tab (U+0009)"
    assert labels[101] == "é"
    assert labels[-2:] == ["any unknown character", "row 104"]


def test_a_piece_never_breaks_a_label() -> None:
    """The label of a piece shows its spaces and line breaks by signs."""
    pieces = bpe(300)
    labels = to_tsv(torch.zeros(len(pieces), 2), pieces)[1].splitlines()
    assert len(labels) == len(pieces)
    assert labels[pieces.encode(" the")[0]] == "·the"
    assert labels[ord("\n")] == r"piece '\n', 1 byte"


def test_what_the_projector_refuses_is_refused_before() -> None:
    """Tables that the projector refuses are not written."""
    with pytest.raises(ExportError, match="take dim 2"):
        to_tsv(torch.zeros(2, 1), Vocabulary("ab"))
    with pytest.raises(ExportError, match="not all finite"):
        to_tsv(torch.tensor([[0.0, torch.inf]]), Vocabulary("a"))


def test_weights_are_frozen() -> None:
    """Saved weights do not change with further training."""
    model = trained()
    state = model.state()
    kept = state.tensors["embedding"].clone()
    model.advance(3)
    assert torch.equal(state.tensors["embedding"], kept)
