"""Equal tokens have equal rows wherever they stand: tokens move with their strips to prove it."""

from __future__ import annotations

import streamlit as st

from embviz.context.page import parts
from embviz.context.page.strips.component import STRIPS
from embviz.fact.inputs import Inputs, another_text
from embviz.settings.model_settings import MODEL
from embviz.text.refused import Refused
from embviz.ui.elements.ask import draw_part
from embviz.ui.elements.unknown import note_unknown
from embviz.ui.elements.widgets import PAUSE, opens, text_line
from embviz.ui.frame import body
from embviz.ui.state.address import setting, settings

TERMS = "token", "matmul"  # words that the headline's tooltip explains


def claim() -> str:
    """The headline."""
    return "A token takes its row with it: `nn.Embedding` knows no order and no neighbours."


def draw() -> None:
    """The letters, which a press moves."""
    given = body.tried_inputs()
    note_unknown(_noted(given))
    draw_part(parts.STATIC, STRIPS, given)
    _choose()


def _noted(given: Inputs | Refused) -> Inputs | Refused:
    """The inputs with what either text lacks."""
    if isinstance(given, Refused) or not setting("edit"):
        return given
    try:
        return another_text(given, settings(MODEL), setting("edit"), "edit")[0]
    except Refused as refused:  # the picture says it
        return refused


def _choose() -> None:
    """The other text, folded unless the address has one."""
    with st.expander("Compare with another text", opens("other text", "edit")):
        text_line("Another text", "edit", live=PAUSE, help=None)
