"""The body of a page: the part that is drawn again for each change.

A setting that leaves sidebar, text field and links as they are draws the body alone, which costs a
third of a whole rerun. A body has controls, and a picture that may be refused: `framed` draws both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs, read_inputs
from embviz.fact.tokenizers import VOCABULARIES
from embviz.server.scheduler import run_queue
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES
from embviz.text.refused import Refused
from embviz.ui.elements.failure import contained
from embviz.ui.state.address import setting, settings
from embviz.ui.state.bound import bound_widgets
from embviz.ui.state.changes import refuse_long
from embviz.ui.state.redraw import BODY
from embviz.ui.state.session import cached, session


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
        context = get_script_run_ctx()
        assert context is not None
        name = f"page {session().page}, {part.__qualname__}"
        with run_queue.slot(context.session_id), contained(name):
            if context.fragment_ids_this_run:  # the shell has not run
                bound_widgets()
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
    with frame, contained(f"page {session().page}, {picture.__qualname__}"):
        picture()


def needs_inputs(given: Inputs | Refused, draw: Callable[[Inputs], None]) -> None:
    """Draw what needs the inputs; one line where the page's picture says why there are none."""
    if isinstance(given, Refused):
        st.caption("There is nothing to show here while the input is refused.")
    else:
        draw(given)


def tried_inputs() -> Inputs | Refused:
    """The inputs that the settings ask for, or why they cannot be used."""
    this = session()
    finite = not PAGES[this.page].shows_nan
    try:
        refuse_long(*_typed())
        return read_inputs(settings(MODEL), this.weights_file, cached, finite)
    except Refused as refused:
        return refused


def _typed() -> list[str]:
    """The settings whose fields have the text or the ids, and what decides their rows."""
    names = [setting("input")]
    if names == ["text"]:
        names += VOCABULARIES[setting("vocab")].reads
    if INITS[setting("init")].draw is None:
        names.append("weights")
    return names
