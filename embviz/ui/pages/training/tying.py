"""Weight tying: a step on a shared weight beside one on a weight of its own, and what is shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from embviz.request.inputs import Inputs
from embviz.server.tables import layers_of
from embviz.training import tying
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.walk import STEPS, Pair, tied_and_apart
from embviz.ui.pages.training.loss import short_label
from embviz.ui.parts import walk
from embviz.ui.parts.facts import show_facts
from embviz.ui.parts.grid import Part

MAX_KEPT = 600_000  # numbers of all tables of a walk


def draw(given: Inputs) -> None:
    """Both weights step by step; folded, the facts."""
    assert given.ids is not None
    table = layers_of(given).embedding.weight.detach()
    facts = tying.facts(table, given.ids)  # refuses what cannot be tied, before anything is drawn
    _TIED.draw(given)
    with st.expander("Which lines tie, and which share by accident?"):
        show_facts(facts)


def _walked(given: Inputs, of: Callable[[str], Any]) -> walk.ShownWalk:
    assert given.ids is not None
    table = layers_of(given).embedding.weight.detach()
    steps = max(1, min(STEPS, MAX_KEPT // table.numel()))
    pair = tied_and_apart(table, given.ids, OPTIMIZERS["sgd"].usual_lr, steps)
    said = [_stands(pair, step) for step in range(1, steps + 1)]
    pair = pair.around(walk.AROUND)
    return walk.ShownWalk(
        pair,
        ("Tied: head.weight is embedding.weight", "Not tied: a head of its own"),
        ("row", "row"),
        [short_label(given, row) for row in pair.rows.tolist()],
        [],
        0,
        said,
        are_routes=False,
    )


def _stands(pair: Pair, step: int) -> str:
    """The verdict after so many steps: how many rows have a gradient."""
    walks = pair.first, pair.second
    tied, apart = (int((one.largest_gradients(step) > 0).sum()) for one in walks)
    why = ", because the head scores every row" if tied > apart else ""
    return (
        f"Tied, {tied:,} of {pair.num_embeddings:,} rows have a gradient{why}. Not tied, {apart:,}."
    )


_TIED = Part("tied", _walked, (), walk.COMPONENT)
