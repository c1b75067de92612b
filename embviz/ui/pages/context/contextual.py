"""Places and a Transformer layer on top of the rows, one switch at a time."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
import torch

from embviz.context.equal import compare
from embviz.context.stack import Stack, Switches
from embviz.figures.heat_map import heat_map
from embviz.request.inputs import Inputs
from embviz.system.bounds import LAYER_DIM, OverLimitError
from embviz.text.refused import Refused
from embviz.ui.frame import body
from embviz.ui.frame.body import framed, needs_inputs
from embviz.ui.pages.context.text import Reader, ShownText, alike
from embviz.ui.parts.ask import Part
from embviz.ui.parts.chart import chart
from embviz.ui.parts.strips import STRIPS, Band, Letters, Strips
from embviz.ui.parts.theme import diverging_colours
from embviz.ui.parts.unknown import note_unknown
from embviz.ui.parts.widgets import fold, number, segments, switch
from embviz.ui.state.session import setting

CLAIM = "Equal letters have equal rows; places and attention on top can make them differ."
TRIES = (
    (
        "Neither places nor attention: the rows stay, and equal letters come out equal.",
        "context",
        {"places": False, "attention": False},
    ),
    (
        "Attention alone, with the mask `full`: all pairs stay the same.",
        "context",
        {"places": False, "attention": True, "mask": "full"},
    ),
)
_READS = ("places", "attention", "mask")


def _switches() -> None:
    """What stands on top of the rows."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        switch("Places, a second `nn.Embedding`", "places", help=None)
        switch("Self-attention", "attention")
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
    _PART.draw(given)
    note_unknown(given)
    fold("Who looks at whom?", _looks, given)
    fold("How is one vector computed?", _steps, given, of=["place"])


def _stack(text: ShownText, of: Reader) -> Stack:
    _check_layer(text.given, of)
    return Stack(text.layers, Switches(*map(of, _READS)), text.given.table.seed)


def _check_layer(given: Inputs, of: Reader) -> None:
    """Refuse rows so wide that a public server draws the layer's weights for too long.

    Raises:
        OverLimitError: with the columns that it takes.
    """
    dim, most = given.table.embedding_dim, LAYER_DIM.value()
    if dim <= most or not (of("places") or of("attention")):
        return
    fixes: dict[str, dict[str, Any]] = {"The rows alone": {"places": False, "attention": False}}
    if given.weights is None:
        fixes = {f"Use {most:,} columns": {"dim": most}} | fixes
    raise OverLimitError(
        f"A Transformer layer on rows of {dim:,} numbers has {12 * dim**2:,} weights; this server "
        f"draws one for rows of at most {most:,}.",
        fixes,
        "dim" if given.weights is None else "weights",
    )


def _shown(given: Inputs, of: Reader) -> Strips:
    text = ShownText(given)
    trace, ids = _stack(text, of).trace(text.ids), text.ids.tolist()
    found, told = compare(text.ids, trace), alike(ids, text.names, trace.tokens)
    for token, apart in found.apart.items():
        same = "is the same except for rounding" if apart else "is the same"
        end = f"differs by up to {apart:.3g}" if apart > found.rounding else same
        told[token][-1] += f" What comes out {end}."
    bands = [Band(one.term, one.vectors, one.term == "row") for one in trace.steps if one.term]
    bands.append(Band("comes out", trace.outputs))
    parts = ["places"] * of("places")
    parts += [f"attention ({of('mask')})"] * of("attention")
    said = [
        f"{text.cut}With {' and '.join(parts) or 'nothing added'}, ",
        f"{found.parted or found.pairs:,} of {found.pairs:,} pairs of equal {text.named} "
        f"{'part' if found.parted else 'stay the same'}",
        "." if found.same_rows else "; their rows differ.",
    ]
    if not found.pairs:
        said = [f"{text.cut}No two {text.named} are equal here: type one twice."]
    return Strips(
        Letters(text.names, ids, bands, said, told, named=text.named), lit=text.repeated()
    )


_PART = Part("context", _shown, _READS, STRIPS)


def _looks(given: Inputs | Refused) -> None:
    """The attention."""
    framed(lambda: needs_inputs(given, _attention))


def _attention(given: Inputs) -> None:
    text = ShownText(given)
    weights = _stack(text, setting).trace(text.ids).attention
    if weights is None:
        st.info("Self-attention is off: no token looks at another.")
        return
    own = float(weights.diagonal().mean())
    title = f"A token gives itself {own:.0%} of its attention, on average"
    # Of the colours: in a causal mask the first token looks at itself with all of its attention.
    others = float(weights.clone().fill_diagonal_(0).max())
    axes = "looks", "is looked at"
    _heat("context_looks", weights, text.names, text.names, title, axes, others)


def _steps(given: Inputs | Refused) -> None:
    """One token's vector, step by step, with the code."""
    place = partial(number, "Place of the token to follow", "place", width=190)
    framed(lambda: needs_inputs(given, _vector), above=place)


def _vector(given: Inputs) -> None:
    text = ShownText(given)
    stack, place = _stack(text, setting), min(setting("place"), len(text.ids) - 1)
    steps = stack.trace(text.ids).steps
    vectors = torch.stack([one.vectors[place] for one in steps])
    columns = [*map(str, range(vectors.shape[1]))]
    title = f"{text.names[place]} at place {place}, from its row to what comes out"
    names, axes = [one.name for one in steps], ("", "dimension")
    _heat("context_steps", vectors, names, columns, title, axes)
    st.code("\n".join(f"{one.code}  # {one.name}" for one in steps), language="python")
    if stack.is_cast:
        st.caption(f"The stack computes in float32, from rows of {text.given.table.dtype}.")


def _heat(key: str, values: torch.Tensor, *labels: Any) -> None:
    chart(heat_map(values.double().cpu().numpy(), diverging_colours(), *labels), key)
