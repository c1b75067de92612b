"""The links that end a page: each shows what its sentence says, without a note."""

from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from embviz.request.pages import PAGES
from embviz.request.settings import SETTINGS, Choices
from tests.ui.headless import NAMES, open_page, refused

CHAPTERS = (("training", "lesson"), ("context", "chapter"))
STARTS = [
    *((page, {}) for page in NAMES),
    *((page, {name: one}) for page, name in CHAPTERS for one in SETTINGS[name].options()),
]


def links(app: AppTest) -> list[tuple[str, dict[str, list[str]]]]:
    """Page and query of the folded links at the end of a page, which are drawn once unfolded."""
    app.session_state["fold Try this"] = True
    app.run()
    return [
        (one.proto.page, parse_qs(one.proto.query_string, keep_blank_values=True))
        for fold in app.main.expander
        if fold.label == "Try this"
        for one in fold.get("page_link")
    ]


@pytest.mark.parametrize(("page", "query"), STARTS, ids=str)
def test_what_to_try_is_a_link_that_works(page: str, query: dict[str, str]) -> None:
    """It has settings that its page reads and can read, leads elsewhere, and nothing is refused."""
    found = links(open_page(page, **query))
    here = page, {name: [value] for name, value in query.items()}
    assert found
    for to, settings in found:
        there = to or "playground"
        assert (there, settings) != here
        assert set(settings) <= set(PAGES[there].reads)
        for name, values in settings.items():
            one = SETTINGS[name]
            one.read(values if isinstance(one, Choices) else values[0])
        assert refused(open_page(there, **settings)) == []


def test_they_follow_a_change() -> None:
    """A link that was drawn before the text was changed would bring the old one back."""
    app = open_page("training")
    app.text_input(key="text").set_value("abc").run()
    assert "text=abc" in app.get("page_link")[-1].proto.query_string


@pytest.mark.parametrize(
    "query", [{}, {"input": "ids", "ids": "1 2", "init": "own", "vocab": "digits"}]
)
def test_they_show_their_text_whatever_was_chosen(query: dict[str, str]) -> None:
    """Own weights have few rows, ids hide the text, and the example's values end with it."""
    app = open_page("playground", **query)
    found = [settings for _, settings in links(app) if settings.get("text") == ["hello"]]
    assert ["integers"] in [settings.get("init") for settings in found]
    for settings in found:
        shown = open_page("playground", **settings)
        assert refused(shown) == []
        assert shown.text_input(key="text").value == "hello"
