"""The context page without a browser: what it says, refuses and shows when opened."""

import base64
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from embviz.context.page import sentences
from embviz.context.shared_word import recorded
from tests.context.record import model_folder
from tests.ui.headless import open_page, page_words, press, sent, unescaped


def said(app: AppTest) -> str:
    """All words of a page without a failure on it."""
    assert [one.value for one in app.exception] == []
    parts = [*app.markdown, *app.caption, *app.code, *app.info, *app.error]
    return "\n".join(unescaped(one.value) for one in parts)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"input": "ids", "edit": "1 2"}, "2 of 2 tokens kept, 2 moved"),
        ({"text": ""}, "There is nothing to compare"),
        ({"chapter": "contextual", "text": "abc"}, "No two tokens are equal here"),
        (
            {"chapter": "contextual", "vocab": "bytes", "text": "😀😀", "rows": "256"},
            "**F0** (id 240) at places 0 and 4",
        ),
        ({"text": 80 * "ab"}, "The first 64 of 160: 64 tokens, 2 rows"),
        ({"text": "Zoë"}, "**<unk>** (id 100) at place 2"),
        ({"edit": "é", "unknown": "error"}, "is not among the 6 characters"),
        ({"edit": "~"}, "0 of 1 token kept, **no strip to compare**"),
        (
            {"chapter": "contextual", "places": "false", "mask": "full", "text": "hello"},
            "What comes out is the same",  # some processors round equal rows alike
        ),
        # The example has equal letters, so that both chapters show something.
        ({}, "4 tokens, 2 rows: equal tokens share one."),
        ({"chapter": "contextual"}, "2 of 2 pairs of equal tokens differ"),
        ({"text": "cab", "world": "letters"}, "3 tokens, 3 rows."),
    ],
    ids=str,
)
def test_odd_texts_have_their_context(query: dict[str, str], words: str) -> None:
    """A long, short, empty or foreign text is compared, or refused with a sentence."""
    assert words in page_words("context", **query)


OWN = "Your own sentences"
LOAD = cache(sentences.load)


def model_is(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The page begins as after a start of embviz with this model."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", name)
    monkeypatch.setattr(sentences, "_loaded", {})
    monkeypatch.setattr(sentences, "load", LOAD)
    sentences._model.clear()


