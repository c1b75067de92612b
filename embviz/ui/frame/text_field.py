"""The field: text or ids in one line."""

from __future__ import annotations

import sys
from typing import Any

from embviz.text.breaks import marked
from embviz.ui.elements.widgets import PAUSE, text_line
from embviz.ui.state.address import setting
from embviz.ui.state.changes import assign


def mark_breaks() -> None:
    """Mark the line breaks of a link's text: the field would drop them."""
    text = setting("text")
    if "\n" in text or "\r" in text:
        assign({"text": marked(text)})


def draw() -> None:
    """Draw the field of text or ids."""
    # Streamlit reads a duration with pandas, whose import would delay the first picture. Until it
    # is imported the pause is Streamlit's own, 250 ms.
    more: dict[str, Any] = {"live": PAUSE if "pandas" in sys.modules else True, "help": None}
    if setting("input") == "ids":
        text_line("Ids", "ids", placeholder="2 3 1 or [[1, 3], [0, 1]]", **more)
    else:
        text_line("Your text", "text", placeholder="Type your own text", **more)
