"""The frame's controls and the notes: drawn on every run, read by pages.

The shell calls `draw()`; pages call the rest. All widgets are bound to the address. Typed text
is data: messages reach the page escaped.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core.inits import INITS
from embviz.request.inputs import Inputs, Refusal
from embviz.request.markdown import literal
from embviz.request.pages import Page
from embviz.request.stage_files import terms
from embviz.ui.frame import address, sidebar, text_field
from embviz.ui.frame.body import change_all, is_alone, redraw_body
from embviz.ui.parts.component import component
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.widgets import segments, visible_if
from embviz.ui.state import link
from embviz.ui.state.session import setting, state

_HERE = Path(__file__).parent
_listener = component(
    "embviz_listener",
    [
        terms(),
        address.SCRIPT,
        *(_HERE / f"{name}.js" for name in ("menu", "address", "listen")),
    ],
)


def draw(page: Page) -> None:
    """Draw notes, sidebar, input row and choice of panels, as far as the page uses them."""
    remembered = state()
    remembered["frame_drawn"] = remembered["body_drawn"] = None
    link.take_address()  # first: what the page reads may depend on a setting, such as the lesson
    with_text = page.reads_text(setting)
    # First, so that the browser fetches Streamlit's component loader early: the stage needs it.
    with visible_if("listener", False):
        data = {"field": ".st-key-text input", "resets": remembered.get("resets", 0)}
        _listener(key="listener", data=data, on_text_change=text_field.take_paste)
    with visible_if("input", with_text):
        if with_text:
            # Before the sidebar, which depends on whether there is a text. On a page that follows
            # what is typed by itself, the field commits after a pause.
            text_field.draw(pause=page.follows(setting) and _routed())
    with st.sidebar:
        sidebar.draw(page.reads_model(setting))
    with st.container():  # even if empty: if the stage shifts, the browser redraws it with a flash
        link.show_notes()
    _take_inputs()
    remembered["above"] = st.container()
    with visible_if("panels", page.panels):
        if page.panels:
            segments("Look closer", "panel", wrap=True, on_change=redraw_body)


def above_panels() -> DeltaGenerator:
    """The container above the choice of panels, for the page's content."""
    place: DeltaGenerator = state()["above"]
    return place


def panel() -> str:
    """The chosen panel, or `none`."""
    chosen: str = setting("panel")
    return chosen


def inputs() -> Inputs:
    """The inputs of this run."""
    if is_alone():
        _take_inputs()
    given: Inputs = state()["inputs"]
    return given


def inputs_before() -> Inputs | None:
    """The last usable inputs of this session, which a page keeps on screen after a mistake."""
    last: Inputs | None = state().get("last_inputs")
    return last


def show_refusal(refusal: Refusal) -> None:
    """Show what is wrong, with a button for each fix."""
    with st.container(key="refusal"):  # frame.css hides it while the stage is newer
        refuse(refusal.message)
        for label, changes in refusal.fixes.items():
            st.button(literal(label), on_click=change_all, args=(changes,))


def _routed() -> bool:
    """Whether the route `live` can answer: it does not know the user's own weights."""
    return INITS[setting("init")].draw is not None


def _take_inputs() -> None:
    remembered, given = state(), sidebar.read()
    remembered["inputs"] = given
    if given.refusal is None:
        remembered["last_inputs"] = given
    if given.vocabulary is not None:
        remembered["vocabulary_size"] = len(given.vocabulary)
