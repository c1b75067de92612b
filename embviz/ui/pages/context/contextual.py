"""Places and a Transformer layer on top of the rows, one switch at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from embviz.context.equal import Equal, compare
from embviz.context.stack import Stack, Switches
from embviz.figures.heat_map import heat_map
from embviz.request.inputs import Inputs
from embviz.ui.pages.context.text import Reader, Text
from embviz.ui.parts.ask import Part
from embviz.ui.parts.chart import chart
from embviz.ui.parts.strips import STRIPS, Band, Letters, Strips
from embviz.ui.parts.theme import diverging_colours
from embviz.ui.parts.widgets import number, opens, segments, switch
from embviz.ui.state.session import setting

_READS = ("places", "attention", "mask")


def settings() -> None:
    """Switches of what stands on top of the rows."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        switch("Places, a second `nn.Embedding`", "places", help=None)
        switch("Self-attention", "attention")
        segments("Mask", "mask", disabled=not setting("attention"))


def draw(given: Inputs) -> None:
    """The letters below and above the stack; folded, how that comes about."""
    _PART.draw(given)
    with st.container(gap="xsmall"):
        _fold("Who looks at whom?", "looks", _looks, given)
        _fold("How is one vector computed?", "steps", _steps, given)


def _fold(question: str, key: str, answer: Callable[[Text], None], given: Inputs) -> None:
    is_set = key == "steps" and opens("followed", "place")
    folded = st.expander(question, is_set, key=f"contextual_{key}", on_change="rerun")
    if folded.open:
        with folded:
            answer(Text(given))


def _stack(text: Text, of: Reader) -> Stack:
    return Stack(text.layers, Switches(*map(of, _READS)), text.given.config.seed)


def _shown(given: Inputs, of: Reader) -> Strips:
    text = Text(given)
    stack = _stack(text, of)
    trace = stack.trace(text.ids)
    bands = [Band(one.term, one.vectors, one.term == "row") for one in trace.steps if one.term]
    bands.append(Band("comes out", trace.outputs))
    found, alike = compare(text.ids, trace), text.alike(text.ids, trace.tokens)
    for token, apart in found.apart.items():
        if apart > found.rounding:
            told = f" What comes out differs by up to {apart:.3g}."
        else:
            told = " What comes out is the same" + (" except for rounding." if apart else ".")
        alike[token][-1] += told
    said = _verdict(text, stack.switches, found)
    return Strips(
        Letters(text.labels(text.ids), text.ids.tolist(), bands, said, alike), lit=text.repeated()
    )


def _verdict(text: Text, switches: Switches, found: Equal) -> list[str]:
    if not found.pairs:
        return [f"{text.cut}No two {text.named} are equal here: type one twice."]
    parts = ["places"] * switches.places
    parts += [f"attention ({switches.mask})"] * switches.attention
    told = "part" if found.parted else "stay the same"
    return [
        f"{text.cut}With {' and '.join(parts) or 'nothing added'}, ",
        f"{found.parted or found.pairs:,} of {found.pairs:,} pairs of equal {text.named} {told}",
        "." if found.same_rows else "; their rows differ.",
    ]


_PART = Part("context", _shown, _READS, STRIPS)


def _looks(text: Text) -> None:
    """The attention."""
    weights = _stack(text, setting).trace(text.ids).attention
    if weights is None:
        st.info("Self-attention is off: no token looks at another.")
        return
    labels, own = text.labels(text.ids), float(weights.diagonal().mean())
    title = f"Each token looks at itself with {own:.0%} of its attention, on average"
    axes = ("looks", "is looked at")
    # Of the colours: in a causal mask the first token looks at itself with all of its attention.
    others = float(weights.clone().fill_diagonal_(0).max())
    figure = heat_map(_numbers(weights), labels, labels, title, diverging_colours(), axes, others)
    chart(figure, key="context_looks")


def _steps(text: Text) -> None:
    """One token's vector, step by step, with the code."""
    number("Place of the token to follow", "place", width=190)
    stack = _stack(text, setting)
    steps = stack.trace(text.ids).steps
    place = min(setting("place"), len(text.ids) - 1)
    vectors = _numbers(torch.stack([one.vectors[place] for one in steps]))
    columns = [*map(str, range(vectors.shape[1]))]
    title = f"{text.label(int(text.ids[place]))} at place {place}, from its row to what comes out"
    names = [one.name for one in steps]
    axes = ("", "dimension")
    chart(heat_map(vectors, names, columns, title, diverging_colours(), axes), key="context_steps")
    code = "\n".join(f"{one.code}  # {one.name}" for one in steps)
    st.code(code, language="python")
    if stack.is_cast:
        st.caption(f"The stack computes in float32, from rows of {text.given.config.dtype}.")


def _numbers(values: torch.Tensor) -> NDArray[np.float64]:
    return values.double().cpu().numpy()
