"""Rows nobody looks up, under three optimizers: numbers and sentences of the film."""

from __future__ import annotations

import numpy as np

from embviz.fact.inputs import Inputs
from embviz.settings.page_record import Reader
from embviz.text.refused import refusals_about
from embviz.training.inputs import start_of, weight_of
from embviz.training.page.film.drawing import Film, FilmRow
from embviz.training.page.film.step_film import short_label
from embviz.training.states import EARLY, watch_rows

NAMES = ("sgd", "adam", "sparse_adam")  # optimizers
TASK = "Task: each row that is looked up moves towards the same target."
FRAME_MS = 150  # ms of a state in a film of many
# SparseAdam is for the embedding alone, and this film shows that.
LABELS = {"sgd": "SGD", "adam": "Adam", "sparse_adam": "SparseAdam"}
NEVER = "The row that is never looked up stays where it is, under all three."
WHY = "it remembers former gradients."
ROLES = ("never looked up", f"looked up in the first {EARLY}", "looked up in every step")


def unseen_film(given: Inputs, _of: Reader) -> Film:
    """The film of three rows under `NAMES`; of two, if every row is looked up."""
    weight = weight_of(given)
    with refusals_about(given.input):
        watched = watch_rows(weight, given.ids, NAMES)
    tokens, rules, moved = watched.rows.tolist(), watched.rules, watched.moved.numpy()
    roles = ROLES[-len(tokens) :]
    panels = [
        (
            LABELS[rule.name],
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
        return " and ".join(LABELS[rule.name] for rule, steps in some if steps.any())

    said = []
    for step in range(len(moved) + 1):
        told = ""
        if tokens[2:]:
            under = where(-3, 0, step)
            told = (
                f"The row that is never looked up moves under {under}. " if under else f"{NEVER} "
            )
        if step > EARLY:
            under = where(-2, EARLY, step)
            told += f"After its last lookup a row moves on under {under}: {WHY}" if under else ""
        said.append(told.strip())
    if tokens[2:]:
        start = start_of(given.table)
        said[0] = f"{start}. The first of these rows is never looked up. Press Play."
    return Film(panels, said, FRAME_MS, task=TASK)
