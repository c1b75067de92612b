"""The body of a page: the part that is drawn again when a setting changes.

The shell draws navigation, sidebar and text field. A setting that leaves them as they are draws
the body alone, which costs a third of a whole rerun. A widget inside the body does so by itself; a
widget of the frame does so by the callback `redraw_body`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embviz.request.parameters import DEFAULTS, LONG
from embviz.server.scheduler import run_queue
from embviz.ui.frame.failure import contained
from embviz.ui.state import link
from embviz.ui.state.session import state

KEY = "body"
P = ParamSpec("P")


def body(draw: Callable[[], None]) -> Callable[[], None]:
    """Decorator: a page's function as its body, a fragment of Streamlit.

    It runs with the shell, or alone. Alone it starts the whole app if the frame's notes are old.
    """

    def run() -> None:
        with run_queue.slot():
            if is_alone() and link.notes_are_old(state()["page"]):
                st.rerun()
            state()["body_drawn"] = _page()
            with contained(f"page {state()['page']}"):
                draw()

    return st.fragment(run, key=KEY)


def queued_fragment(
    every_s: float | None, part: Callable[P, None], *args: P.args, **kw: P.kwargs
) -> None:
    """Draw a fragment that redraws itself every `every_s` seconds; None: never.

    Streamlit reruns a fragment without the shell, so the fragment waits for a slot by itself. A
    failure leaves the rest of the page.
    """

    @wraps(part)
    def run() -> None:
        named = getattr(part, "__qualname__", "a part")
        with run_queue.slot(), contained(named):
            part(*args, **kw)

    st.fragment(run, run_every=every_s)()


def is_alone() -> bool:
    """Whether the last run of the shell has ended, with the body of the page of this run."""
    return state().get("frame_drawn") == _page()


def redraw_body() -> None:
    """A callback of a widget in the frame: only the body is drawn again.

    The whole app runs if the last whole run was cut short, because its widgets may be old, or if
    the same message switches the page.
    """
    if is_alone() and not state()["notes"]:
        st.rerun(KEY)


def _page() -> str:
    """Streamlit's hash of the page that this run draws, or in a callback is about to draw."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def redraw_all() -> None:
    """A callback of a widget in the frame: the whole app runs.

    A widget without a callback would leave the choice to others that changed at the same time.
    """


def change_all(changes: Mapping[str, Any]) -> None:
    """A callback, or the end of one: the whole app runs, and begins with these settings.

    One message may have a pressed button and a changed field with `redraw_body`. Streamlit then
    does not send the browser the values that a callback sets. So the next run sets them.
    """
    # Streamlit does not write a value into the address that a widget has before it is first drawn.
    for name in changes.keys() & LONG:
        if name not in st.session_state and changes[name] != DEFAULTS[name]:
            st.query_params[name] = str(changes[name])
    state().setdefault("assign", {}).update(changes)
    st.rerun()
