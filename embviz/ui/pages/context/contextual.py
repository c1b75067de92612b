"""Positions, attention and a mask on top of the rows, one switch at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
import torch

from embviz.context.equal import Equal, compare
from embviz.context.stack import Stack, Switches, Trace
from embviz.figures.context import attention_grid, steps_grid
from embviz.figures.grid import Grid
from embviz.request.inputs import Inputs
from embviz.ui.pages.context.text import Text
from embviz.ui.parts.grid import draw_grids
from embviz.ui.parts.strips import Band, Letters, Strips, StripsPart
from embviz.ui.parts.widgets import number, opens, segments, switch
from embviz.ui.state.session import setting


def settings() -> None:
    """Switches of what stands on top of the rows."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        switch("Positions", "places")
        switch("Self-attention", "attention")
        segments("Mask", "mask", disabled=not setting("attention"))


def draw(given: Inputs) -> None:
    """The letters below and above the stack; folded, what else there is to ask."""
    _PART.draw(given)
    with st.container(gap="xsmall"):
        _folds(given)


def _folds(given: Inputs) -> None:
    for question, (key, answer) in _QUESTIONS.items():
        is_set = answer is _steps and opens("followed", "place")
        folded = st.expander(question, is_set, key=f"contextual_{key}", on_change="rerun")
        if folded.open:
            with folded:
                answer(Text(given))


def _stack(text: Text, of: Callable[[str], Any] = setting) -> Stack:
    switches = Switches(of("places"), of("attention"), of("mask"))
    return Stack(text.layers, switches, seed=text.config.seed)


def _shown(given: Inputs, of: Callable[[str], Any]) -> Strips:
    text = Text(given)
    stack = _stack(text, of)
    trace = stack.trace(text.ids)
    terms = [
        Band(step.term, step.vectors, shown=step is trace.steps[0])
        for step in trace.steps
        if step.term
    ]
    bands = [*terms, Band("comes out", trace.outputs)]
    alike = text.alike(text.ids, trace.tokens)
    found = compare(text.ids, trace)
    for token, apart in found.apart.items():
        differs = f"comes out different, by up to {apart:.3g}"
        same = "comes out the same" + ("" if apart == 0 else " except for rounding")
        alike[token] += f" It {differs if apart > found.rounding else same}."
    pair = text.pair()
    letters = Letters(
        text.labels(text.ids),
        text.ids.tolist(),
        bands,
        text.cut + _verdict(text, stack.switches, found),
        alike,
    )
    return Strips(letters, lit=None if pair is None else pair[0])


def _verdict(text: Text, switches: Switches, found: Equal) -> str:
    if not found.pairs:
        return f"No two {text.named} are equal here: type one twice, and see whether they part."
    told = "part" if found.parted else "stay the same"
    count = f"{found.parted or found.pairs:,} of {found.pairs:,} pairs of equal {text.named}"
    rows = "stay equal" if found.same_rows else "differ"
    return f"With {_described(switches)}, **{count} {told}**; their rows {rows}."


_PART = StripsPart("context", _shown, ("places", "attention", "mask"))


def _looks(text: Text) -> None:
    """The attention."""
    weights = _stack(text).trace(text.ids).attention
    if weights is None:
        st.info("Self-attention is off: no token looks at another.")
        return
    draw_grids([_attention(weights.cpu().double(), text.labels(text.ids))], "context_looks")


def _steps(text: Text) -> None:
    """One token's vector, step by step, with the code."""
    number("Place of the token to follow", "place", width=190)
    stack = _stack(text)
    trace = stack.trace(text.ids)
    draw_grids([_follow(text, trace, text.labels(text.ids), setting("place"))], "context_steps")
    code = (f"{step.code}  # {step.name}" for step in trace.steps)
    st.markdown("```python\n" + "\n".join(code) + "\n```")
    if stack.is_cast:
        st.caption(f"The stack computes in float32, from rows of {text.config.dtype}.")


def _described(switches: Switches) -> str:
    parts = ["positions"] * switches.places
    parts += [f"attention ({switches.mask})"] * switches.attention
    return " and ".join(parts) if parts else "nothing added"


def _attention(weights: torch.Tensor, labels: list[str]) -> Grid:
    others = weights.clone().fill_diagonal_(-1.0)  # every token attends to itself
    most, whom = divmod(int(others.argmax()), len(labels))
    title = "Who looks at whom: there is no other token to look at"
    if most != whom:
        source, target = (labels[place] for place in (most, whom))
        title = (
            f"Who looks at whom: the largest weight of another token: {source} ({most}) looks at "
            f"{target} ({whom}), {weights[most, whom]:.2f}"
        )
    return attention_grid(weights.numpy(), labels, title)


def _follow(text: Text, trace: Trace, labels: list[str], place: int) -> Grid:
    last = len(text.ids) - 1
    place = min(place, last)
    vectors = torch.stack([step.vectors[place].double().cpu() for step in trace.steps])
    names = [step.name for step in trace.steps]
    title = f"{labels[place]} at place {place}, from its row to what comes out"
    return steps_grid(vectors.numpy(), names, title)


_QUESTIONS = {
    "Who looks at whom?": ("looks", _looks),
    "How is one vector computed?": ("steps", _steps),
}
