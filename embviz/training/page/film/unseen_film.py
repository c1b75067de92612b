"""Rows nobody looks up, under three optimizers: numbers and sentences of the film."""

from __future__ import annotations

import numpy as np

from embviz.fact.inputs import Inputs
from embviz.settings.page_record import Reader
from embviz.text.refused import refusals_about
from embviz.training.inputs import start_of, weight_of
from embviz.training.page.film.drawing import Film, FilmRow
from embviz.training.page.film.step_film import short_label
from embviz.training.states import EARLY, TARGET, watch_rows

# Titles of the panels, by optimizer. SparseAdam is for the embedding alone, and this film shows
# that.
LABELS = {"sgd": "SGD", "adam": "Adam", "sparse_adam": "SparseAdam"}
TASK = f"Task: each number of a row that is looked up moves towards {TARGET:g}."
FRAME_MS = 150  # ms of a state in a film of many
NEVER = "The row that is never looked up stays where it is, under all three."
WHY = "it remembers former gradients."
ROLES = ("never looked up", f"looked up in the first {EARLY}", "looked up in every step")


def unseen_film(given: Inputs, _of: Reader) -> Film:
    """The film of three rows under the optimizers; of two, if every row is looked up."""
    weight = weight_of(given)
    with refusals_about(given.input):
        watched = watch_rows(weight, given.ids, [*LABELS])
    tokens, moved = watched.rows.tolist(), watched.moved.numpy()
    roles = ROLES[-len(tokens) :]
    panels = []
    for k, title in enumerate(LABELS.values()):
        rows = [
            FilmRow(
                f"{short_label(given, token)}, {roles[row]}",
                watched.tables[:, k, row],
                row,
                f"weight[{token}, {{c}}]: {{{row}}}",
                notes=["", *np.where(moved[:, k, row], "moves", "still").tolist()],
            )
            for row, token in enumerate(tokens)
        ]
        panels.append((title, "", rows, False))
    has_never = roles == ROLES
    never = NEVER if has_never and not moved[:, :, 0].any() else ""
    said = []
    for step in range(len(moved) + 1):
        moves = moved[EARLY:step, :, -2]  # after the last lookup
        names = [title for k, title in enumerate(LABELS.values()) if moves[:, k].any()]
        told = f" After its last lookup a row moves on under {' and '.join(names)}: {WHY}"
        said.append(f"{never}{told if names else ''}".strip())
    if has_never:
        start = start_of(given.table)
        said[0] = f"{start}. The first of these rows is never looked up. Press Play."
    return Film(panels, said, FRAME_MS, task=TASK)
