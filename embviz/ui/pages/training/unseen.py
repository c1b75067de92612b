"""Rows nobody looks up: three rows under several optimizers, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
import torch

from embviz.request.inputs import Inputs
from embviz.request.training import weight_of
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.walk import EARLY, watch_rows
from embviz.ui.frame import body
from embviz.ui.pages.training.one_step import short_label
from embviz.ui.parts.ask import Part
from embviz.ui.parts.links import typed
from embviz.ui.parts.walk import COMPONENT, ShownWalk, Strip

TITLE = "Rows nobody looks up"
CLAIM = "Whether a row moves without being looked up depends on the optimizer."
TRIES = (
    ("*hello*: the row of *l* is left out after 10 steps.", "training", typed("hello")),
    ("The lab *It learns*: say by hand which rule moves a row.", "labs", {"lab": "learns"}),
)
FIRST = ("sgd", "momentum", "weight_decay")
PAUSE_MS = 150
ROLES = ("never looked up", f"looked up in the first {EARLY}", "looked up in every step")


def draw() -> None:
    """Three optimizers; the others are one press away."""
    given = body.inputs()
    _FIRST.draw(given)
    more = st.expander(f"{len(_REST)} more optimizers", key="more_rules", on_change="rerun")
    if more.open:
        with more:
            _MORE.draw(given)


def shown(given: Inputs, names: Sequence[str]) -> ShownWalk:
    """What these optimizers do to the three rows; without one never looked up, to two."""
    walks = [watch_rows(weight_of(given), given.ids, name) for name in names]
    labels = [walk.training.rule.label for walk in walks]
    tables = [torch.stack(walk.tables)[:, 0] for walk in walks]  # of the embedding: (K + 1, R, D)
    moved = [one.diff(dim=0).any(dim=2) for one in tables]  # (K, R)
    tokens = walks[0].rows.tolist()
    roles = ROLES[-len(tokens) :]
    panels = [
        (
            label,
            "",
            [
                Strip(
                    f"{short_label(given, token)}, {roles[row]}",
                    values[:, row],
                    row,
                    f"weight[{token}, {{c}}]: {{{row}}}",
                    notes=["", *("moves" if one else "still" for one in moves[:, row])],
                )
                for row, token in enumerate(tokens)
            ],
        )
        for label, values, moves in zip(labels, tables, moved, strict=True)
    ]

    def where(role: str, since: int, step: int) -> str:
        kept = zip(labels, moved, strict=True)
        found = [label for label, one in kept if one[since:step, roles.index(role)].any()]
        return "; ".join(found) or "nowhere"

    said = []
    for step in range(min(map(len, tables))):
        told = f"Never looked up, and moved: {where(ROLES[0], 0, step)}." if tokens[2:] else ""
        if step > EARLY:
            told += f" Moved after its last lookup: {where(ROLES[1], EARLY, step)}."
        said.append(told)
    if tokens[2:]:
        said[0] = "The first of these rows is never looked up. Press Play."
    said[-1] = " ".join([said[-1], *(walk.training.failed for walk in walks)]).strip()
    return ShownWalk(panels, said, PAUSE_MS)


_FIRST = Part("unseen", lambda given, _of: shown(given, FIRST), (), COMPONENT)
_REST = tuple(name for name in OPTIMIZERS if name not in FIRST)
_MORE = Part("unseen_more", lambda given, _of: shown(given, _REST), (), COMPONENT)
