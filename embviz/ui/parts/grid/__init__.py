"""Grids of numbers as coloured cells: one component draws all grids that belong together.

Pointing at a cell, a tap on it, or the arrow keys show its number in every grid with the same
labels. A button gives the numbers as a CSV file. The colours are the theme's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from embviz.figures.grid import Grid
from embviz.ui.parts.component import component

_FOLDER = Path(__file__).parent
_SCRIPTS = [_FOLDER.parents[1] / "stage" / "colours.js", _FOLDER / "grid.js"]
_component = component(
    "embviz_grids",
    _SCRIPTS,
    html='<div class="grids"></div><p class="heard" role="status"></p>',
    css=(_FOLDER / "grid.css").read_text(encoding="utf-8"),
)


def draw_grids(grids: Sequence[Grid], key: str) -> None:
    """Draw grids side by side, or below each other where the page is narrow."""
    _component(key=key, data={"name": key, "grids": [one.payload() for one in grids]})
