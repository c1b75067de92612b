"""The body of a page: the part that is drawn again when a setting changes.

The shell draws navigation, sidebar and text field. A setting that leaves them as they are draws
the body alone, which costs a third of a whole rerun. A widget inside the body does so by itself; a
widget of the frame does so by the callback `redraw_body`.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from embviz.server.scheduler import run_queue
from embviz.ui.state import link
from embviz.ui.state.session import change, state

KEY = "body"


def body(draw: Callable[[], None]) -> Callable[[], None]:
    """Decorator: a page's function as its body, a fragment of Streamlit.

    It runs with the shell, or alone. Alone it starts the whole app if the frame's notes are old.
    """

    def run() -> None:
        with run_queue.slot():
            if is_alone() and link.notes_are_old(state()["page"]):
                st.rerun()
            state()["body_drawn"] = True
            draw()

    return st.fragment(run, key=KEY)


def is_alone() -> bool:
    """Whether the last run of the shell has ended, with a body, so that this may run without it."""
    drawn: bool = state().get("frame_drawn", False)
    return drawn


def redraw_body() -> None:
    """A callback of a widget in the frame: only the body is drawn again.

    The whole app runs if the last whole run was cut short, because its widgets may be old.
    """
    if is_alone() and not state()["notes"]:
        st.rerun(KEY)


def redraw_all() -> None:
    """A callback of a widget in the frame: the whole app runs.

    A widget without a callback would leave the choice to others that changed at the same time.
    """


def change_all(changes: dict[str, object]) -> None:
    """A callback of a widget in the body that changes settings of the frame: the whole app runs."""
    change(changes)
    st.rerun()
