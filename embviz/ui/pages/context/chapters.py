"""Static against contextual on the page: rows that know no neighbours, and what changes that.

The text and the table are the playground's. At most `SHOWN` characters are
compared, for every one is compared with every other.
"""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st
import torch

from embviz.context import proofs
from embviz.context.similarity import cosine
from embviz.context.stack import Stack, Switches, Trace, cost
from embviz.context.static import EditProof, ShuffleProof, edited, pair, shuffled
from embviz.core.ids import parse_ids
from embviz.figures.context import attention_figure, similarity_figure, steps_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.ui.parts.chart import chart
from embviz.ui.parts.theme import chart_colours, diverging_colours, page_colour
from embviz.ui.parts.widgets import number, segments, switch, text_line
from embviz.ui.state.session import setting
from embviz.ui.state.tables import layers_of

SHOWN = 64  # characters
MAX_HEADS = 4  # drawn


class Text:
    """The user's text as this page needs it: cut, with labels, and its table.

    Raises:
        ValueError: there is nothing to compare.
    """

    def __init__(self, given: Inputs) -> None:
        assert given.config is not None
        assert given.ids is not None
        self.given, self.config = given, given.config
        self.length = given.ids.numel()
        self.ids = given.ids.flatten()[:SHOWN]
        if not len(self.ids):
            raise ValueError("There is nothing to compare: type a character or more.")
        self.layers = layers_of(given)

    def encode(self, typed: str) -> torch.Tensor:
        """Another text, or other ids, cut likewise.

        Raises:
            ValueError: it does not fit the vocabulary or the table.
        """
        if self.given.vocabulary is None:
            return parse_ids(typed, self.config.num_embeddings).flatten()[:SHOWN]
        return torch.tensor(self.given.vocabulary.encode(typed[:SHOWN]), dtype=torch.int64)[:SHOWN]

    def label(self, token: int) -> str:
        """A character made visible, or the id where there are only ids."""
        words = self.given.vocabulary
        return str(token) if words is None else words.label(token)

    def labels(self, ids: torch.Tensor) -> list[str]:
        """What stands at each place."""
        return [self.label(token) for token in ids.tolist()]

    def pair(self) -> tuple[int, int] | None:
        """Two places of one character; of a letter, if one comes twice."""
        distinct = sorted(set(self.ids.tolist()))
        return pair(self.ids, [token for token in distinct if self.label(token).isalnum()])

    def say_cut(self) -> None:
        """Tell that not all of the text is compared."""
        if self.length > SHOWN:
            st.caption(f"The first {SHOWN} of {self.length:,} tokens are compared.")


def static(text: Text) -> None:
    """Equal characters have equal rows, wherever they stand: shuffled and edited to prove it."""
    text.say_cut()
    shuffle = setting("then") == "shuffle"
    left, right = st.columns([1, 3], gap="medium", vertical_alignment="bottom")
    with left:
        segments("Then", "then", help="What is done to the text before it is embedded again.")
    with right:
        if shuffle:
            with st.container(width=200):
                number("Seed of the order", "shuffle", "Another number, another order.")
        else:
            text_line("Another text", "edit", "…", label_visibility="visible")
    done: ShuffleProof | EditProof
    if shuffle:
        done = shuffled(text.layers, text.ids, setting("shuffle"))
        after, kept, words = done.shuffled_ids, len(text.ids), "Shuffled"
    else:
        after, words = text.encode(setting("edit")), "The other text"
        done = edited(text.layers, text.ids, after)
        kept = len(done.kept)
    changed = max(done.max_abs_difference, done.max_abs_difference_matmul)
    rows = f"{kept:,} row{'' if kept == 1 else 's'}"
    st.markdown(
        f"{rows}{'' if shuffle else ' in both texts'}, **{done.moved:,} moved**, "
        f"**{'none changed' if changed == 0 else 'some changed'}**: max |difference| "
        f"{done.max_abs_difference:.3g} by lookup, {done.max_abs_difference_matmul:.3g} by one-hot "
        "× Linear."
    )
    left, right = st.columns(2, gap="small")
    with left:
        _alike(text, text.ids, "Your text", "static_before")
    with right:
        _alike(text, after, words, "static_after")
    st.caption(
        "Each cell is the cosine of two rows, which says how alike they point: 1 is the same "
        "direction, 0 none in common, -1 the opposite."
    )


def _alike(text: Text, ids: torch.Tensor, name: str, key: str) -> None:
    if not len(ids):
        st.info("This text is empty: there is nothing to compare.")
        return
    _similar(text.layers.lookup(ids), ids, text.labels(ids), name, key)


def _similar(
    vectors: torch.Tensor, ids: torch.Tensor, labels: list[str], name: str, key: str
) -> None:
    """Every two vectors compared; the title says how alike those of equal tokens are."""
    alike = cosine(vectors).cpu()
    equal = (ids[:, None] == ids[None, :]).cpu().triu(1)
    pairs = alike[equal]
    words = "no token comes twice"
    if len(pairs):
        low, high = f"{float(pairs.min()):.4f}", f"{float(pairs.max()):.4f}"
        words = f"{len(pairs):,} pairs of equal tokens, cosine "
        words += low if low == high else f"{low} to {high}"
    chart(
        similarity_figure(alike.numpy(), labels, f"{name}: {words}", diverging_colours()), key=key
    )


