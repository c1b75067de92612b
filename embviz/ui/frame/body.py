"""The body of a page: the part that is drawn again for each change.

A setting that leaves sidebar, text field and links as they are draws the body alone, which costs a
third of a whole rerun.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st

from embviz.request.inputs import Inputs, read_inputs
from embviz.request.settings import MODEL
from embviz.server.scheduler import run_queue
from embviz.ui.frame.failure import contained
from embviz.ui.state.session import BODY, cached, settings, state


def body(draw: Callable[[], None]) -> Callable[[], None]:
    """Decorator: a page's function as its body, a fragment of Streamlit."""
    return st.fragment(_queued(draw), key=BODY)


def queued_fragment(every_s: float | None, part: Callable[..., None], *args: Any) -> None:
    """Draw a fragment that redraws itself every `every_s` seconds; None: never."""
    st.fragment(_queued(part), run_every=every_s)(*args)


def _queued(part: Callable[..., None]) -> Callable[..., None]:
    """The part in a slot of its own: Streamlit reruns a fragment without the shell.

    A failure leaves the rest of the page.
    """

    @wraps(part)
    def run(*args: Any) -> None:
        with run_queue.slot(), contained(f"page {state()['page']}, {part.__qualname__}"):
            part(*args)

    return run


def inputs() -> Inputs:
    """The inputs that the settings ask for.

    Raises:
        Refused: they cannot be used; the body of the page shows why, with what would correct it.
    """
    remembered = state()
    finite = remembered["page"] != "playground"
    return read_inputs(settings(MODEL), remembered.get("weights_file"), cached, finite)
