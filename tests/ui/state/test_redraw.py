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


def test_a_change_draws_the_body(drawn: Callable[..., str]) -> None:
    """Links, notes and sidebar stay as they are."""
    assert drawn() == BODY


def test_a_callback_may_ask_for_the_whole_app(drawn: Callable[..., str]) -> None:
    """By its argument, or by what it has noted for the end of the change."""
    assert drawn(True) == WHOLE
    assert drawn(redraw_all=True) == WHOLE


def test_a_run_that_was_cut_short_is_made_up_for(drawn: Callable[..., str]) -> None:
    """Its sidebar may have old widgets."""
    assert drawn(whole_run=None) == WHOLE


def test_a_message_that_switches_the_page_draws_all(drawn: Callable[..., str]) -> None:
    """The body on the screen is that of the page before."""
    assert drawn(page_script_hash="another page") == WHOLE


def test_a_note_goes_with_the_next_change(drawn: Callable[..., str]) -> None:
    """A run of a fragment would leave it there."""
    assert drawn(bad=["seed is 'x'; it is left out."]) == WHOLE


def test_a_page_that_failed_is_drawn_whole(drawn: Callable[..., str]) -> None:
    """It has no body; Streamlit would fail again, with a traceback in the log."""
    assert drawn(fragment_storage=MemoryFragmentStorage()) == WHOLE


@pytest.mark.parametrize(("count", "wanted"), [(6, BODY), (7, WHOLE)])
def test_the_sidebar_shows_the_rows_of_the_picture(
    drawn: Callable[..., str], count: int, wanted: str
) -> None:
    """The bare address has six; the sidebar is drawn by a whole run alone."""
    rows = address.table_rows()
    assert rows.count == 6
    shown = replace(rows, count=count)
    assert drawn(rows=shown) == wanted


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
