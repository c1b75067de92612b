"""A real Sentence-BERT, from a package with its weights, offline: it begins with nn.Embedding."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from embviz.context import sentence as module
from embviz.context.pieces import MAX_CHARACTERS, MAX_SENTENCES
from embviz.context.run import RECORDED, cosine, recorded
from embviz.context.sentence import (
    DEFAULT_MODEL,
    MODEL_VARIABLE,
    ModelError,
    SentenceModel,
    available,
    load,
    model_name,
)
from embviz.core.layers import embedding_of
from tests.context.record import model_folder

torch.set_num_threads(1)  # several threads make small products slow
os.environ["HF_HUB_OFFLINE"] = "1"  # read when the library is first imported
ROOT = Path(__file__).resolve().parents[2]
RIVER = ["He sat on the river bank.", "The bank of the stream was muddy."]
MONEY = ["She put money in the bank.", "The bank raised its rates."]


@pytest.fixture(scope="module")
def model() -> SentenceModel:
    """The real model."""
    return load(model_folder())


def test_the_first_layer_is_one_hot_times_linear(model: SentenceModel) -> None:
    """It is an nn.Embedding over the pieces; lookup and one-hot x Linear agree bit for bit."""
    assert isinstance(model.embedding, nn.Embedding)
    assert (model.max_length, model.pooling) == (256, "mean")
    ids = [0, 1, 100, 2924, 2924, 4095, 4096, 8192, 30521]
    proof = model.one_hot_proof(ids)
    assert proof.bitwise_equal
    assert torch.equal(proof.lookup, model.embedding.weight[ids])
    assert model.one_hot_proof([]).bitwise_equal
    for wrong in (-1, 30522):
        with pytest.raises(IndexError, match="rows 0 to 30,521"):
            model.one_hot_proof([wrong])


@pytest.mark.parametrize("slice_rows", [1, 3, 100])
def test_slices_add_up_to_the_whole(slice_rows: int) -> None:
    """Every id counts in exactly one slice of the rows."""
    table = embedding_of(torch.arange(28.0).reshape(7, 4) + 1)
    part = SimpleNamespace(embedding=table)
    proof = SentenceModel.one_hot_proof(part, range(7), slice_rows)  # type: ignore[arg-type]
    assert proof.bitwise_equal
    with torch.no_grad():
        table.weight[3] += 0.5
    assert torch.equal(proof.matmul[3] + 0.5, table.weight[3])


def test_cosines_of_opposite_and_of_no_direction() -> None:
    """Opposite vectors have -1, and one of zeros has 0 and not NaN."""
    found = cosine(torch.tensor([[3.0, 4.0], [-6.0, -8.0], [0.0, 0.0]]))
    torch.testing.assert_close(found[0], torch.tensor([1.0, -1.0, 0.0]).double())


def test_bank_is_static_below_and_contextual_above(model: SentenceModel) -> None:
    """The word "bank" has one row in all sentences, and vectors by its sense above it."""
    run = model.run(RIVER + MONEY, "bank")
    assert run.first_layer == "Embedding(30522, 384, padding_idx=0)"
    torch.testing.assert_close(run.static, torch.ones(4, 4).double())
    assert run.layers.shape == (7, 4, 4)
    last = run.layers[-1]
    assert float(last[0, 1] + last[2, 3]) / 2 > float(last[:2, 2:].mean())
    # Below all layers only the place of the word makes a difference.
    there = model.run(["The bank is old.", "The bank was shut."], "bank").layers
    assert float(there[0].min()) == pytest.approx(1, abs=1e-6)
    assert float(there[-1].min()) < 0.99


def test_the_figures_are_those_of_the_library(model: SentenceModel) -> None:
    """The layers and the sentence's vector are those that the library computes."""
    library = model._model
    text = RIVER[0]
    pieces = model.words(text)
    assert " ".join(one.text for one in pieces) == "[CLS] he sat on the river bank . [SEP]"
    with torch.inference_mode():
        final = library.encode(text, output_value="token_embeddings", show_progress_bar=False)
        found = model.read(text, "bank")
        torch.testing.assert_close(found.layers[-1], final[6].clone())
        embedded = library[0].auto_model.embeddings(torch.tensor([[p.id for p in pieces]]))
        torch.testing.assert_close(found.layers[0], embedded[0, 6].clone())
    assert torch.equal(found.static, model.embedding.weight[pieces[6].id])
    run = model.run([*RIVER, *MONEY], "bank")
    contextual, bags = run.whole, run.bags
    with torch.inference_mode():
        expected = library.similarity(*[library.encode([*RIVER, *MONEY])] * 2)
    torch.testing.assert_close(contextual.float(), expected, atol=1e-5, rtol=0)
    rows = [model.embedding.weight[[p.id for p in model.words(s)][1:-1]].mean(0) for s in RIVER]
    assert float(bags[0, 1]) == pytest.approx(
        float(torch.cosine_similarity(rows[0], rows[1], dim=0).detach()), abs=1e-6
    )


