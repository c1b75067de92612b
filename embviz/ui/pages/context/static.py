"""Equal tokens have equal rows wherever they stand: the text is shuffled and edited to prove it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from embviz.context.static import EditProof, ShuffleProof, edited, shuffled
from embviz.request.inputs import Inputs
from embviz.ui.frame.body import redraw_all, redraw_body
from embviz.ui.pages.context.text import Text
from embviz.ui.parts.grid import Part, Shown
from embviz.ui.parts.widgets import number, segments, text_line
from embviz.ui.state.session import setting


def settings() -> None:
    """Widgets of what is done to the text."""
    left, right = st.columns([1, 3], gap="medium", vertical_alignment="bottom")
    with left:
        what = "What is done to the text before it is embedded again."
        segments("Then", "then", help=what, on_change=redraw_all)
    with right:
        if setting("then") == "shuffle":
            other = "Another number, another order."
            number("Seed of the order", "shuffle", other, width=200, on_change=redraw_body)
        else:
            text_line(
                "Another text", "edit", "…", label_visibility="visible", on_change=redraw_body
            )


def draw(given: Inputs) -> None:
    """The text before and after the change, both compared with themselves."""
    _PART.draw(given)
    if setting("then") == "edit" and not setting("edit").strip():
        st.info("The other text is empty: there is nothing to compare.")


def _shown(given: Inputs, of: Callable[[str], Any]) -> Shown:
    text = Text(given)
    is_shuffled = of("then") == "shuffle"
    proof: ShuffleProof | EditProof
    if is_shuffled:
        proof = shuffled(text.layers, text.ids, of("shuffle"))
        after, kept, name, where = proof.shuffled_ids, len(text.ids), "Shuffled", ""
    else:
        after, name, where = text.encode(of("edit")), "The other text", " in both texts"
        proof = edited(text.layers, text.ids, after)
        kept = len(proof.kept)
    changed = max(proof.max_abs_difference, proof.max_abs_difference_matmul)
    above = (
        f"{text.cut}{kept:,} row{'' if kept == 1 else 's'}{where}, **{proof.moved:,} moved**, "
        f"**{'none changed' if changed == 0 else 'some changed'}**: max |difference| "
        f"{proof.max_abs_difference:.3g} by lookup, {proof.max_abs_difference_matmul:.3g} by "
        "one-hot × Linear.\n\n:small[:gray[Each cell is the cosine of two rows, which says how "
        "alike they point: 1 is the same direction, 0 none in common, -1 the opposite.]]"
    )
    shown = [(text.ids, "Your text"), (after, name)]
    return Shown(
        [text.similarity(text.layers.lookup(ids), ids, whose) for ids, whose in shown if len(ids)],
        above,
    )


_PART = Part("static", _shown, ("then", "shuffle", "edit"))