@pytest.mark.parametrize("query", [{}, {"word": "money"}], ids=str)
def test_a_model_that_is_missing_is_told_in_a_fold(
    query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to install, at once where a link has other sentences; nothing fails."""
    model_is(monkeypatch, "nobody/no-such-model")
    app = open_page("context", chapter="sentences", **query)
    needed = "the computer that runs embviz needs `hf download nobody/no-such-model`."
    assert (needed in said(app)) == bool(query)
    app.session_state["fold Try this"] = app.session_state[f"fold {OWN}"] = True
    found = said(app.run())
    assert needed in found
    assert ("those of this link are not read here" in found) == bool(query)
    assert OWN not in [one.label for one in app.button]
    assert [*app.error, *app.info, *app.text_area] == []
    links = [one.proto.query_string for one in app.get("page_link")]
    assert not any("word=spring" in one for one in links)


def test_a_broken_model_leaves_the_recorded_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder without a model is told, and the page stays."""
    model_is(monkeypatch, str(tmp_path))
    app = open_page("context", chapter="sentences")
    press(app, OWN)
    assert "cannot be loaded" in app.info[0].value
    assert app.info[0].value.endswith("The recorded run stays.")
    assert not app.error
    assert "same sense" in said(app)


def test_a_press_or_a_link_with_sentences_has_them_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The headline then claims no senses, and the button is gone."""
    model_is(monkeypatch, model_folder())
    apart = "# One word, one row; a Sentence-BERT on top tells senses apart."
    app = open_page("context", chapter="sentences")
    assert apart in said(app)
    press(app, OWN)
    for read in (app, open_page("context", chapter="sentences", sentences="a bank\na bank")):
        assert apart not in said(read)
        assert OWN not in [one.label for one in read.button]


def test_the_verdict_is_true_of_other_sentences() -> None:
    """Senses are told apart only where each pair of one sense is more alike than all others."""
    run = recorded()

    def told(**other: object) -> str:
        return sentences.verdict(replace(run, **other)).removeprefix("**bank**")

    first, begun = run.sentences[:1], ": one row. After 6 layers: "
    assert told(sentences=first).startswith(" in one sentence: write another")
    assert told(senses=()) == f"{begun}cosine **0.768 to 0.904**."
    yardstick = "Add one with the word in the same sense: a yardstick."
    assert told(sentences=first * 2, senses=()) == f"{begun}cosine **1.000**. {yardstick}"
    mixed = told(senses=("river", "river", "money"), unrelated=())
    assert mixed == f"{begun}same sense **0.768**, other sense **0.820 to 0.904**."
    # One pair of one sense is more alike than all others, and another pair is not.
    some = [run.sentences[k] for k in (0, 0, 1, 2)]
    overlap = told(sentences=some, senses=("river", "river", "money", "river"), unrelated=())
    assert overlap == f"{begun}same sense **0.820 to 1.000**, other sense **0.768 to 0.904**."
    for word, rows in (([0, 0], "the mean of the same 2 rows"), ([1], "different rows")):
        found = told(sentences=[replace(one, word=word) for one in run.sentences])
        assert found.startswith(f": {rows}. After")


@pytest.mark.parametrize(
    ("word", "text", "words"),
    [
        ("grassy", "a bank", "'grassy' is not in the sentence 'a bank'"),
        ("bank", "a bank\na bank", "gives the same bits as its lookup"),
        (
            "embeddings",
            "embeddings rise\nabout embeddings",
            "mean of the tokens em ##bed ##ding ##s.",
        ),
        ("bank", f"the bank of the bank {'a ' * 300}", "1: the first of 2 counts, the last 51 to"),
    ],
    ids=["no word", "bits", "mean", "cut"],
)
def test_a_real_model_reads_what_is_typed(
    word: str, text: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model's first layer is an nn.Embedding; tokens, cuts and refusals are told."""
    model_is(monkeypatch, model_folder())
    app = open_page("context", chapter="sentences", word=word, sentences=text)
    app.session_state["fold What does each layer add?"] = True
    assert words in said(app.run())
    assert "Recorded" not in said(app)


def test_the_lines_that_compute_a_vector_follow_the_switches() -> None:
    """Without places and attention there is the lookup alone."""
    app = open_page("context", chapter="contextual", text="aab", places="false")
    app.session_state["fold How is a vector computed?"] = True
    lines = app.run().code[0].value.splitlines()
    assert lines[0] == "x = embedding(ids)  # its row of the table"
    assert any("layer.self_attn(n, n, n, attn_mask=later)" in line for line in lines)
    off = {"attention": "false", "places": "false"}
    app = open_page("context", chapter="contextual", dtype="bfloat16", **off)
    app.session_state["fold How is a vector computed?"] = True
    assert len(app.run().code[0].value.splitlines()) == 1
    assert "The stack computes in float32" in said(app)


def test_sentences_say_what_the_recorded_run_holds() -> None:
    """Strips, their sentences and the fold have the numbers of the run."""
    run = recorded()
    shown = json.loads(sentences.strips_of(run).packed("sentences"))
    low, layers, high = (
        np.frombuffer(base64.b64decode(one["values"]), "<f4") for one in shown["bands"]
    )
    is_token = np.repeat(np.array(shown["ids"]) >= 0, shown["dims"])
    np.testing.assert_allclose((low + layers)[is_token], high[is_token], atol=1e-6)
    assert np.isnan(low[~is_token]).all()
    whole = torch.cat([F.normalize(one.whole, dim=0)[: shown["dims"]] for one in run.sentences])
    np.testing.assert_allclose(high[~is_token], whole, atol=1e-6)
    assert [shown[name] for name in ("lines", "numbers", "lit")] == [[9, 8, 8], [1, 2, 3], 4]
    assert sentences.verdict(run) == (
        "**bank**: one row. After 6 layers: same sense **0.904**, other sense "
        "**0.768 to 0.820**: less alike. Unrelated words: −0.06 to 0.17."
    )
    assert "".join(shown["alike"]["2924"]) == (
        "bank (id 2924) in sentences 1, 2 and 3: one row. Cosine on top: 0.768 to 0.904."
    )
    assert "".join(shown["alike"]["2314"]) == "river (id 2314) in sentence 1: row 2314."
    app = open_page("context", chapter="sentences")
    app.session_state["fold What does each layer add?"] = True
    bags, whole = float(run.bag_cosines[0, 1]), float(run.sentence_cosines[0, 1])
    told = f"cosine {bags:.3f} by the mean of their rows, {whole:.3f} by the model"
    assert told in said(app.run())
    assert "`Embedding(30522, 384, padding_idx=0)`" in said(app)
    table = app.dataframe[0].value
    assert [*table.index] == ["sentences 1 and 2", "sentences 1 and 3", "sentences 2 and 3"]
    assert [*table.columns[[0, 1, 7]]] == ["row", "+ place", "layer 6"]
    assert table.to_numpy().tolist() == [*map(run.cosines, run.pairs)]
    assert len(app.get("plotly_chart")) == 1
    (strips,) = sent(app, "embviz_strips")
    assert json.loads(strips["answer"])["alike"] == shown["alike"]