def test_threads_may_ask_at_once(model: SentenceModel) -> None:
    """Several threads may use one model; its tokenizer is never "Already borrowed"."""
    text = "a b " * 200

    def ask(_: int) -> tuple[int, int]:
        return len(model.words(text)), model.pieces_cut(text)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(200))) == {(256, 146)}


def test_a_sentence_is_read_alone(model: SentenceModel) -> None:
    """A sentence's vectors do not depend on the other sentences."""
    alone = model.run(RIVER, "bank")
    beside = model.run([*RIVER, "A much longer bank " * 20], "bank")
    assert torch.equal(alone.whole, beside.whole[:2, :2])
    assert torch.equal(alone.sentences[1].vectors, beside.sentences[1].vectors)


def test_a_word_in_pieces_is_averaged(model: SentenceModel) -> None:
    """A split word has the mean of its pieces' vectors."""
    text = "The unhappiest tokenizers hug."
    found = model.read(text, "Tokenizers")
    assert [found.pieces[k] for k in found.word] == ["token", "##izer", "##s"]
    rows = model.embedding.weight[[found.ids[k] for k in found.word]]
    torch.testing.assert_close(found.static, rows.mean(dim=0).detach())
    torch.testing.assert_close(found.layers[-1], found.vectors[found.word].mean(dim=0))


@pytest.mark.parametrize(
    ("text", "word", "pieces"),
    [
        ("I 😀 you", "😀", ["[UNK]"]),
        ("le CAFÉ noir", "café", ["cafe"]),
        ("the bank's door", "bank", ["bank"]),
    ],
)
def test_words_of_every_kind_are_found(
    model: SentenceModel, text: str, word: str, pieces: list[str]
) -> None:
    """Emoji, accents, hyphens and single letters are found as words."""
    found = model.read(text, word)
    assert [found.pieces[k] for k in found.word] == pieces
    assert bool(found.layers.isfinite().all())
    assert found.is_unknown == ("[UNK]" in pieces)
    specials = [piece.text for piece in model.words(text) if piece.is_special]
    assert specials == ["[CLS]", "[SEP]"]


def test_a_long_sentence_is_cut_and_says_so(model: SentenceModel) -> None:
    """Pieces beyond the model's length are counted as not read."""
    text = "a b " * 200 + "bank"
    assert len(model.words(text)) == 256
    assert model.pieces_cut(text) == 401 + 2 - 256
    assert model.pieces_cut("a bank") == 0
    with pytest.raises(ValueError, match="beyond the 256 pieces"):
        model.read(text, "bank")
    assert model.read(text, "a").occurrences == 200


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "There is no sentence: write one a line."),
        (["bank"] * (MAX_SENTENCES + 1), "Give 1 to 12 sentences, one a line; these are 13."),
        (["bank", " \n"], "Sentence 2 is empty"),
        (["bank", "x " * MAX_CHARACTERS], r"Sentence 2, 'x x.*2,000 characters.*1,000"),
        (["bank", "a river"], "'bank' is not in the sentence 'a river'"),
    ],
)
def test_sentences_that_cannot_be_compared_are_refused(
    model: SentenceModel, sentences: list[str], message: str
) -> None:
    """Too many, too long or empty sentences are refused with the reason."""
    with pytest.raises(ValueError, match=message):
        model.run(sentences, "bank")


