"""A choice by hand is never refused: it brings what fits, and the user's own comes back."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.headless import open_page, refusals


def shown(app: AppTest) -> tuple[str, str]:
    """Vocabulary and text, after a run that refused nothing."""
    assert [one.value for one in app.error] == []
    return app.selectbox(key="vocab").value, app.text_input(key="text").value


def test_a_vocabulary_brings_a_text_and_the_users_own_comes_back() -> None:
    """Each choice is read at once; a vocabulary that reads the user's text shows it again."""
    app = open_page(text="to be?")
    for vocab, text, rows in (
        ("letters", "embedding", 52),
        ("digits", "31415926", 10),
        ("custom", "abcdefghij", 10),
        ("bytes", "to be?", 256),
        ("letters", "embedding", 52),
    ):
        app.selectbox(key="vocab").select(vocab).run()
        assert shown(app) == (vocab, text)
        assert app.number_input(key="rows").value == rows
    app.session_state["text"] = "mine"
    app.selectbox(key="vocab").select("printable").run()
    assert shown(app) == ("printable", "mine")


def test_an_example_follows_the_characters_that_are_typed() -> None:
    """The example of custom characters is made of them; a text of the user's is not touched."""
    app = open_page()
    app.selectbox(key="vocab").select("custom").run()
    app.text_input(key="chars").set_value("xyz").run()
    assert shown(app) == ("custom", "xyz")
    app.session_state["text"] = "zx"
    app.text_input(key="chars").set_value("xy").run()
    assert len(app.error) == 1
    assert app.text_input(key="text").value == "zx"


@pytest.mark.parametrize("query", [{}, {"input": "ids", "ids": "7 8"}])
def test_own_weights_bring_ids_that_they_have(query: dict[str, str]) -> None:
    """Five rows of own weights bring five characters, or ids below five, for as long as needed."""
    app = open_page(**query)
    app.selectbox(key="init").select("own").run()
    assert [one.value for one in app.error] == []
    if query:
        assert app.text_input(key="ids").value == "0 1 0"
    else:
        assert shown(app) == ("custom", "abcde")
        app.text_area(key="weights").set_value("1 2\n3 4").run()
        assert shown(app) == ("custom", "ab")
    app.selectbox(key="init").select("normal").run()
    assert [one.value for one in app.error] == []
    if query:
        assert app.text_input(key="ids").value == "7 8"
    else:
        assert shown(app) == ("printable", "WTF does nn.Embedding do?")


def test_a_link_keeps_its_own_values() -> None:
    """What a link asks for is refused with the reason, not replaced."""
    assert "is not among the 52 characters" in refusals("playground", vocab="letters")[0]