def contextual(text: Text) -> None:
    """Positions, attention and a mask, one switch at a time."""
    text.say_cut()
    switches = _switches()
    stack = Stack(text.layers, switches, seed=text.config.seed)
    trace = stack.trace(text.ids)
    labels = text.labels(text.ids)
    left, right = st.columns(2, gap="small")
    for place, vectors, name, key in (
        (left, trace.tokens, "Rows of the table", "context_before"),
        (right, trace.outputs, f"After {_described(switches)}", "context_after"),
    ):
        with place:
            _similar(vectors, text.ids, labels, name, key)
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
            help="Each token's vector is mixed with those it looks at.",
        )
        looking = setting("attention")
        segments(
            "Mask",
            "mask",
            disabled=not looking,
            help="Whom a token may look at. `full`: "
            "all of them. `causal`: itself and those before it.",
        )
        with st.container(width=110):
            number("Heads", "heads", "In how many parts of the vector it looks separately.")
    return Switches(setting("places"), looking, setting("mask"), setting("heads"))


def _described(switches: Switches) -> str:
    parts = ["positions"] * switches.positions
    parts += [f"attention ({switches.mask})"] * switches.attention
    return " and ".join(parts) if parts else "nothing is added"


def _two_places(text: Text, stack: Stack, trace: Trace) -> None:
    places = text.pair()
    if places is None:
        st.info("No token comes twice here: type a letter twice, and see its two vectors part.")
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
    return "the same but for rounding" if difference <= rounding else "not the same"


def _order(text: Text, stack: Stack) -> None:
    switches = stack.switches
    rows = proofs.permutation_table(text.layers, text.ids, text.config.seed, switches.heads)
    frame = pd.DataFrame(
        {
            "": ["▶" if row.switches == switches else "" for row in rows],
            "on top of the rows": [row.label for row in rows],
            "max |difference|": [f"{row.error:.2g}" for row in rows],
            "sees order": ["yes" if row.sees_order else "no" for row in rows],
        }
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.table(frame, hide_index=True)
    with right:
        st.markdown(
            "The text is shuffled, and what comes out is compared with what came out before, "
            "shuffled likewise. If that is the same but for rounding, order was not seen."
        )
        if text.ids.unique().numel() < 2:  # type: ignore[no-untyped-call]
            st.markdown(
                "All tokens are the same here, so that without positions there is nothing "
                "to see: type different characters."
            )
        elif not rows[1].sees_order and rows[2].sees_order:
            st.markdown(
                "With a full mask and no positions it was not. A causal mask alone lets it "
                "be seen, for each token then has others before it."
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
    for head, own in enumerate(weights[:MAX_HEADS]):
        name = f"Head {head}: " if len(weights) > 1 else ""
        others = own.clone().fill_diagonal_(-1.0)  # that a token looks at itself is no news
        most, whom = divmod(int(others.argmax()), own.shape[1])
        title = f"{name}there is nobody else to look at"
        if most != whom:
            asks, asked = (escape(labels[place], quote=False) for place in (most, whom))
            title = (
                f"{name}the strongest look at another: {asks} ({most}) at {asked} ({whom}), "
                f"{own[most, whom]:.2f}"
            )
        chart(
            attention_figure(own.numpy(), labels, title, (page_colour(), chart_colours()[0])),
            key=f"attention_{head}",
        )
    if len(weights) > MAX_HEADS:
        st.caption(f"{MAX_HEADS} of {len(weights)} heads are drawn.")


def _follow(text: Text, trace: Trace, labels: list[str]) -> None:
    last = len(text.ids) - 1
    with st.container(width=160):
        number("Place of the token", "place", f"0 to {last} here.")
    place = min(setting("place"), last)
    vectors = torch.stack([step.vectors[place].double().cpu() for step in trace.steps])
    names = [step.name for step in trace.steps]
    name = escape(labels[place], quote=False)
    title = f"{name} at place {place}, from its row to what comes out"
    chart(steps_figure(vectors.numpy(), names, title, diverging_colours()), key="follow")
    st.code(
        "\n".join(f"{step.code}  # {step.name}" for step in trace.steps),
        language="python",
        wrap_lines=True,
    )


def _costs(text: Text, switches: Switches) -> None:
    config = text.config
    parts = cost(switches, config.embedding_dim, len(text.ids), config.num_embeddings)
    frame = pd.DataFrame(
        {
            "part": [one.part for one in parts],
            "parameters": [f"{one.parameters:,}" for one in parts],
            "multiplications": [f"{one.multiplications:,}" for one in parts],
            "in words": [one.words for one in parts],
        }
    )
    st.table(frame, hide_index=True)
