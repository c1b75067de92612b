"""Rows nobody looks up: three rows under several optimizers, step by step."""

from __future__ import annotations

from embviz.request.drawings.unseen import OTHERS
from embviz.ui.frame import body
from embviz.ui.parts.ask import draw_part
from embviz.ui.parts.film import FILM
from embviz.ui.parts.links import typed
from embviz.ui.parts.unknown import note_unknown
from embviz.ui.parts.widgets import fold

TITLE = "Rows nobody looks up"
CLAIM = "Whether a row moves without being looked up depends on the optimizer."
TRIES = (
    ("*hello*: the row of *l* is left out after 10 steps.", "training", typed("hello")),
    ("The lab *It learns*: say by hand which rule moves a row.", "labs", {"lab": "learns"}),
)


def draw() -> None:
    """Three optimizers; the others are one press away."""
    given = body.tried_inputs()
    draw_part("unseen", FILM, given)
    note_unknown(given)
    fold(f"{len(OTHERS)} more optimizers", draw_part, "unseen_more", FILM, given)
