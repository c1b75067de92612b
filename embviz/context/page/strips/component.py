"""A text as letters, each with its vectors as strips of coloured cells: one component.

Letters slide to their new places with their strips. Pointing at a letter, a tap on it, or the arrow
keys light all places of its id and say what they hold; on a strip, one number and its sum.
"""

from __future__ import annotations

from pathlib import Path

from embviz.context.page.strips.drawing import Strips
from embviz.ui.elements.component import component

STRIPS = component("embviz_strips", Path(__file__).parent / "strips.js")


def draw_strips(strips: Strips, key: str) -> None:
    """Draw strips that do not follow the text field."""
    content = strips.packed(key)
    STRIPS(key=key, data={"live": None, "field": None, "question": "{}", "answer": content})