def test_the_recorded_run_is_a_run_of_the_model(model: SentenceModel) -> None:
    """The file is small, names its model and date, and holds what the model computes."""
    found = recorded()
    assert RECORDED.stat().st_size < 60_000
    assert found.model == DEFAULT_MODEL
    assert found.date > "2026"
    assert "torch 2" in found.made
    assert len({tuple(one.static.tolist()) for one in found.sentences}) == 1
    assert float(found.static.min()) == pytest.approx(1)
    assert float(found.layers[-1, 0, 1]) < 0.8
    live = model.run([one.text for one in found.sentences], found.word)
    assert (found.equal, found.values) == (live.equal, live.values)
    for mine, other in zip(found.sentences, live.sentences, strict=True):
        assert (mine.pieces, mine.ids, mine.word) == (other.pieces, other.ids, other.word)
        assert "[CLS]" not in mine.pieces
        for name in ("rows", "vectors", "layers", "whole"):
            torch.testing.assert_close(
                getattr(mine, name), getattr(other, name), atol=2e-3, rtol=2e-3
            )
    for name in ("layers", "whole", "bags"):
        torch.testing.assert_close(getattr(found, name), getattr(live, name), atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such-model", "'no/such-model' is not on this machine, and it may not be fetched"),
        ("/no/such/folder", "is no folder on this machine"),
        (str(ROOT / "tests"), "cannot be loaded"),
    ],
)
def test_a_model_that_cannot_be_had_gives_a_sentence(
    name: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A wrong name is refused in a sentence that says what to set."""
    import huggingface_hub.constants
    import huggingface_hub.errors

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=message) as caught:
        load(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("OSError", "Hugging Face cannot be reached"),
        ("HFValidationError", "Hugging Face has no model 'no/such'"),
    ],
)
def test_the_hub_is_asked_whether_it_has_the_model(
    error: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that the hub lacks, and a hub that does not answer, are told apart."""
    import huggingface_hub.constants
    import huggingface_hub.errors

    class Api:
        def model_info(self, name: str, timeout: float) -> None:
            assert timeout == module.HUB_SECONDS
            raise getattr(huggingface_hub.errors, error, OSError)(name)

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    monkeypatch.setattr(module, "_made", not_here)
    with pytest.raises(ModelError, match=message):
        load("no/such")


def not_here(*_: Any, local: bool, **__: Any) -> Any:
    """Neither a folder nor in the cache."""
    assert local
    raise module._NotHereError


@pytest.mark.parametrize("encoder", [None, SimpleNamespace(get_input_embeddings=lambda: None)])
def test_a_model_of_another_kind_is_refused(encoder: Any) -> None:
    """A model without an nn.Embedding is refused."""
    other = [SimpleNamespace(auto_model=encoder)]
    with pytest.raises(ModelError, match="'other' is not a model like BERT"):
        SentenceModel("other", other)


def test_the_name_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """EMBVIZ_SENTENCE_MODEL names the model."""
    monkeypatch.setenv(MODEL_VARIABLE, "  ")
    assert model_name() == DEFAULT_MODEL
    monkeypatch.setenv(MODEL_VARIABLE, " /srv/model ")
    assert model_name() == "/srv/model"


def test_without_the_extra_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, one sentence says how to install it."""
    assert available() == ""
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _: None)
    assert "pip install sentence-transformers" in available()
    with pytest.raises(ModelError, match="pip install sentence-transformers"):
        load(model_folder())


def test_a_broken_installation_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation of the extra is reported in a sentence."""

    def broken() -> Any:
        raise ImportError("needs torch 9\nand more.")

    monkeypatch.setattr(module, "_import", broken)
    with pytest.raises(ModelError, match=r"cannot be imported: 'needs torch 9\\nand more'\."):
        load(model_folder())


def test_the_core_imports_nothing_of_the_extra() -> None:
    """Importing these modules does not import the extra."""
    code = (
        "import sys, embviz.context.sentence, embviz.commands.context\n"
        "embviz.context.sentence.available()\n"
        "print({'sentence_transformers', 'transformers', 'huggingface_hub'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "set()\n", done.stderr
