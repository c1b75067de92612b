"""What a session keeps of what is typed into it, or sent to it, is bounded."""

import sys
from typing import Any

import pytest
from cachetools import LRUCache
from streamlit.testing.v1 import AppTest

from embviz.settings.kinds import MAX_URL_TEXT_BYTES
from embviz.settings.pages import SETTINGS
from embviz.system.bounds import TOKENS, Fixed
from embviz.text.markdown import literal
from embviz.ui.state import bound, session
from tests.ui.headless import open_page, refused, value
from tests.ui.state.test_address import at, put

# A page that has the field of a setting, and the field's kind.
FIELDS: dict[str, tuple[str, dict[str, str], str]] = {
    "text": ("playground", {"text": "abc"}, "text_input"),
    "weights": ("playground", {"input": "ids", "init": "own"}, "text_area"),
    "docs": ("bag_of_words", {}, "text_area"),
    "edit": ("context", {"text": "abc", "edit": "ab"}, "text_input"),
    "values": ("timing", {"values": "16 64"}, "text_input"),
}
# Links, pictures and forms alone set these; their pages.
WITHOUT = {"bag_edit": "bag_of_words", "find": "limits", "class": "labs"}


@pytest.mark.parametrize("name", FIELDS)
def test_a_text_that_is_too_long_is_refused_and_not_kept(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says how long it is and may be; the field stays; a shorter text ends it."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    page, query, kind = FIELDS[name]
    most = SETTINGS[name].most()  # type: ignore[attr-defined]
    app, long = open_page(page, **query), "7" * (most + 1)
    before, address = value(app, name), dict(app.query_params)
    put(app, long, name, kind)
    assert f"{most + 1:,} characters of {name} are more than the {most:,} allowed." in refused(app)
    assert (value(app, name), app.query_params) == (before, address)
    field = getattr(app, kind)(key=name)
    assert (field.value, field.proto.set_value) == (long, False)
    assert long not in kept(app)
    put(app, "1", name, kind)
    assert value(app, name) == "1"
    assert not [one for one in refused(app) if "characters of" in one]


@pytest.mark.parametrize("name", WITHOUT)
def test_a_link_with_a_text_that_is_too_long_is_refused(name: str) -> None:
    """In a note, and the page shows the default."""
    most = SETTINGS[name].most()  # type: ignore[attr-defined]
    app = open_page(WITHOUT[name], **{name: "1" * (most + 1)})
    said = f"{most + 1:,} characters of {name} are more than the {most:,} allowed; it is left out."
    assert literal(said) in [one.value for one in app.warning]
    assert value(app, name) == SETTINGS[name].default


def test_a_text_that_is_too_long_leaves_with_its_page_and_its_address() -> None:
    """Another page, Back and a link show the text that the setting has."""
    app, long = open_page("training", text="abc"), "x" * (TOKENS.value() + 1)
    for page, query in (("context", "abc"), ("", "xy")):
        put(app, long)
        assert [one for one in refused(app) if "characters of text" in one]
        at(app, page, text=query)
        assert app.text_input(key="text").value == value(app, "text") == query
        assert refused(app) == []


def test_the_long_texts_of_a_session_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all its fields; those of the page shown are the last to go, and a lost one is told."""
    monkeypatch.setattr(session, "TEXTS", Fixed(50_000, 50_000))
    app = open_page("bag_of_words", bag="matrix")
    for k in range(5):
        mark = put(app, "1 " * 5_000 + str(k), "x", "text_area")
        put(app, "1 " * 6_000 + str(k), "linear", "text_area")
    assert 20_000 < long_bytes(app) <= 50_000
    assert value(app, "x") == "1 " * 5_000 + "4"
    at(app, "playground", input="ids", init="own")
    for k in range(5):
        put(app, "1 2\n" * 8_000 + f"{k} 0", "weights", "text_area")
    assert long_bytes(app) <= 50_000
    assert value(app, "x") == SETTINGS["x"].default
    at(app, "bag_of_words", **mark)
    assert any("only the tab in which it was typed" in one.value for one in app.warning)


def test_the_values_of_widgets_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest are forgotten, whatever a message has put there; the others stay."""
    monkeypatch.setattr(bound, "WIDGETS", Fixed(100_000, 100_000))
    app = open_page("context", text="abc", edit="ab")
    app.session_state["forged text"] = "🙂" * 20_000
    app.session_state["forged lists"] = few = {"window": [[]] * 150}
    app.session_state["forged more"] = [[{}] * 99] * 99
    app.run()
    assert "forged more" not in app.session_state
    assert "forged text" in app.session_state
    app.text_input(key="edit").set_value("b" * 70_000).run()
    assert "forged text" not in app.session_state
    assert app.session_state["forged lists"] == few
    assert value(app, "edit") == app.text_input(key="edit").value == "b" * 70_000


def test_a_field_whose_long_text_was_forgotten_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text is too long for the setting and for what a session keeps; the browser has it."""
    monkeypatch.setattr(bound, "WIDGETS", Fixed(20_000, 20_000))
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    app = open_page("context", text="abc", edit="ab")
    long = "7" * (SETTINGS["edit"].most() + 1)  # type: ignore[attr-defined]
    app.text_input(key="edit").set_value(long).run()
    assert "edit" in app.session_state["_embviz"].forgotten
    assert [failure.value for failure in app.exception] == []
    assert "more than the" in refused(app)[0]


def long_bytes(app: AppTest) -> int:
    """Bytes of the long texts that a session keeps."""
    texts = [one for one in kept(app) if isinstance(one, str) and len(one) > MAX_URL_TEXT_BYTES]
    return sum({id(one): sys.getsizeof(one) for one in texts}.values())


def kept(app: AppTest) -> list[Any]:
    """What the frame remembers of a session, at any depth."""
    rest, found = [vars(app.session_state["_embviz"])], list[Any]()
    while rest:
        one = rest.pop()
        found.append(one)
        if isinstance(one, dict | LRUCache):
            rest += one.values()
        elif isinstance(one, list | tuple | set):
            rest += one
    return found
