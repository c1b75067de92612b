"""The context page without a browser: what it says, refuses and shows when opened."""

import base64
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from embviz.context.page import sentences
from embviz.context.shared_word import SharedWord, recorded, with_senses
from embviz.settings.pages import SETTINGS
from tests.context.record import model_folder
from tests.ui.headless import open_page, page_words, press, unescaped


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
        ({"chapter": "contextual", "text": "a"}, "No two tokens are equal here"),
        ({"text": "a"}, "1 token, 1 row."),
        (
            {"chapter": "contextual", "vocab": "bytes", "text": "😀😀", "rows": "256"},
            "**F0** (id 240) at places 0 and 4",
        ),
        ({"text": 80 * "ab"}, "The first 64 of 160: 64 tokens, 2 rows"),
        (
            {"input": "ids", "ids": "3 1 3", "chapter": "contextual"},
            "**3** (id 3) at places 0 and 2",
        ),
        ({"text": "Zoë"}, "**<unk>** (id 100) at place 2"),
        ({"edit": "é", "unknown": "error"}, "is not among the 6 characters"),
        ({"edit": "~"}, "0 of 1 token kept, **no strip to compare**"),
        (
            {"chapter": "contextual", "places": "false", "mask": "full", "text": "hello"},
            "What comes out is the same",  # some processors round equal rows alike
        ),
        ({"chapter": "sentences", "word": "money"}, "The sentences of this link are not read."),
    ],
    ids=str,
)
def test_odd_texts_have_their_context(query: dict[str, str], words: str) -> None:
    """A long, short, empty or foreign text is compared, or refused with a sentence."""
    assert words in page_words("context", **query)


OWN = "Your own sentences"
LOAD = cache(sentences.load)
# Sentences and words that a link may have, and what is true of the tokens of the word.
LINKS: list[dict[str, str]] = [
    {},
    {"sentences": "a bank\na bank", "word": "bank"},
    {"sentences": "embeddings rise\nabout embeddings", "word": "embeddings"},
    {"sentences": "one bank alone", "word": "bank"},
    {"sentences": "\n".join(f"bank {k}" for k in range(6)), "word": "Bank"},
    {"sentences": "no such word", "word": "bank"},
]


def model_is(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The page begins as after a start of embviz with this model."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", name)
    monkeypatch.setattr(sentences, "_loaded", {})
    monkeypatch.setattr(sentences, "load", LOAD)
    sentences._model.clear()


@pytest.mark.parametrize("query", LINKS, ids=str)
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
    assert ("The sentences of this link are not read" in found) == bool(query)
    assert "EMBVIZ" not in found
    assert OWN not in [one.label for one in app.button]
    assert [*app.error, *app.info, *app.text_area] == []
    links = [one.proto.query_string for one in app.get("page_link")]
    assert not any("sentences=" in one and "word=spring" in one for one in links)
    monkeypatch.setattr(sentences, "missing", lambda _: "`pip install sentence-transformers`")
    assert "needs `pip install sentence-transformers`." in said(app.run())


def test_a_broken_model_leaves_the_recorded_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder without a model is told, and the page stays."""
    model_is(monkeypatch, str(tmp_path))
    app = open_page("context", chapter="sentences")
    press(app, OWN)
    assert "cannot be loaded" in app.info[0].value
    assert "The recorded run stays" in app.info[0].value
    assert not app.error
    assert "same sense" in said(app)


@pytest.mark.parametrize("query", LINKS, ids=str)
def test_the_headline_of_sentences_is_true(
    query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Senses are told apart only where each pair of one sense is more alike than all others.

    A link with other sentences reads them without a press.
    """
    model_is(monkeypatch, model_folder())
    app = open_page("context", chapter="sentences", **query)
    if not query:
        assert is_true(app, recorded())
        press(app, OWN)
    assert OWN not in [one.label for one in app.button], "the model is not loaded"
    model = LOAD(model_folder())
    lines = (query or {"sentences": SETTINGS["sentences"].default})["sentences"].splitlines()
    word = query.get("word", "bank")
    if "no such word" in lines:
        assert any("is not in the sentence" in one.value for one in app.error)
        lines = [word]
    assert is_true(app, with_senses(model.run(lines, word)))


