"""The user's own table on a page: what was taken of it, and words in front of its rows."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from embviz.ui.state.session import KEY
from tests.text.archives import npy
from tests.ui.headless import open_page, sent, unescaped

VECTORS = "the 0.5 1\ncat 2 3\nNew York 4 5"
LEFT = "The first line, '0,1', may count the columns: it is left out."


def said(app: AppTest) -> str:
    """All that the page says in Markdown."""
    return " ".join(unescaped(one.value) for one in app.markdown)


@pytest.mark.parametrize("page", ["playground", "training", "context"])
def test_a_header_that_counts_is_said_with_its_press(page: str) -> None:
    """A pasted table of a file: the press reads the line as numbers, and the next leaves it out."""
    weights = "0,1\n0.5,0.25\n1.5,2.5"
    app = open_page(page, init="own", input="ids", ids="0 1", weights=weights, steps="0")
    assert [one.value for one in app.error] == []
    assert LEFT in said(app)
    app.button(key="taken header").click().run()
    assert app.query_params["header"] == "no"
    assert LEFT.replace("left out", "read as numbers") in said(app)
    app.button(key="taken header").click().run()
    assert app.query_params["header"] == "yes"
    assert LEFT in said(app)
    app.text_area(key="weights").set_value("5,1\n0.5,0.25").run()
    assert "header" not in app.query_params


@pytest.mark.parametrize("page", ["playground", "training", "context"])
def test_typed_words_look_up_their_rows(page: str) -> None:
    """Each word that stands in front of a row has that row, however it is cased."""
    app = open_page(page, init="vectors", weights=VECTORS, text="Cat the cat", steps="0")
    assert [one.value for one in app.error] == []
    assert "Capital letters count as small ones" in said(app)
    assert app.selectbox(key="vocab").disabled


def test_a_word_without_a_row_is_refused_with_a_way_out() -> None:
    """The fix has words of the table."""
    app = open_page(init="vectors", weights=VECTORS, text="dog")
    refusal = sent(app, "embviz_stage")[0]["answer"]
    assert "'dog' is not among the 3 words of the vocabulary" in refusal
    assert '"text": "the cat New York"' in refusal


def test_choosing_words_and_vectors_shows_some() -> None:
    """Nothing is refused at the first touch; a text that was typed stays."""
    app = open_page()
    app.selectbox(key="init").select("vectors").run()
    assert [one.value for one in app.error] == []
    assert "refusal" not in sent(app, "embviz_stage")[0]["answer"]
    assert app.query_params["text"] == "cat dog car"
    app = open_page(text="typed")
    app.selectbox(key="init").select("vectors").run()
    assert app.query_params["text"] == "typed"


def test_a_file_of_words_offers_to_look_them_up() -> None:
    """As a table of numbers its words are left out; one press takes them."""
    app = open_page(init="own", input="ids", ids="0 2")
    app.session_state[KEY].weights_file = "glove.txt", VECTORS.replace("New York", "dog").encode()
    app.run()
    assert "The first column, 'the' …, names the rows: it is left out." in said(app)
    app.button(key="taken header").click().run()
    assert app.query_params["init"] == "vectors"
    app.session_state[KEY].weights_file = "w.npy", npy(np.ones((2, 2)))
    app.run()
    assert "it has numbers alone" in sent(app, "embviz_stage")[0]["answer"]


def test_typed_words_before_rows_have_a_fix() -> None:
    """Words with blanks in them too; a press on the page, or a fix of the refusal, reads them."""
    app = open_page(init="own", input="ids", ids="0", weights=VECTORS)
    assert [one.label for one in app.button if one.label == "Look up the words"]
    app = open_page(init="own", input="ids", ids="0", weights="the .5 .2\nnan .1 .3")
    answer = sent(app, "embviz_stage")[0]["answer"]
    assert '"Read words and vectors": {"init": "vectors"}' in answer
