"""After a change the body is drawn again, or more for one of seven reasons."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.fragment import MemoryFragmentStorage

from embviz.settings.pages import PAGES
from embviz.ui.state import address, redraw
from embviz.ui.state.redraw import BODY, MAIN
from embviz.ui.state.session import Session

WHOLE = ""  # what `st.rerun` gets for the whole app


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Changes a session on the playground, then gives what a callback there asks to be drawn.

    The run after the callback draws a timer's fragment, so nothing is drawn by itself.
    """
    this = Session(page="playground", whole_run="p")
    for module in (address, redraw):
        monkeypatch.setattr(module, "session", lambda: this)
    this.links = {page: address.address_of(page) for page in PAGES}
    context = SimpleNamespace(
        page_script_hash="p",
        fragment_ids_this_run=["timer"],
        fragment_storage=SimpleNamespace(resolve_target=lambda name: [name]),
        is_history_navigation=False,
    )
    for module in (address, redraw):
        monkeypatch.setattr(module, "get_script_run_ctx", lambda: context)

    class Asked(Exception):
        """Ends the callback, as Streamlit's rerun does."""

    def rerun(what: str = WHOLE) -> None:
        raise Asked(what)

    monkeypatch.setattr(st, "rerun", rerun)

    def asked(whole_app: bool = False, **session: Any) -> str:
        for name, value in session.items():
            setattr(context if hasattr(context, name) else this, name, value)
        with pytest.raises(Asked) as found:
            redraw.redraw(whole_app)
        return str(found.value)

    return asked


REASONS: dict[str, dict[str, Any]] = {
    "the callback asks": {"whole_app": True},
    "the callback has noted it": {"redraw_all": True},
    "the last whole run was cut short": {"whole_run": None},
    "the message switches the page": {"page_script_hash": "another page"},
    "a note stands on the page": {"bad": ["seed is 'x'; it is left out."]},
    "the page has no body": {"fragment_storage": MemoryFragmentStorage()},
}


@pytest.mark.parametrize("reason", REASONS)
def test_a_change_draws_the_body_or_all_for_a_reason(
    drawn: Callable[..., str], reason: str
) -> None:
    """Links, notes and sidebar usually stay as they are."""
    assert drawn() == BODY
    assert drawn(**REASONS[reason]) == WHOLE


@pytest.mark.parametrize(("count", "wanted"), [(6, BODY), (7, WHOLE)])
def test_the_sidebar_shows_the_rows_of_the_picture(
    drawn: Callable[..., str], count: int, wanted: str
) -> None:
    """The bare address has six; the sidebar is drawn by a whole run alone."""
    rows = address.table_rows()
    assert rows.count == 6
    shown = replace(rows, count=count)
    assert drawn(rows=shown) == wanted


def test_rows_typed_in_the_sidebar_are_shown_there_already(
    drawn: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links and body are drawn, as for the other sizes; with one more row for `<unk>`, all."""
    monkeypatch.setattr(redraw.st, "session_state", {"rows": 6})
    rows = address.table_rows()
    assert drawn(rows=replace(rows, count=100)) == BODY
    assert drawn(rows=replace(rows, count=100, unk=True)) == WHOLE


def test_a_link_that_has_to_change_is_drawn(drawn: Callable[..., str]) -> None:
    """It stands in `main`; the link of the page shown may be old."""
    links = {page: address.address_of(page) for page in PAGES}
    assert drawn(links=links | {"playground": {"seed": ["4"]}}) == BODY
    assert drawn(links=links | {"training": {"seed": ["4"]}}) == MAIN


@pytest.mark.parametrize(
    ("running", "is_old", "wanted"),
    [
        (None, False, "body"),  # a widget of the sidebar: Streamlit has begun the whole app
        (None, True, "main"),
        (["main"], False, ""),
        (["main"], True, ""),
        (["body"], False, ""),
        (["body"], True, "main"),
        (["timer"], False, "body"),
    ],
)
def test_a_change_that_its_own_run_draws_starts_no_second_one(
    running: list[str] | None, is_old: bool, wanted: str
) -> None:
    """Links to other pages stand in `main` alone, around the body."""
    assert redraw.fragment_to_draw(running, ["main"], ["body"], is_old) == wanted