def is_true(app: AppTest, run: SharedWord) -> bool:
    """Whether the headline and the sentence below it hold for a run."""
    head = next(one.value for one in app.markdown if one.value.startswith("# "))
    last = {one: run.cosines(one)[-1] for one in run.pairs}
    same = [value for pair, value in last.items() if run.same_sense(pair)]
    others = [value for pair, value in last.items() if run.same_sense(pair) is False]
    if "tells senses apart" in head:
        assert max(others) < min(same)
    else:
        assert "depends on the sentence" in head
    rows = "the mean of the same 4 rows" if run.word == "embeddings" else "one row"
    told = [one.value for one in app.markdown if f": {rows}. After" in one.value]
    if not last:
        return not told
    (found,) = told
    for values in (same, others) if same and others else ([*last.values()],):
        for one in (min(values), max(values)):
            assert f"{one:.3f}" in found
    return ("same sense **" in found) == bool(same) and ("less alike" in found) == bool(same)


def test_a_real_model_in_two_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's first layer is an nn.Embedding; tokens, cuts and refusals are told."""
    model_is(monkeypatch, model_folder())
    app = open_page("context", chapter="sentences")
    press(app, OWN)
    app.session_state["fold What does each layer add?"] = True
    app.run()
    assert "`Embedding(30522, 384, padding_idx=0)`" in said(app)
    assert "gives the same bits as its lookup" in said(app)
    assert "Recorded" not in said(app)
    app.text_input(key="word").set_value("grassy").run()
    assert "'grassy' is not in the sentence 'she sat on the bank" in said(app)
    for word, text, words in (
        (
            "embeddings",
            "embeddings rise\nabout embeddings",
            "mean of the tokens em ##bed ##ding ##s.",
        ),
        ("bank", f"the bank of the bank {'a ' * 300}", "1: the first of 2 counts, the last 51 to"),
    ):
        app = open_page("context", chapter="sentences", word=word, sentences=text)
        app.session_state["fold What does each layer add?"] = True
        assert words in said(app.run())


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
    assert shown["lines"] == [9, 8, 8]
    assert shown["numbers"] == [1, 2, 3]
    assert shown["lit"] == 4
    assert sentences.verdict(run) == (
        "**bank**: one row. After 6 layers: same sense **0.904**, other sense "
        "**0.768 to 0.820**: less alike. Unrelated words: −0.06 to 0.17."
    )
    assert "".join(shown["alike"]["2924"]) == (
        "bank (id 2924) in sentences 1, 2 and 3: one row, bit for bit. "
        "Cosine on top: 0.768 to 0.904."
    )
    assert "".join(shown["alike"]["2314"]) == "river (id 2314) in sentence 1: row 2314."
    app = open_page("context", chapter="sentences")
    app.session_state["fold What does each layer add?"] = True
    bags, whole = float(run.bag_cosines[0, 1]), float(run.sentence_cosines[0, 1])
    told = f"cosine {bags:.3f} by the mean of their rows, {whole:.3f} by the model"
    assert told in said(app.run())
    table = app.dataframe[0].value
    assert [*table.index] == ["sentences 1 and 2", "sentences 1 and 3", "sentences 2 and 3"]
    assert table.columns[7] == "layer 6"
    (figure,) = (json.loads(one.proto.spec) for one in app.get("plotly_chart"))
    band, *lines = figure["data"]
    assert (max(band["y"]), min(band["y"])) == (0.416, -0.055)
    for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        layers = run.word_cosines[:, a, b].tolist()
        assert table.to_numpy().tolist()[k] == pytest.approx(layers, abs=6e-4)
        assert lines[k]["y"] == pytest.approx(layers)
    kinds = [one["text"].partition(": ")[2] for one in figure["layout"]["annotations"]]
    assert kinds == ["", "other sense", "other sense", "same sense"]


def test_the_example_has_equal_letters() -> None:
    """*deed*, so that both chapters show something; what is typed elsewhere takes its place."""
    assert "4 tokens, 2 rows: equal tokens share one." in page_words("context")
    assert "2 of 2 pairs of equal tokens differ" in page_words("context", chapter="contextual")
    assert "No two tokens" not in page_words("context", chapter="contextual")
    assert "3 tokens, 3 rows." in page_words("context", text="cab", world="letters")
