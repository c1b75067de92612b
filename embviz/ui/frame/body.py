"""The body of a page: the part that is drawn again for each change.

A setting that leaves sidebar, text field and links as they are draws the body alone, which costs a
third of a whole rerun. A body has controls, and a picture that may be refused: `framed` draws both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st

from embviz.core.refused import Refused
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


def framed(
    picture: Callable[[], None],
    above: Callable[[], None] | None = None,
    below: Callable[[], None] | None = None,
) -> None:
    """Draw controls, and the picture between them; a refusal stands in the place of the picture.

    All controls are drawn before the picture is made: a refusal takes none of them away.
    """
    if above is not None:
        above()
    frame = st.container(gap="xsmall")
    if below is not None:
        below()
    with frame, contained(f"page {state()['page']}, {picture.__qualname__}"):
        picture()


def needs_inputs(given: Inputs | Refused, draw: Callable[[Inputs], None]) -> None:
    """Draw what needs the inputs; one line where the page's picture says why there are none."""
    if isinstance(given, Refused):
        st.caption("There is nothing to show here while the input is refused.")
    else:
        draw(given)


def tried_inputs() -> Inputs | Refused:
    """The inputs that the settings ask for, or why they cannot be used."""
    remembered = state()
    finite = remembered["page"] != "playground"
    try:
        return read_inputs(settings(MODEL), remembered.get("weights_file"), cached, finite)
    except Refused as refused:
        return refused
