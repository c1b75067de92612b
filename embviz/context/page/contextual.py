"""Places and a Transformer layer on top of the rows, one switch at a time."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
import torch

from embviz.context.heat_map import heat_map
from embviz.context.page import parts
from embviz.context.page.strips.component import STRIPS
from embviz.context.page.strips.contextual import stack_of
from embviz.context.page.strips.text import ShownText
from embviz.fact.inputs import Inputs
from embviz.text.refused import Refused
from embviz.ui.elements.ask import draw_part
from embviz.ui.elements.chart import chart
from embviz.ui.elements.theme import diverging_colours
from embviz.ui.elements.unknown import note_unknown
from embviz.ui.elements.widgets import fold, number, segments, switch
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
        switch("Places, a second `nn.Embedding`", "places", help=None)
        switch("Self-attention, untrained", "attention")
        segments(
            "Mask",
            "mask",
            disabled=not setting("attention"),
            format_func=lambda mask: f"{mask} mask",
            label_visibility="collapsed",
        )


def draw() -> None:
    """The letters below and above the stack; folded, how that comes about."""
    _switches()
    given = body.tried_inputs()
    draw_part(parts.CONTEXTUAL, STRIPS, given)
    note_unknown(given)
    fold("Who looks at whom?", _looks, given)
    fold("How is one vector computed?", _steps, given, of=["place"])


def _looks(given: Inputs | Refused) -> None:
    """The attention."""
    framed(lambda: needs_inputs(given, _attention))


def _attention(given: Inputs) -> None:
    text = ShownText(given)
    weights = stack_of(text, setting).trace(text.ids).attention
    if weights is None:
        st.info("Self-attention is off: no token looks at another.")
        return
    own = float(weights.diagonal().mean())
    title = f"Untrained attention: a token gives itself {own:.0%} of it, on average"
    # Of the colours: in a causal mask the first token looks at itself with all of its attention.
    others = float(weights.clone().fill_diagonal_(0).max())
    _heat(
        "context_looks",
        weights,
        rows=text.names,
        columns=text.names,
        title=title,
        axes=("looks", "is looked at"),
        most=others,
    )


def _steps(given: Inputs | Refused) -> None:
    """One token's vector, step by step, with the code."""
    place = partial(number, "Place of the token to follow", "place", width=190)
    framed(lambda: needs_inputs(given, _vector), above=place)


def _vector(given: Inputs) -> None:
    text = ShownText(given)
    stack, place = stack_of(text, setting), min(setting("place"), len(text.ids) - 1)
    steps = stack.trace(text.ids).steps
    vectors = torch.stack([step.vectors[place] for step in steps])
    columns = [*map(str, range(vectors.shape[1]))]
    title = f"{text.names[place]} at place {place}, from its row to what comes out"
    if len(steps) > 1:
        title += ", untrained"
    _heat(
        "context_steps",
        vectors,
        rows=[step.name for step in steps],
        columns=columns,
        title=title,
        axes=("", "dimension"),
    )
    st.code("\n".join(f"{step.code}  # {step.name}" for step in steps), language="python")
    if stack.is_cast:
        st.caption(f"The stack computes in float32, from rows of {text.given.table.dtype}.")


def _heat(key: str, values: torch.Tensor, **texts: Any) -> None:
    """Draw a heat map in the colours of the theme; `texts` as `heat_map` names them."""
    chart(heat_map(values.double().cpu().numpy(), diverging_colours(), **texts), key)
