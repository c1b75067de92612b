"""Rows nobody looks up, under several optimizers: numbers and sentences of the film."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embviz.fact.inputs import Inputs
from embviz.settings.page_record import Reader
from embviz.text.refused import refusals_about
from embviz.training.inputs import start_of, weight_of
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.page.film.drawing import Film, FilmRow
from embviz.training.page.film.one_step import short_label
from embviz.training.states import EARLY, watch_rows

FIRST = ("sgd", "momentum", "weight_decay")
OTHERS = tuple(name for name in OPTIMIZERS if name not in FIRST)
TASK = "Task: each row that is looked up moves towards the same target."
FRAME_MS = 150  # ms of a state in a film of many
WHY = "momentum", "weight_decay"  # Optimizers whose sentence says why a row moves without a lookup.
ROLES = ("never looked up", f"looked up in the first {EARLY}", "looked up in every step")


def unseen(given: Inputs, _of: Reader, names: Sequence[str]) -> Film:
    """The film of three rows under these optimizers; of two, if every row is looked up."""
    weight = weight_of(given)
    with refusals_about(given.input):
        watched = watch_rows(weight, given.ids, names)
    tokens, rules, moved = watched.rows.tolist(), watched.rules, watched.moved.numpy()
    roles = ROLES[-len(tokens) :]
    panels = [
        (
            rule.label,
            "",
            [
                FilmRow(
                    f"{short_label(given, token)}, {roles[row]}",
                    watched.tables[:, k, row],
                    row,
                    f"weight[{token}, {{c}}]: {{{row}}}",
                    notes=["", *np.where(moved[:, k, row], "moves", "still").tolist()],
                )
                for row, token in enumerate(tokens)
            ],
            False,
        )
        for k, rule in enumerate(rules)
    ]

    def where(row: int, since: int, step: int) -> str:
        some = zip(rules, moved[since:step, :, row].T, strict=True)
        return "; ".join(rule.label for rule, steps in some if steps.any()) or "nowhere"

    why = " ".join(f"{rule.label}: {rule.sentence}" for rule in rules if rule.name in WHY)
    said = []
    for step in range(len(moved) + 1):
        told = f"Never looked up, and moved: {where(-3, 0, step)}." if tokens[2:] else ""
        if step > EARLY:
            told += f" Moved after its last lookup: {where(-2, EARLY, step)}. {why}"
        said.append(told.strip())
    if tokens[2:]:
        start = start_of(given.table)
        said[0] = f"{start}. The first of these rows is never looked up. Press Play."
    return Film(panels, said, FRAME_MS, task=TASK)
