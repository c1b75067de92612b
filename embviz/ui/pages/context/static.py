"""Equal tokens have equal rows wherever they stand: letters move with their strips to prove it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
import torch

from embviz.context.static import Proof, edited, shuffled
from embviz.core.config import MAX_SEED
from embviz.request.inputs import Inputs
from embviz.request.settings import SETTINGS
from embviz.ui.pages.context.text import Text
from embviz.ui.parts.grid import draw_grids
from embviz.ui.parts.strips import Band, Letters, Moved, Strips, StripsPart
from embviz.ui.parts.widgets import PAUSE, number, opens, segments, text_line
from embviz.ui.state.session import go, setting, widget_value

_KEY = "static"
_CELL = (
    "Each cell is the cosine of two rows, which says how alike they point: 1 is the same "
    "direction, 0 none in common, -1 the opposite."
)


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


def draw(given: Inputs) -> None:
    """The letters, and folded all pairs of them compared."""
    _PART.draw(given, _shuffle)
    if setting("then") == "edit" and not setting("edit").strip():
        st.info("The other text is empty: there is nothing to compare.")
    folded = st.expander("How alike are any two rows?", key="static_pairs", on_change="rerun")
    if not folded.open:
        return
    text = Text(given)
    proof = _proof(text, setting)
    name = "Shuffled" if setting("then") == "shuffle" else "The other text"
    shown = [(text.ids, proof.before, "Your text"), (proof.after_ids, proof.after, name)]
    with folded:
        draw_grids(
            [text.similarity(rows, ids, whose) for ids, rows, whose in shown if len(ids)],
            "static_grids",
        )
        st.caption(_CELL)


def _shuffle() -> None:
    """The order that a press asked for, by its seed."""
    seed = widget_value(_KEY, {}).get("shuffle")
    if type(seed) is int and 0 <= seed <= MAX_SEED:  # a forged message may hold anything
        go({"shuffle": seed})


def _proof(text: Text, of: Callable[[str], Any]) -> Proof:
    if of("then") == "shuffle":
        return shuffled(text.layers, text.ids, of("shuffle"))
    return edited(text.layers, text.ids, text.encode(of("edit")))


def _shown(given: Inputs, of: Callable[[str], Any]) -> Strips:
    text = Text(given)
    proof = _proof(text, of)
    rows = len(set(text.ids.tolist()))
    count = len(text.ids)
    said = f"{text.cut}{count:,} {text.named}, {rows:,} rows"
    said += f": equal {text.named} share one." if rows < count else "."
    return Strips(_letters(text, text.ids, proof.before, said), _moved(text, proof, of))


def _moved(text: Text, proof: Proof, of: Callable[[str], Any]) -> Moved:
    changed = "each strip is bit for bit what it was" if proof.same_bits else "some strips changed"
    routes = (
        f"max |difference| {proof.lookup.max_abs_error:.3g} by lookup, "
        f"{proof.matmul.max_abs_error:.3g} by one-hot × Linear"
    )
    before = {now: was for was, now in proof.kept}
    origin = [before.get(place, -1) for place in range(len(proof.after_ids))]
    if of("then") == "shuffle":
        said = f"{text.cut}{proof.moved:,} of {len(origin):,} moved, **{changed}**: {routes}."
        letters, seed = _letters(text, proof.after_ids, proof.after, said), of("shuffle")
        is_open = seed != SETTINGS["shuffle"].default
        return Moved(letters, origin, "Shuffle", "Back", seed, MAX_SEED, is_open=is_open)
    if not proof.kept:
        changed = "no strip to compare"
    said = (
        f"{text.cut}The other text keeps {len(proof.kept):,} {text.named}, {proof.moved:,} moved, "
        f"**{changed}**: {routes}."
    )
    letters = _letters(text, proof.after_ids, proof.after, said)
    return Moved(letters, origin, "To the other text", "Back", is_open=True)


def _letters(text: Text, ids: torch.Tensor, rows: torch.Tensor, said: str) -> Letters:
    return Letters(text.labels(ids), ids.tolist(), [Band("row", rows)], said, text.alike(ids, rows))


_PART = StripsPart(_KEY, _shown, ("then", "shuffle", "edit"))
