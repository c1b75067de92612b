"""A real Sentence-BERT, from a package with its weights, offline: it begins with nn.Embedding."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import torch

from embviz.context import sentence as module
from embviz.context.sentence import (
    DEFAULT_MODEL,
    ModelError,
    SentenceModel,
    import_library,
    load,
    missing,
    model_name,
)
from embviz.context.shared_word import RECORDED, cosine, recorded, with_senses
from tests.context.record import model_folder

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = ["He sat on the river bank.", "The bank raised its rates.", "A bank is a bank."]


@pytest.fixture(scope="module")
def model() -> SentenceModel:
    """The real model."""
    return load(model_folder())


def test_the_first_layer_is_one_hot_times_linear(model: SentenceModel) -> None:
    """Lookup and one-hot x Linear agree bit for bit; more ids than are multiplied at once, too."""
    ids = [0, 1, 100, 2924, 2924, *range(4_000, 4_100), 30521]
    proof = model.one_hot_proof(ids)
    assert proof.bitwise_equal
    assert torch.equal(proof.lookup, model.embedding.weight[ids])


def test_the_figures_are_those_of_the_library(model: SentenceModel) -> None:
    """The layers and the sentences' vectors are those that the library computes, each alone."""
    library, text = model.library, SENTENCES[0]
    run = model.run(SENTENCES, " Bank ")
    found = [run.word, run.pooling, run.depth, model.max_length]
    assert found == ["Bank", "mean", 6, 256]
    assert run.first_layer == "Embedding(30522, 384, padding_idx=0)"
    one, *_, last = run.sentences
    assert [" ".join(one.pieces), one.word] == ["he sat on the river bank .", [5]]
    assert [last.occurrences, last.word, last.cut] == [2, [1], 0]
    with torch.inference_mode():
        final = library.encode(text, output_value="token_embeddings", show_progress_bar=False)
        torch.testing.assert_close(one.vectors, final[1:-1].clone())
        ids = torch.tensor([library.tokenizer(text)["input_ids"]])
        torch.testing.assert_close(one.layers[0], library[0].auto_model.embeddings(ids)[0, 6])
        expected = library.similarity(*[library.encode(SENTENCES)] * 2)
    torch.testing.assert_close(run.sentence_cosines.float(), expected, atol=1e-5, rtol=0)
    means = torch.stack([model.embedding.weight[each.ids].mean(0) for each in run.sentences])
    torch.testing.assert_close(run.bag_cosines, cosine(means).detach())
    assert run.word_cosines.shape == (8, 3, 3)
    torch.testing.assert_close(run.word_cosines[0], torch.ones(3, 3).double())


def test_threads_may_ask_at_once(model: SentenceModel) -> None:
    """Several threads may use one model; its tokenizer is never "Already borrowed"."""
    with ThreadPoolExecutor(8) as threads:
        cut = {*threads.map(lambda text: model.read(text, "bank").cut, ["a bank"] * 16)}
    assert cut == {0}
    text = "a b " * 200
    read = model.read(f"bank {text}", "bank")
    assert (len(read.ids), read.cut) == (254, 147)
    text += "bank"
    with pytest.raises(ValueError, match="beyond the 256 tokens"):
        model.read(text, "bank")


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "There is no sentence: write one a line."),
        (["bank"] * 13, "Give 1 to 12 sentences, one a line; these are 13."),
        (["bank", " \n"], "Sentence 2 is empty"),
        (["bank", "x " * 1_000], r"Sentence 2, 'x x.*2,000 characters.*1,000"),
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
    assert [found.model, found.date > "2026"] == [DEFAULT_MODEL, True]
    assert [found.same_sense(pair) for pair in found.pairs] == [False, False, True]
    live = model.run([one.text for one in found.sentences], found.word)
    assert live.values == found.values == found.equal
    assert [one.pieces for one in found.sentences] == [one.pieces for one in live.sentences]
    for name in ("word_cosines", "sentence_cosines", "bag_cosines"):
        torch.testing.assert_close(getattr(found, name), getattr(live, name), atol=1e-3, rtol=0)
    named = replace(live, model=DEFAULT_MODEL)
    assert [with_senses(named).senses, with_senses(named).unrelated] == [
        found.senses,
        found.unrelated,
    ]
    assert with_senses(replace(live, word="she")).senses == ()
    # The cosines of another model have another scale.
    other = with_senses(replace(live, model="another/model"))
    assert other.senses == found.senses
    assert other.unrelated == ()
    assert other.unrelated_pairs == 0


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The library, the model or both; a model is there with its weights alone, or as a folder."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    library, get = "`pip install sentence-transformers`", "`hf download a/b`"
    assert missing(model_folder()) == ""
    assert missing("/no/such/folder") == "a model in `/no/such/folder`"
    assert missing("no name") == "`hf download no name`"
    cached = tmp_path / "models--a--b"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text("1")
    (cached / "snapshots" / "1").mkdir(parents=True)
    for file, needs in (("config.json", get), ("model.safetensors", "")):
        assert missing("a/b") == get
        (cached / "snapshots" / "1" / file).touch()
        assert missing("a/b") == needs
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _: None)
    assert missing(model_folder()) == library
    assert missing("a/b") == f"{library} and {get}"


def test_pairs_are_few() -> None:
    """Every two of a few sentences; of more, the first with each other one."""
    for sentences, many in ((1, 0), (2, 1), (4, 6), (5, 4)):
        run = replace(recorded(), sentences=recorded().sentences[:1] * sentences, senses=())
        assert len(run.pairs) == many
        assert {run.same_sense(pair) for pair in run.pairs} <= {None}


def test_a_model_that_cannot_be_had_gives_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing, a folder without a model, and a broken extra are told apart."""
    broken = Mock(side_effect=ImportError("needs torch 9\nand more."))
    for name, library, message in (
        ("no/such", import_library, "that runs embviz needs `hf download no/such`."),
        (str(ROOT / "tests"), import_library, "/tests' cannot be loaded: '"),
        (str(ROOT), broken, r"installed but cannot be imported: 'needs torch 9\nand more'."),
    ):
        monkeypatch.setattr(module, "import_library", library)
        with pytest.raises(ModelError) as caught:
            load(name)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_nothing_is_downloaded_and_no_code_of_a_model_is_run(
    model: SentenceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library is told so."""
    make = Mock(return_value=model.library)
    monkeypatch.setattr(module, "missing", lambda name: "")
    monkeypatch.setattr(module, "import_library", lambda: make)
    assert load("some/model").max_length == 256
    told = {"device": "cpu", "trust_remote_code": False, "local_files_only": True}
    make.assert_called_once_with("some/model", **told)


@pytest.mark.parametrize("encoder", [None, SimpleNamespace(get_input_embeddings=lambda: None)])
def test_a_model_of_another_kind_is_refused(encoder: Any) -> None:
    """A model without an nn.Embedding is refused."""
    with pytest.raises(ModelError, match="'other' is not a model like BERT"):
        SentenceModel("other", [SimpleNamespace(auto_model=encoder)])


def test_the_name_comes_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """EMBVIZ_SENTENCE_MODEL names the model."""
    for given, name in (("  ", DEFAULT_MODEL), (" /srv/model ", "/srv/model")):
        monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", given)
        assert model_name() == name
