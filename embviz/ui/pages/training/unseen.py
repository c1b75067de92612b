"""Rows nobody looks up: three rows under several optimizers, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embviz.request.inputs import Inputs
from embviz.request.training import weight_of
from embviz.text.refused import refusals_about
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.walk import EARLY, watch_rows
from embviz.ui.frame import body
from embviz.ui.pages.training.one_step import short_label
from embviz.ui.parts.ask import Part
from embviz.ui.parts.links import typed
from embviz.ui.parts.unknown import note_unknown
from embviz.ui.parts.walk import COMPONENT, ShownWalk, Strip
from embviz.ui.parts.widgets import fold

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
    given = body.tried_inputs()
    _FIRST.draw(given)
    note_unknown(given)
    fold(f"{len(_REST)} more optimizers", _MORE.draw, given)


def shown(given: Inputs, names: Sequence[str]) -> ShownWalk:
    """What these optimizers do to the three rows; without one never looked up, to two."""
    weight = weight_of(given)
    with refusals_about(given.settings["input"]):
        watched = watch_rows(weight, given.ids, names)
    tokens, rules, moved = watched.rows.tolist(), watched.rules, watched.moved.numpy()
    roles = ROLES[-len(tokens) :]
    panels = [
        (
            rule.label,
            "",
            [
                Strip(
                    f"{short_label(given, token)}, {roles[row]}",
                    watched.tables[:, k, row],
                    row,
                    f"weight[{token}, {{c}}]: {{{row}}}",
                    notes=["", *np.where(moved[:, k, row], "moves", "still").tolist()],
                )
                for row, token in enumerate(tokens)
            ],
        )
        for k, rule in enumerate(rules)
    ]

    def where(row: int, since: int, step: int) -> str:
        some = zip(rules, moved[since:step, :, row].T, strict=True)
        return "; ".join(rule.label for rule, steps in some if steps.any()) or "nowhere"

    said = []
    for step in range(len(moved) + 1):
        told = f"Never looked up, and moved: {where(-3, 0, step)}." if tokens[2:] else ""
        if step > EARLY:
            told += f" Moved after its last lookup: {where(-2, EARLY, step)}."
        said.append(told.strip())
    if tokens[2:]:
        said[0] = "The first of these rows is never looked up. Press Play."
    return ShownWalk(panels, said, PAUSE_MS)


_FIRST = Part("unseen", lambda given, _of: shown(given, FIRST), (), COMPONENT)
_REST = tuple(name for name in OPTIMIZERS if name not in FIRST)
_MORE = Part("unseen_more", lambda given, _of: shown(given, _REST), (), COMPONENT)
