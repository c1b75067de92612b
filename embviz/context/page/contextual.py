"""Places and a Transformer layer on top of the rows, one switch at a time."""

from __future__ import annotations

import streamlit as st

from embviz.context.page import parts
from embviz.context.page.strips.component import STRIPS
from embviz.context.page.strips.contextual_strips import steps_of
from embviz.context.page.strips.text import ShownText
from embviz.fact.inputs import Inputs
from embviz.text.refused import Refused
from embviz.ui.elements.ask import draw_part
from embviz.ui.elements.unknown import note_unknown
from embviz.ui.elements.widgets import fold, segments, switch
from embviz.ui.frame import body
from embviz.ui.frame.body import framed, needs_inputs
from embviz.ui.state.address import setting

TERMS = "token", "attention"  # words that the headline's tooltip explains


def claim() -> str:
    """The headline."""
    return "Equal tokens have equal rows; what comes on top of them may tell them apart."


def _switches() -> None:
    """Widgets of the layer on top of the rows."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        switch("Places, a second `nn.Embedding`", "places")
        switch("Self-attention, untrained", "attention")
        segments(
            "Mask",
            "mask",
            disabled=not setting("attention"),
            format_func=lambda mask: f"{mask} mask",
            label_visibility="collapsed",
        )


def draw() -> None:
    """The letters below and above the stack; folded, the code that computes it."""
    _switches()
    given = body.tried_inputs()
    note_unknown(given)
    draw_part(parts.CONTEXTUAL, STRIPS, given)
    fold("How is a vector computed?", _steps, given)


def _steps(given: Inputs | Refused) -> None:
    framed(lambda: needs_inputs(given, _code))


def _code(given: Inputs) -> None:
    """The lines of PyTorch that the stack runs."""
    lines = [f"{step.code}  # {step.name}" for step in steps_of(ShownText(given), setting)]
    st.code("\n".join(lines), language="python")
    if given.table.dtype != "float32":
        st.caption(f"The stack computes in float32, from rows of {given.table.dtype}.")
