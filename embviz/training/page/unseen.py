"""Rows nobody looks up: three rows under three optimizers, step by step."""

from __future__ import annotations

from embviz.training.page import parts
from embviz.training.page.film.component import FILM
from embviz.ui.elements.ask import draw_part
from embviz.ui.elements.links import link
from embviz.ui.elements.unknown import note_unknown
from embviz.ui.frame import body

CASES = {
    "weight-decay-unseen": "Weight decay shrinks such rows: the case",
    "momentum-unseen": "Momentum moves such rows: the case",
}


def draw() -> None:
    """Three optimizers; what weight decay and momentum do is a case each."""
    given = body.tried_inputs()
    note_unknown(given)
    draw_part(parts.UNSEEN, FILM, given)
    for case, label in CASES.items():
        link("limits", {"case": case}, label=label)
