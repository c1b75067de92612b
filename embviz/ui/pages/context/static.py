"""Equal tokens have equal rows wherever they stand: letters move with their strips to prove it."""

from __future__ import annotations

import streamlit as st
import torch

from embviz.context.static import Proof, edited, shuffled
from embviz.core.config import MAX_SEED
from embviz.request.inputs import Inputs
from embviz.request.settings import SETTINGS
from embviz.ui.pages.context.text import Reader, Text
from embviz.ui.parts.ask import Part
from embviz.ui.parts.strips import STRIPS, Band, Letters, Moved, Said, Strips
from embviz.ui.parts.widgets import PAUSE, number, opens, segments, text_line
from embviz.ui.state.session import go, setting, widget_value

_KEY = "static"


def draw(given: Inputs) -> None:
    """The letters, which a press moves."""
    _PART.draw(given, on_shuffle_change=_shuffle)


def more() -> None:
    """Widgets of what is done to the text, folded unless the address sets one."""
    is_set = opens("static_more", "then", "edit")
    with st.expander("Another order, or another text", expanded=is_set):
        left, right = st.columns([1, 3], gap="medium", vertical_alignment="bottom")
        with left:
            segments("Then", "then")
        with right:
            if setting("then") == "shuffle":
                number("Seed of the order", "shuffle", width=200)
            else:
                text_line("Another text", "edit", live=PAUSE, help=None)


def _shuffle() -> None:
    """The order that a press asked for, by its seed."""
    seed = widget_value(_KEY, {}).get("shuffle")
    if type(seed) is int and 0 <= seed <= MAX_SEED:  # a forged message may hold anything
        go({"shuffle": seed})


def _shown(given: Inputs, of: Reader) -> Strips:
    text = Text(given)
    seed = of("shuffle") if of("then") == "shuffle" else None
    if seed is None:
        proof = edited(text.layers, text.ids, text.encode(of("edit")))
    else:
        proof = shuffled(text.layers, text.ids, seed)
    count, rows = len(text.ids), len(set(text.ids.tolist()))
    told = f": equal {text.named} share one." if rows < count else "."
    said = [f"{text.cut}{count:,} {text.named}, {rows:,} rows{told}"]
    before = {now: was for was, now in proof.kept}
    then = Moved(
        _letters(text, proof.after_ids, proof.after, _verdict(text, proof)),
        origin=[before.get(place, -1) for place in range(len(proof.after_ids))],
        go="To the other text" if seed is None else "Shuffle",
        seed=seed,
        open=seed != SETTINGS["shuffle"].default,
    )
    return Strips(_letters(text, text.ids, proof.before, said), then)


def _verdict(text: Text, proof: Proof) -> Said:
    changed = "each strip is bit for bit what it was" if proof.same_bits else "some strips changed"
    return [
        f"{text.cut}{proof.moved:,} of {len(proof.kept):,} {text.named} moved, ",
        changed if proof.kept else "no strip to compare",
        f": max |difference| {proof.lookup.max_abs_error:.3g} by lookup, "
        f"{proof.matmul.max_abs_error:.3g} by one-hot × Linear.",
    ]


def _letters(text: Text, ids: torch.Tensor, rows: torch.Tensor, said: Said) -> Letters:
    return Letters(text.labels(ids), ids.tolist(), [Band("row", rows)], said, text.alike(ids, rows))


_PART = Part(_KEY, _shown, ("then", "shuffle", "edit"), STRIPS)
