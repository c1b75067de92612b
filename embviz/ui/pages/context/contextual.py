"""Positions, attention and a mask on top of the rows, one switch at a time."""

from __future__ import annotations

import pandas as pd
import streamlit as st
import torch

from embviz.context import proofs
from embviz.context.stack import Stack, Switches, Trace, cost
from embviz.figures.context import attention_grid, steps_grid
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.ui.pages.context.text import Text
from embviz.ui.parts.grid import draw_grids
from embviz.ui.parts.widgets import number, segments, switch
from embviz.ui.state.session import setting

MAX_HEADS = 4  # drawn


def draw(given: Inputs) -> None:
    """The output of the stack for the text, and the cost of each part."""
    text = Text(given)
    switches = _switches()
    stack = Stack(text.layers, switches, seed=text.config.seed)
    trace = stack.trace(text.ids)
    labels = text.labels(text.ids)
    pair = (
        (trace.tokens, "Rows of the table"),
        (trace.outputs, f"After {_described(switches)}"),
    )
    draw_grids([text.similarity(vectors, text.ids, name) for vectors, name in pair], "context")
    _two_places(text, stack, trace)
    st.markdown("###### Does it see order?")
    _order(text, stack)
    places = st.columns(2, gap="medium") if trace.attention is not None else [st.container()]
    if trace.attention is not None:
        with places[0]:
            st.markdown("###### Who looks at whom")
            _attention(trace, labels)
    with places[-1]:
        st.markdown("###### Follow one token")
        _follow(text, trace, labels)
    st.markdown("###### What it costs")
    _costs(text, switches)
    if stack.is_cast:
        st.caption(f"The stack computes in float32, from rows of {text.config.dtype}.")


def _switches() -> Switches:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        switch(
            "Positions",
            "places",
            help="Another `nn.Embedding`, looked up by place, is added.",
        )
        switch(
            "Self-attention",
            "attention",
            help="Each token's vector is mixed with the vectors that it attends to.",
        )
        has_attention = setting("attention")
        segments(
            "Mask",
            "mask",
            disabled=not has_attention,
            help="Which tokens a token may attend to. `full`: "
            "all of them. `causal`: itself and those before it.",
        )
        with st.container(width=110):
            number("Heads", "heads", "Parts of the vector, each with an attention of its own.")
    return Switches(setting("places"), has_attention, setting("mask"), setting("heads"))


def _described(switches: Switches) -> str:
    parts = ["positions"] * switches.positions
    parts += [f"attention ({switches.mask})"] * switches.attention
    return " and ".join(parts) if parts else "nothing is added"


def _two_places(text: Text, stack: Stack, trace: Trace) -> None:
    places = text.pair()
    if places is None:
        st.info("No token comes twice here: type a letter twice, and see its two vectors differ.")
        return
    found = proofs.same_character(stack, text.ids, *places)
    name = literal(text.label(int(text.ids[places[0]])))
    rounding = proofs.ORDER_TOLERANCE[stack.dtype] * float(trace.outputs.abs().max())
    before, after = found.static_max_abs_difference, found.contextual_max_abs_difference
    st.markdown(
        f"**{name} at places {places[0]} and {places[1]}**: the rows of the table are "
        f"{_same(before, rounding)} (cosine {found.static_cosine:.4f}, max |difference| "
        f"{before:.3g}); what comes out is {_same(after, rounding)} (cosine "
        f"{found.contextual_cosine:.4f}, max |difference| {after:.3g})."
    )


def _same(difference: float, rounding: float) -> str:
    if difference == 0:
        return "the same"
    return "the same except for rounding" if difference <= rounding else "not the same"


def _order(text: Text, stack: Stack) -> None:
    switches = stack.switches
    rows = proofs.permutation_table(text.layers, text.ids, text.config.seed, switches.heads)
    frame = pd.DataFrame(
        [
            {
                "": "▶" if row.switches == switches else "",
                "on top of the rows": row.label,
                "max |difference|": f"{row.error:.2g}",
                "sees order": "yes" if row.sees_order else "no",
            }
            for row in rows
        ]
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.table(frame, hide_index=True)
    with right:
        st.markdown(
            "The text is shuffled. The new output is compared with the old output in the same "
            "order. If they are the same except for rounding, the stack does not see order."
        )
        if text.ids.unique().numel() < 2:  # type: ignore[no-untyped-call]
            st.markdown(
                "All tokens are the same here, so a shuffle changes nothing: type different "
                "characters."
            )
        elif not rows[1].sees_order and rows[2].sees_order:
            st.markdown(
                "With a full mask and no positions order is not seen. A causal mask alone makes it "
                "visible, because each token then has other tokens before it."
            )
        if len(text.ids) > 1 and switches.attention:
            _edit_last(text, stack)


def _edit_last(text: Text, stack: Stack) -> None:
    last = len(text.ids) - 1
    new = (int(text.ids[last]) + 1) % text.config.num_embeddings
    moved = proofs.later_edit(stack, text.ids, last, new)[:last]
    changed = int((moved > 0).sum())
    st.markdown(
        f"Change the last token: {changed:,} of the {last:,} vectors before it change "
        f"(max |difference| {float(moved.max()):.2g})."
    )


def _attention(trace: Trace, labels: list[str]) -> None:
    assert trace.attention is not None
    weights = trace.attention.cpu().double()
    grids = []
    for head, own in enumerate(weights[:MAX_HEADS]):
        name = f"Head {head}: " if len(weights) > 1 else ""
        others = own.clone().fill_diagonal_(-1.0)  # every token attends to itself
        most, whom = divmod(int(others.argmax()), own.shape[1])
        title = f"{name}there is no other token to look at"
        if most != whom:
            source, target = (labels[place] for place in (most, whom))
            title = (
                f"{name}the largest weight of another token: {source} ({most}) looks at {target} "
                f"({whom}), {own[most, whom]:.2f}"
            )
        grids.append(attention_grid(own.numpy(), labels, title))
    draw_grids(grids, "attention_heads")
    if len(weights) > MAX_HEADS:
        st.caption(f"{MAX_HEADS} of {len(weights)} heads are drawn.")


def _follow(text: Text, trace: Trace, labels: list[str]) -> None:
    last = len(text.ids) - 1
    with st.container(width=160):
        number("Place of the token", "place", f"0 to {last} here.")
    place = min(setting("place"), last)
    vectors = torch.stack([step.vectors[place].double().cpu() for step in trace.steps])
    names = [step.name for step in trace.steps]
    title = f"{labels[place]} at place {place}, from its row to what comes out"
    draw_grids([steps_grid(vectors.numpy(), names, title)], "follow")
    st.code(
        "\n".join(f"{step.code}  # {step.name}" for step in trace.steps),
        language="python",
        wrap_lines=True,
    )


def _costs(text: Text, switches: Switches) -> None:
    config = text.config
    parts = cost(switches, config.embedding_dim, len(text.ids), config.num_embeddings)
    frame = pd.DataFrame(
        [
            {
                "part": one.part,
                "parameters": f"{one.parameters:,}",
                "multiplications": f"{one.multiplications:,}",
                "in words": one.words,
            }
            for one in parts
        ]
    )
    st.table(frame, hide_index=True)
