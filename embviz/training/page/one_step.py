"""One letter, trained step by step on both routes; folded, many steps."""

from __future__ import annotations

import streamlit as st

from embviz.text.refused import Refused
from embviz.training.page import many, parts
from embviz.training.page.film.component import FILM
from embviz.training.page.film.drawing import COLUMNS
from embviz.training.page.film.step_film import READS
from embviz.training.settings import PRESS_STEPS
from embviz.ui.elements.ask import draw_part
from embviz.ui.elements.unknown import note_unknown
from embviz.ui.elements.widgets import fold, opens, segments, text_line
from embviz.ui.frame import body
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go

WIDE = 100  # Numbers of a row from which a step of the usual rate hardly shows.


def draw() -> None:
    """The steps of one letter; folded, many steps."""
    given = body.tried_inputs()
    note_unknown(given)
    draw_part(parts.ONE_STEP, FILM, given)
    if not isinstance(given, Refused) and given.table.embedding_dim >= WIDE:
        _larger_steps(given.table.embedding_dim)
    fold(f"And after {PRESS_STEPS} steps?", many.draw, given, of=("optimizer", "batches"))
    _choose()


def _larger_steps(dim: int) -> None:
    """A press for a rate that shows; a mean over many numbers has small gradients."""
    if setting("loss") != "mse" or setting("rate") != "1x":
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f":small[The loss is a mean over {dim} numbers, so each gradient is small: 20 steps "
            "hardly show.]",
            width="content",
        )
        st.button("100 times the rate", on_click=go, args=({"rate": "100x"},))


def _choose() -> None:
    """Widgets of the learning rate, the loss and its target.

    A target that is pressed in the picture leaves them folded.
    """
    typed = setting("target").split()
    is_pressed = len(typed) == setting("dim") <= COLUMNS
    names = [name for name in READS if name != "target" or not is_pressed]
    box = st.expander("Learning rate, loss, target", opens("loss fold", *names))
    with box.container(horizontal=True, vertical_alignment="bottom"):
        segments("Learning rate", "rate")
        segments("Loss", "loss")
        if setting("loss") == "mse":  # The other loss has no target.
            text_line("Target", "target")
