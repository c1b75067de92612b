"""What a visitor typed is never a link, in no sentence of any page, and is cut to 40 characters.

Without it a link to embviz could show somebody else's sentence with an address to press.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.classes import pace
from embviz.settings.kinds import Text
from embviz.settings.pages import PAGES, SETTINGS
from tests.labs.page.visitor import Visitor
from tests.ui.headless import open_page, unescaped
from tests.ui.test_refusals import OPEN, PLACES, name_of

EVIL = " ".join(["http://evil.example/login www.evil.example me@evil.example"] * 10)
LINK = re.compile(r"https?://evil|www\.evil|\w@evil", re.IGNORECASE)
TEXTS = [name for name, one in SETTINGS.items() if isinstance(one, Text)]
# What Streamlit shows as it is: what a field holds, HTML of our own, tables, data of components.
# A page's link has its query in the address.
PLAIN = {"value", "default", "body of Html", "data", "json", "query_string"}


def strings(message: Any) -> Iterator[tuple[str, str]]:
    """All texts of a message to the browser, with the name of the field."""
    for field, value in message.ListFields():
        many = value if hasattr(value, "__iter__") and not hasattr(value, "encode") else [value]
        for one in many.values() if hasattr(many, "values") else many:
            if hasattr(one, "ListFields"):
                yield from strings(one)
            elif isinstance(one, str):
                yield field.name, one


def markdown(node: Any) -> Iterator[str]:
    """All texts below a node of a page that may be shown as Markdown."""
    proto = getattr(node, "proto", None)
    if proto is not None:
        for field, text in strings(proto):
            if not {field, f"{field} of {type(proto).__name__}"} & PLAIN:
                yield text
    for child in getattr(node, "children", {}).values():
        yield from markdown(child)


def sentences(app: AppTest) -> list[str]:
    """The texts of a page that quote `EVIL`: none is a link, and each quotes 40 characters."""
    texts = [one for root in (app.main, app.sidebar) for one in markdown(root)]
    assert [one for one in texts if LINK.search(re.sub(r"\\([^\w\s])", r"\1", one))] == []
    found = [one for one in map(unescaped, texts) if "evil" in one]
    quotes = [quote for one in found for quote in re.findall("'([^']*evil[^']*)'", one)]
    assert len(quotes) >= len(found)
    assert [one for one in quotes if len(one) > 41] == []
    return found


def opened(page: str, query: dict[str, str]) -> AppTest:
    """A page with its folds open."""
    app = open_page(page, **query)
    for fold in OPEN:
        app.session_state[f"fold {fold}"] = True
    return app.run()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong code waits for nothing."""
    monkeypatch.setattr(pace, "AT_ONCE", 10_000)


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_what_texts_of_an_address_have_is_no_link(place: tuple[str, dict[str, str]]) -> None:
    """In all text settings at once."""
    page, query = place
    sentences(opened(page, {**dict.fromkeys(TEXTS, EVIL), **query}))


@pytest.mark.parametrize("page", PAGES)
def test_what_other_settings_have_is_no_link(page: str) -> None:
    """They are noted and left out."""
    others = [name for name in PAGES[page].reads if name not in TEXTS]
    assert len(sentences(open_page(page, **dict.fromkeys(others, EVIL)))) > 1


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("training", {"target": EVIL, "text": "abca", "steps": "0"}),
        ("bag_of_words", {"bag_edit": EVIL}),
        ("labs", {"class": EVIL}),
        ("labs", {"board": EVIL}),
        ("playground", {"no_page": EVIL}),
    ],
)
def test_a_refusal_quotes_it_so(page: str, query: dict[str, str]) -> None:
    """On a page, and of an address that no page has."""
    assert sentences(opened(page, query))


def test_what_is_typed_into_a_lab_or_named_so_is_no_link() -> None:
    """An answer, and the name of a file."""
    student = Visitor(lab="row", numbers="7").answer(EVIL)
    assert sentences(student.app)
    app = open_page(init="own", input="ids")
    app.session_state["_embviz"].weights_file = EVIL, b"x"
    assert sentences(app.run())  # the button that takes it away
