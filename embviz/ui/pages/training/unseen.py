"""Rows nobody looks up: three rows under several optimizers, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
import torch

from embviz.request.inputs import Inputs
from embviz.request.training import weight_of
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.walk import EARLY, Walk, watch_rows
from embviz.ui.pages.training.one_step import short_label
from embviz.ui.parts.ask import Part
from embviz.ui.parts.walk import COMPONENT, ShownWalk, Strip

FIRST = ("sgd", "momentum", "weight_decay")
PAUSE_MS = 150
ROLES = ("looked up in every step", f"looked up in the first {EARLY}", "never looked up")


def draw(given: Inputs) -> None:
    """Three optimizers; the others are one press away."""
    _FIRST.draw(given)
    more = st.expander(f"{len(_REST)} more optimizers", key="more_rules", on_change="rerun")
    if more.open:
        with more:
            _MORE.draw(given)


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


_FIRST = Part("unseen", lambda given, _of: shown(given, FIRST), (), COMPONENT)
_REST = tuple(name for name in OPTIMIZERS if name not in FIRST)
_MORE = Part("unseen_more", lambda given, _of: shown(given, _REST), (), COMPONENT)
