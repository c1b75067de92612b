"""One letter, trained step by step on both routes; folded, many steps."""

from __future__ import annotations

import streamlit as st

from embviz.ui.frame import body
from embviz.ui.pages.training import many
from embviz.ui.parts.ask import draw_part
from embviz.ui.parts.film import FILM
from embviz.ui.parts.links import typed
from embviz.ui.parts.unknown import note_unknown
from embviz.ui.parts.widgets import fold, opens, segments, text_line
from embviz.ui.state.session import setting

TITLE = "One step"
CLAIM = "A step of SGD moves one row: the one looked up."
READS = ("loss", "target", "rate")
_LONG = "each letter of this text takes its row from the table, and each row is one of a hundred"
TRIES = (
    (
        "`sparse_adam` on minibatches: another rule, and the weights differ visibly.",
        "training",
        {"optimizer": "sparse_adam", "batches": "minibatch"},
    ),
    (
        "`adam` at 10x on a long text, for 2,000 steps: does rounding become visible?",
        "training",
        typed(_LONG, optimizer="adam", rate="10x", batches="fixed", dtype="float32", steps=2_000),
    ),
)


def draw() -> None:
    """The steps of one letter; folded, many steps."""
    given = body.tried_inputs()
    draw_part("one_step", FILM, given)
    note_unknown(given)
    fold("And after 100 steps?", many.draw, given, of=("optimizer", "batches"))
    _choose()


def _choose() -> None:
    """Widgets of the learning rate, the loss and its target."""
    box = st.expander("Learning rate, loss, target", opens("loss fold", *READS))
    with box.container(horizontal=True, vertical_alignment="bottom"):
        segments("Learning rate", "rate")
        segments("Loss", "loss")
        text_line("Target", "target", disabled=setting("loss") != "mse")
