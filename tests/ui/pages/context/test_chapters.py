"""The context page without a browser: what it says, refuses and shows when opened."""

import base64
import json

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from embviz.context.shared_word import recorded
from embviz.context.stack import Stack, Switches
from embviz.fact.layers import tie
from embviz.fact.table import Table
from embviz.ui.pages.context import sentences
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
        ({"input": "ids", "edit": "1 2"}, "1 of 1 ids moved"),
        ({"text": ""}, "There is nothing to compare"),
        ({"chapter": "contextual", "text": "a"}, "No two letters are equal here"),
        (
            {"chapter": "contextual", "vocab": "bytes", "text": "😀😀", "rows": "256"},
            "**F0** (id 240) at places 0 and 4",
        ),
        ({"text": 80 * "ab"}, "The first 64 of 160: 64 letters, 2 rows"),
        (
            {"input": "ids", "ids": "3 1 3", "chapter": "contextual"},
            "**3** (id 3) at places 0 and 2",
        ),
        ({"text": "Zoë"}, "**<unk>** (id 100) at place 2"),
        ({"edit": "é", "unknown": "error"}, "is not among the 100 characters"),
        ({"edit": "~"}, "0 of 0 characters moved, **no strip to compare**"),
        (
            {"chapter": "contextual", "dtype": "bfloat16", "text": "aa", "place": "1"},
            "computes in float32",
        ),
        (
            {"chapter": "contextual", "places": "false", "mask": "full"},
            "What comes out is the same",  # some processors round equal rows alike
        ),
        ({"chapter": "sentences", "word": "money"}, "Your own sentences are not read yet"),
    ],
    ids=str,
)
def test_odd_texts_have_their_context(query: dict[str, str], words: str) -> None:
    """A long, short, empty or foreign text is compared, or refused with a sentence."""
    assert words in page_words("context", **query)


def test_a_model_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline, the page names the model that is missing, without a traceback."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", "nobody/no-such-model")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    app = open_page("context", chapter="sentences")
    press(app, "Your own sentences")
    found = said(app)
    assert "'nobody/no-such-model' is not on this machine" in found
    assert "The recorded run stays" in found
    assert "EMBVIZ" not in found
    assert not app.error


def test_a_real_model_in_two_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first layer is shown to be an nn.Embedding; pieces, cuts and refusals are told."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", model_folder())
    app = open_page("context", chapter="sentences")
    press(app, "Your own sentences")
    app.session_state["fold What does each layer add?"] = True
    app.run()
    assert "`Embedding(30522, 384, padding_idx=0)`" in said(app)
    assert "gives all the same bits" in said(app)
    assert "Recorded" not in said(app)
    app.text_input(key="word").set_value("grassy").run()
    assert "'grassy' is not in the sentence 'she sat on the bank" in said(app)
    for word, text, words in (
        ("embeddings", "embeddings rise\nabout embeddings", "mean of em ##bed ##ding ##s."),
        ("bank", f"the bank of the bank {'a ' * 300}", "1: the first of 2 counts, the last 51 pi"),
    ):
        app = open_page("context", chapter="sentences", word=word, sentences=text)
        app.session_state["fold What does each layer add?"] = True
        assert words in said(app.run())


def test_the_charts_follow_the_text() -> None:
    """The title of the attention is of its diagonal; a place after the text is the last."""
    app = open_page("context", chapter="contextual", text="aab", place="60", places="false")
    app.session_state["fold Who looks at whom?"] = True
    looks, steps = (json.loads(one.proto.spec) for one in app.run().get("plotly_chart"))
    assert "x = embedding(ids)  # its row" in said(app)
    stack = Stack(tie(Table()), Switches(False, True, "causal"), 123)
    trace = stack.trace(torch.tensor([10, 10, 11]))
    own = float(trace.attention.diagonal().mean())
    title = f"A token gives itself {own:.0%} of its attention"
    assert title in looks["layout"]["title"]["text"]
    others = float(trace.attention.clone().fill_diagonal_(0).max())
    assert looks["data"][0]["zmax"] == pytest.approx(others)
    assert steps["layout"]["title"]["text"] == "b at place 2, from its row to what comes out"
    app = open_page("context", chapter="contextual", attention="false")
    app.session_state["fold Who looks at whom?"] = True
    assert "Self-attention is off" in said(app.run())


def test_sentences_say_what_the_recorded_run_holds() -> None:
    """Strips, their sentences and the fold have the numbers of the run."""
    run = recorded()
    shown = json.loads(sentences.strips_of(run).packed("sentences"))
    low, layers, high = (
        np.frombuffer(base64.b64decode(one["values"]), "<f4") for one in shown["bands"]
    )
    np.testing.assert_allclose(low + layers, high, atol=1e-6)
    assert (shown["lines"], shown["lit"]) == ([8, 7], 4)
    assert "".join(shown["said"]) == (
        "bank in 2 sentences: one row, bit for bit. After 6 layers the cosine is 0.768."
    )
    assert "".join(shown["alike"]["2924"]) == (
        "bank (id 2924) at places 4 of sentence 1 and 6 of sentence 2, from 0: one row, "
        "bit for bit. Last layer: cosine 0.768."
    )
    assert (
        "".join(shown["alike"]["2314"])
        == "river (id 2314) at place 7 of sentence 1, from 0: row 2314."
    )
    app = open_page("context", chapter="sentences")
    app.session_state["fold What does each layer add?"] = True
    bags, whole = float(run.bag_cosines[0, 1]), float(run.sentence_cosines[0, 1])
    told = f"cosine {bags:.3f} by the mean of their rows, {whole:.3f} by the model"
    assert told in said(app.run())
    table = app.dataframe[0].value
    assert (table.index[0], table.columns[7]) == ("bank in sentences 1 and 2", "layer 6")
    layers = [1.0, *run.layer_cosines[:, 0, 1].tolist()]
    assert table.to_numpy().tolist()[0] == pytest.approx(layers, abs=6e-4)
