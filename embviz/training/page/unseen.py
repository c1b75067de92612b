"""Rows nobody looks up: three rows under several optimizers, step by step."""

from __future__ import annotations

from embviz.training.page import parts
from embviz.training.page.film.component import FILM
from embviz.training.page.film.unseen import OTHERS
from embviz.ui.elements.ask import draw_part
from embviz.ui.elements.unknown import note_unknown
from embviz.ui.elements.widgets import fold
from embviz.ui.frame import body


def draw() -> None:
    """Three optimizers; the others are one press away."""
    given = body.tried_inputs()
    draw_part(parts.UNSEEN, FILM, given)
    note_unknown(given)
    fold(f"{len(OTHERS)} more optimizers", draw_part, parts.UNSEEN_MORE, FILM, given)
