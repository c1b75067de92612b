"""Rows nobody looks up: three rows under several optimizers, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
import torch

from embviz.request.inputs import Inputs
from embviz.request.training import weight_of
from embviz.server.scheduler import run_queue
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.walk import EARLY, Walk, watch_rows
from embviz.ui.pages.training.one_step import short_label
from embviz.ui.parts.ask import told
from embviz.ui.parts.walk import COMPONENT, ShownWalk, Strip
from embviz.ui.state.session import cached

FIRST = ("sgd", "momentum", "weight_decay")
PAUSE_MS = 120
MAX_NUMBERS = 200_000  # V x D, which several optimizers train at once
ROLES = ("looked up in every step", f"looked up in the first {EARLY}", "never looked up")


def draw(given: Inputs) -> None:
    """Three optimizers; the others are one press away."""
    _draw(given, FIRST, "first")
    rest = tuple(name for name in OPTIMIZERS if name not in FIRST)
    more = st.expander(f"{len(rest)} more optimizers", key="more_rules", on_change="rerun")
    if more.open:
        with more:
            _draw(given, rest, "more")


def _draw(given: Inputs, names: Sequence[str], slot: str) -> None:
    table = None if given.table is None else given.table.numpy().tobytes()
    made_of = given.config, given.ids.numpy().tobytes(), table
    with run_queue.released():
        packed = cached(f"unseen_{slot}", made_of, lambda: shown(given, names).packed("unseen"))
    COMPONENT(key=f"unseen_{slot}", data=told(packed))


def shown(given: Inputs, names: Sequence[str]) -> ShownWalk:
    """What these optimizers do to the three rows."""
    weight = weight_of(given)
    walks = [watch_rows(weight, given.ids, name) for name in names]
    moved = [torch.stack(walk.tables)[:, 0].diff(dim=0).any(dim=2) for walk in walks]  # (K, R)
    panels = [
        (walk.training.rule.label, "", _strips(given, walk, moves))
        for walk, moves in zip(walks, moved, strict=True)
    ]
    labels = [walk.training.rule.label for walk in walks]
    states = min(len(walk.tables) for walk in walks)
    said = [_said(labels, moved, step) for step in range(states)]
    said[-1] += "".join(f" {walk.training.failed}" for walk in walks if walk.training.failed)
    return ShownWalk(panels, said, PAUSE_MS)


def _strips(given: Inputs, walk: Walk, moves: torch.Tensor) -> list[Strip]:
    tables = torch.stack(walk.tables)[:, 0]  # of the embedding: (K + 1, R, D)
    return [
        Strip(
            f"{short_label(given, token)}, {role}",
            tables[:, row],
            row,
            f"weight[{token}, {{c}}]: {{{row}}}",
            notes=["", *("moves" if one else "still" for one in moves[:, row].tolist())],
        )
        for row, (token, role) in enumerate(zip(walk.rows.tolist(), ROLES, strict=False))
    ]


def _said(labels: Sequence[str], moved: Sequence[torch.Tensor], step: int) -> str:
    """Where the rows have moved so far without a lookup."""
    if not step:
        return "Two of these rows are looked up, the last one never. Press Play."

    def where(row: int, since: int) -> str:
        kept = zip(labels, moved, strict=True)
        return "; ".join(label for label, one in kept if one[since:step, row].any()) or "nowhere"

    never = f"Never looked up, and moved: {where(2, 0)}." if moved[0].shape[1] > 2 else ""
    if step <= EARLY:
        return never
    return f"{never} Moved after its last lookup: {where(1, EARLY)}."
