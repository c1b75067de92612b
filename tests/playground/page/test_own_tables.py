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
    assert [one.value for one in app.error] == []
    return " ".join(unescaped(one.value) for one in app.markdown)


def drawn(app: AppTest) -> str:
    """What the picture shows, or its refusal."""
    return str(sent(app, "embviz_stage")[0]["answer"])


@pytest.mark.parametrize("page", ["playground", "training", "context"])
def test_what_was_taken_of_a_table_is_said_with_its_press(page: str) -> None:
    """A header that counts: read as numbers, and left out again; words look up their rows."""
    weights = "0,1\n0.5,0.25\n1.5,2.5"
    app = open_page(page, init="own", input="ids", ids="0 1", weights=weights, steps="0")
    assert LEFT in said(app)
    app.button(key="taken header").click().run()
    assert app.query_params["header"] == "no"
    assert LEFT.replace("left out", "read as numbers") in said(app)
    app.button(key="taken header").click().run()
    assert app.query_params["header"] == "yes"
    assert LEFT in said(app)
    app.text_area(key="weights").set_value("5,1\n0.5,0.25").run()
    assert "header" not in app.query_params
    app = open_page(page, init="vectors", weights=VECTORS, text="Cat the cat", steps="0")
    assert "Capital letters count as small ones" in said(app)
    assert app.selectbox(key="vocab").disabled


def test_words_before_rows_have_a_fix_and_others_a_way_out() -> None:
    """A press on the page, or a fix of the refusal, reads them; a word of the table is offered."""
    app = open_page(init="own", input="ids", ids="0", weights=VECTORS)
    assert [one.label for one in app.button if one.label == "Look up the words"]
    app = open_page(init="own", input="ids", ids="0", weights="the .5 .2\nnan .1 .3")
    assert '"Read words and vectors": {"init": "vectors"}' in drawn(app)
    answer = drawn(open_page(init="vectors", weights=VECTORS, text="dog"))
    assert "'dog' is not among the 3 words of the vocabulary" in answer
    assert '"text": "the cat New York"' in answer


def test_choosing_words_and_vectors_shows_some() -> None:
    """Nothing is refused at the first touch; a text that was typed stays."""
    for query, text in (({}, "cat dog car"), ({"text": "typed"}, "typed")):
        app = open_page(**query)
        app.selectbox(key="init").select("vectors").run()
        assert app.query_params["text"] == text
        assert ("refusal" in drawn(app)) == bool(query)


def test_a_file_of_words_offers_to_look_them_up() -> None:
    """As a table of numbers its words are left out; one press takes them."""
    app = open_page(init="own", input="ids", ids="0 2")
    app.session_state[KEY].weights_file = "glove.txt", VECTORS.replace("New York", "dog").encode()
    assert "The first column, 'the' …, names the rows: it is left out." in said(app.run())
    app.button(key="taken header").click().run()
    assert app.query_params["init"] == "vectors"
    app.session_state[KEY].weights_file = "w.npy", npy(np.ones((2, 2)))
    assert "it has numbers alone" in drawn(app.run())
