"""Equal tokens have equal rows wherever they stand: letters move with their strips to prove it."""

from __future__ import annotations

import streamlit as st
import torch

from embviz.context.static import edited, shuffled
from embviz.fact.table import MAX_SEED
from embviz.request.inputs import Inputs, another_text
from embviz.request.settings import SETTINGS
from embviz.text.refused import Refused
from embviz.ui.frame import body
from embviz.ui.pages.context.text import SHOWN, Reader, ShownText, alike
from embviz.ui.parts.ask import Part
from embviz.ui.parts.links import typed
from embviz.ui.parts.strips import STRIPS, Band, Letters, Moved, Said, Strips
from embviz.ui.parts.unknown import note_unknown
from embviz.ui.parts.widgets import PAUSE, opens, text_line
from embviz.ui.state.session import go, setting, widget_value

CLAIM = "A letter takes its row with it: a row never depends on its neighbours."
TRIES = (
    (
        "*bank bank*: both times the same rows, whatever stands around them.",
        "context",
        typed("bank bank"),
    ),
    (
        "A changed letter, *bark bank*: all other rows stay as they are.",
        "context",
        typed("bank bank", edit="bark bank"),
    ),
)
_KEY = "static"


def draw() -> None:
    """The letters, which a press moves."""
    given = body.tried_inputs()
    _PART.draw(given, on_shuffle_change=_shuffle)
    note_unknown(_noted(given))
    _choose()


def _noted(given: Inputs | Refused) -> Inputs | Refused:
    """The inputs with what either text lacks."""
    if isinstance(given, Refused) or not setting("edit"):
        return given
    try:
        return another_text(given, setting("edit"), "edit")[0]
    except Refused as refused:  # the picture says it
        return refused


def _choose() -> None:
    """The other text, folded unless the address has one."""
    with st.expander("Compare with another text", opens("other text", "edit")):
        text_line("Another text", "edit", live=PAUSE, help=None)


def _shuffle() -> None:
    """The order that a press asked for, by its seed."""
    seed = widget_value(_KEY, {}).get("shuffle")
    if type(seed) is int and 0 <= seed <= MAX_SEED:  # a forged message may hold anything
        go({"shuffle": seed})


def _shown(given: Inputs, of: Reader) -> Strips:
    seed, other = of("shuffle"), None
    if of("edit"):
        given, other = another_text(given, of("edit"), "edit")
        seed = None
    text = ShownText(given)
    if other is not None:
        proof = edited(text.layers, text.ids, other.flatten()[:SHOWN])
    else:
        proof = shuffled(text.layers, text.ids, seed)

    def letters(ids: torch.Tensor, rows: torch.Tensor, said: Said) -> Letters:
        names = text.labels(ids)
        told = alike(ids.tolist(), names, rows)
        return Letters(names, ids.tolist(), [Band("row", rows)], said, told, named=text.named)

    count, rows = len(text.ids), len(set(text.ids.tolist()))
    shared = f": equal {text.named} share one." if rows < count else "."
    changed = "each strip is bit for bit what it was" if proof.same_bits else "some strips changed"
    moved = [
        f"{text.cut}{proof.moved:,} of {len(proof.kept):,} {text.named} moved, ",
        changed if proof.kept else "no strip to compare",
        f": max |difference| {proof.lookup.max_abs_error:.3g} by lookup, "
        f"{proof.matmul.max_abs_error:.3g} by one-hot × Linear.",
    ]
    before = {now: was for was, now in proof.kept}
    then = Moved(
        letters(proof.after_ids, proof.after, moved),
        origin=[before.get(place, -1) for place in range(len(proof.after_ids))],
        go="To the other text" if seed is None else f"Shuffle the {text.named} below",
        seed=seed,
        open=seed != SETTINGS["shuffle"].default,
    )
    said = [f"{text.cut}{count:,} {text.named}, {rows:,} rows{shared}"]
    return Strips(letters(text.ids, proof.before, said), then)


_PART = Part(_KEY, _shown, ("shuffle", "edit"), STRIPS)
