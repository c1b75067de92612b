"""How much is drawn again at the end of a callback.

Usually the body of the page alone, which costs a third of a whole run. Seven reasons ask for more:

| Reason | Drawn | Why no less |
|---|---|---|
| the callback asks: another world, a new example, *Reset* | all | each widget has a new value |
| the last whole run was cut short | all | widgets of the sidebar may be old |
| the same message switches the page | all | another page's body is on the screen |
| a note stands on the page | all | a whole run alone drops the notes |
| the sidebar shows other rows than the picture will have | all | it is in no fragment |
| the page failed before its body was drawn | all | there is no body to draw again |
| a link to another page has to change | `main` | links stand there, around the body |

Nothing is asked for where the run after the callback draws that much already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embviz.ui.state.address import address_of, notes, table_rows
from embviz.ui.state.session import session

MAIN, BODY = "main", "body"  # fragments: all but the sidebar, and the body of the page in it


def redraw(whole_app: bool = False) -> None:
    """Draw again what has to be, as the table above says: the last call of a callback."""
    context = get_script_run_ctx()
    if context is None or whole_app or needs_whole_app():
        st.rerun()
    find = context.fragment_storage.resolve_target
    try:
        main, body = find(MAIN), find(BODY)
    except StreamlitAPIException:  # there is none
        st.rerun()
    fragment = fragment_to_draw(context.fragment_ids_this_run, main, body, has_old_links())
    if fragment:
        st.rerun(fragment)


def needs_whole_app() -> bool:
    """Whether one of the first five reasons holds, whatever the callback itself asks for."""
    this = session()
    is_cut_or_other_page = this.whole_run != running()
    return this.redraw_all or is_cut_or_other_page or any(notes()) or has_other_rows()


def has_other_rows() -> bool:
    """Whether the sidebar shows other rows than the picture will have.

    A number that was just typed there is shown already.
    """
    if (drawn := session().rows) is None:
        return False
    shown = replace(drawn, count=st.session_state.get("rows", drawn.count))
    return shown != table_rows()


def has_old_links() -> bool:
    """Whether a link to another page has to change.

    A click on the link of the page shown does nothing: see `listen.js`.
    """
    this = session()
    others = this.links.keys() - {this.page}
    return any(address_of(page) != this.links[page] for page in others)


def fragment_to_draw(
    running: Sequence[str] | None, main: Sequence[str], body: Sequence[str], is_old: bool
) -> str:
    """The fragment to draw after a change: MAIN, BODY, or "" if the run under way draws it.

    Args:
        running: Streamlit's names of the fragments that this run draws; None where it has begun
            the whole app, as for a widget of the sidebar.
        main: the names of all but the sidebar, with the links to other pages, around the body.
        body: the names of the body.
        is_old: whether such a link has to change.
    """
    if running == main:
        return ""
    if is_old:
        return MAIN
    return "" if running == body else BODY


def begin_run() -> None:
    """The begin of a whole run: it draws all, unless it is cut short."""
    session().whole_run, session().redraw_all = None, False


def end_run() -> None:
    """The end of a whole run."""
    session().whole_run = running()


def running() -> str:
    """Streamlit's name of the page that this run draws, or in a callback is about to draw."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""
