"""Six letters learn: one component that shows the training of a seed, step by step."""

from __future__ import annotations

from pathlib import Path

from embviz.training.page.letters.drawing import picture_of
from embviz.ui.elements.component import component

_KEY = "letters"
_component = component("embviz_letters", Path(__file__).with_name("letters.js"))


def draw_letters(seed: int) -> None:
    """Draw the training of this seed."""
    _component(key=_KEY, data={"answer": picture_of(seed)})
