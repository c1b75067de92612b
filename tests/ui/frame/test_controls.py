"""The vocabulary in the sidebar: its own settings, the rows that follow it, what is missing."""

import pytest

from embviz.core import o200k
from tests.ui.headless import open_page, unescaped


def test_merges_belong_to_the_vocabulary_that_reads_them() -> None:
    """The slider is there with `bpe` alone, rows follow it, and its value stays for later."""
    app = open_page()
    assert [one.key for one in app.slider] == []
    app.selectbox(key="vocab").select("bpe").run()
    assert app.number_input(key="rows").value == 2256
    app.slider(key="merges").set_value(300).run()
    assert app.number_input(key="rows").value == 556
    app.selectbox(key="vocab").select("printable").run()
    assert app.number_input(key="rows").value == 100
    assert [one.value for one in app.error] == []


@pytest.mark.parametrize(
    ("query", "disabled"),
    [
        ({}, False),
        ({"vocab": "bpe"}, True),
        ({"vocab": "bpe", "unknown": "unk"}, False),
    ],
)
def test_unknown_characters_where_there_are_some(query: dict[str, str], disabled: bool) -> None:
    """The choice is off where it changes nothing; a row that a link asked for can be taken away."""
    assert open_page(**query).segmented_control(key="unknown").proto.disabled == disabled


def test_a_vocabulary_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its link keeps it and says what to install; one press takes another."""
    monkeypatch.setattr(o200k, "LIBRARIES", ())
    app = open_page(vocab="o200k")
    assert "pip install bpe-openai" in unescaped(app.error[0].value)
    assert app.selectbox(key="vocab").value == "o200k"
    assert "GPT-4o reads (not installed)" in app.selectbox(key="vocab").help
    next(one for one in app.button if one.label == "Use bpe").click().run()
    assert [one.value for one in app.error] == []
    assert (app.selectbox(key="vocab").value, app.number_input(key="rows").value) == ("bpe", 2256)


@pytest.mark.parametrize(
    ("query", "field"),
    [({"text": "a\nb\\"}, r"a\nb\\"), ({"text": "a\\nb\r", "escapes": "true"}, r"a\nb\r")],
)
def test_a_links_line_break_becomes_an_escape(query: dict[str, str], field: str) -> None:
    """One line shows a line break of a link as an escape; the same characters are read."""
    app = open_page(**query)
    assert app.text_input(key="text").value == field
    assert app.toggle(key="escapes").value is True
    wanted = query["text"].replace("\\n", "\n") if "escapes" in query else query["text"]
    assert app.session_state["_embviz"]["inputs"].text == wanted
