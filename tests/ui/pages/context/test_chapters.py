import base64
import json
import string

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from embviz.context.run import recorded
from embviz.context.stack import Stack, Switches
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.request.settings import SETTINGS
from embviz.ui.pages.context import sentences
from embviz.ui.pages.context.chapters import CHAPTERS
from tests.context.record import model_folder
from tests.ui.headless import open_page, page_words, unescaped


def opened(**query: str) -> AppTest:
    """The context page at an address, without a refusal on it."""
    app = open_page("context", **query)
    assert [one.value for one in app.error] == []
    return app


@pytest.mark.parametrize("chapter", SETTINGS["chapter"].options())
@pytest.mark.parametrize("query", [{}, {"input": "ids", "then": "edit", "edit": "1 2"}], ids=str)
def test_every_chapter_of_the_address_opens(chapter: str, query: dict[str, str]) -> None:
    """Each value of the parameter `chapter` has a record, draws it."""
    assert set(CHAPTERS) == set(SETTINGS["chapter"].options())
    shown = [one.value for one in opened(chapter=chapter, **query).markdown]
    assert f"##### {CHAPTERS[chapter].claim}" in shown


@pytest.mark.parametrize(
    ("query", "words"),
    [
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
        ({"then": "edit", "edit": "é"}, "is not among the 100 characters"),
        ({"then": "edit", "edit": ""}, "0 of 0 letters moved, **no strip to compare**"),
        ({"chapter": "contextual", "text": "aab", "place": "60"}, "x = embedding(ids)  # its row"),
        (
            {"chapter": "contextual", "dtype": "bfloat16", "text": "aa", "place": "1"},
            "computes in float32",
        ),
        (
            {"chapter": "sentences"},
            "**bank** in 2 sentences: one row, bit for bit. After 6 layers the cosine is **0.768**",
        ),
        ({"chapter": "sentences", "word": "money"}, "Your own sentences are not read yet"),
    ],
    ids=str,
)
def test_odd_texts_have_their_context(query: dict[str, str], words: str) -> None:
    """A long, short, empty or foreign text is compared, or refused with a sentence."""
    assert words in page_words("context", **query)


@pytest.mark.parametrize(
    ("key", "question"),
    [("looks", "Who looks at whom?"), ("steps", "How is one vector computed?")],
)
def test_every_question_has_its_answer(key: str, question: str) -> None:
    """A question that is opened is answered, with and without attention."""
    for attention in ("true", "false"):
        app = opened(chapter="contextual", attention=attention, text="abca")
        app.session_state[f"contextual_{key}"] = True
        app.run()
        assert [one.value for one in [*app.exception, *app.error]] == []
        (fold,) = [one for one in app.expander if one.label == question]
        assert len(fold.children) > 0


def test_a_model_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline, the page names the model that is missing, without a traceback."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", "nobody/no-such-model")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    app = open_page("context", chapter="sentences")
    next(button for button in app.button if button.label == "Your own sentences").click().run()
    assert [failure.value for failure in app.exception] == []
    assert not app.error
    (said,) = app.info
    assert "'nobody/no-such-model' is not on this machine" in unescaped(said.value)
    assert "EMBVIZ" not in said.value


def test_a_real_model_in_two_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first layer is shown to be an nn.Embedding, and its last to be contextual."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", model_folder())
    app = opened(chapter="sentences")
    next(button for button in app.button if button.label == "Your own sentences").click().run()
    said = unescaped("\n".join(one.value for one in [*app.markdown, *app.caption, *app.code]))
    assert [one.value for one in [*app.exception, *app.error]] == []
    assert "Embedding(30522, 384, padding_idx=0)" in said
    assert "gives all the same bits" in said
    assert "Recorded" not in said
    app.run()
    (refusal,) = app.text_input(key="word").set_value("grassy").run().error
    assert "'grassy' is not in the sentence 'she sat on the bank" in unescaped(refusal.value)
    pieces = "embeddings rise\nabout embeddings"
    other = opened(chapter="sentences", word="embeddings", sentences=pieces)
    captions = unescaped("\n".join(one.value for one in other.caption))
    assert "Sentence 2: the word has the mean of em ##bed ##ding ##s." in captions
    long = opened(chapter="sentences", word="bank", sentences=f"the bank of the bank {'a ' * 300}")
    captions = unescaped("\n".join(one.value for one in long.caption))
    assert "Sentence 1: the first of 2 counts, the last 51 pieces are not read." in captions


def test_the_charts_follow_the_text() -> None:
    """The title of the attention is of its diagonal; a place after the text is the last."""
    app = open_page("context", chapter="contextual", text="aab", place="60", places="false")
    app.session_state["contextual_looks"] = True
    looks, steps = (json.loads(one.proto.spec) for one in app.run().get("plotly_chart"))
    weights = Stack(tie(Config(string.printable)), Switches(False, True, "causal"), 123)
    own = weights.trace(torch.tensor([10, 10, 11])).attention
    assert own is not None
    title = f"Each token looks at itself with {float(own.diagonal().mean()):.0%} of its attention"
    assert title in looks["layout"]["title"]["text"]
    assert steps["layout"]["title"]["text"] == "b at place 2, from its row to what comes out"


def test_sentences_say_what_the_recorded_run_holds() -> None:
    """Strips, their sentences and the fold have the numbers of the run."""
    run = recorded()
    shown = json.loads(sentences._strips(run).packed("sentences"))
    low, layers, high = (
        np.frombuffer(base64.b64decode(one["values"]), "<f4") for one in shown["bands"]
    )
    np.testing.assert_allclose(low + layers, high, atol=1e-6)
    assert shown["lines"] == [8, 7]
    assert "".join(shown["alike"]["2924"]) == (
        "bank (id 2924) at places 4 of sentence 1 and 6 of sentence 2: one row, bit for bit. "
        "Last layer: cosine 0.768."
    )
    assert "".join(shown["alike"]["2314"]) == "river (id 2314) at place 7 of sentence 1: row 2314."
    app = open_page("context", chapter="sentences")
    app.session_state["sentence_layers"] = True
    captions = "\n".join(one.value for one in app.run().caption)
    bags, whole = float(run.bags[0, 1]), float(run.whole[0, 1])
    assert f"cosine {bags:.3f} by the mean of their rows, {whole:.3f} by the model" in captions
    assert bags > whole + 0.1
