"""Grids of numbers as coloured cells: one component draws all grids that belong together.

Pointing at a cell, a tap on it, or the arrow keys show its number in every grid with the same
labels. A button gives the numbers as a CSV file. The colours are the theme's.

A part of a page that follows the typed text is such a component with sentences. While a person
types, it asks the route `live` and not Python, as the stage does. Its sentences are Markdown with
paragraphs, lists, tables, `######`, bold, code and `:small[...]`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embviz.figures.grid import Grid
from embviz.ui.parts.ask import ASK, LOOK, told
from embviz.ui.parts.cells import COLOURS
from embviz.ui.parts.component import component, looks

_FOLDER = Path(__file__).parent
GRIDS = component(
    "embviz_grids",
    [COLOURS, ASK, _FOLDER / "words.js", _FOLDER / "grid.js"],
    **looks(_FOLDER / "grid", LOOK),
)


@dataclass(frozen=True)
class Shown:
    """What a part of a page shows: grids, and sentences above and below them.

    Attributes:
        grids: the grids.
        above, below: Markdown.
        terms: for each row of the grids, rows of numbers whose sum it is.
        more: the rows that are a sum of more than these.
    """

    grids: Sequence[Grid]
    above: str = ""
    below: str = ""
    terms: Sequence[Sequence[Sequence[float]]] = ()
    more: Sequence[int] = ()

    def packed(self, name: str) -> str:
        """All of it as JSON; `name` is that of the CSV files."""
        grids = [one.payload() for one in self.grids]
        content: dict[str, Any] = vars(self) | {"name": name, "grids": grids}
        return json.dumps(content, separators=(",", ":"))


def draw_grids(grids: Sequence[Grid], key: str) -> None:
    """Draw grids side by side, or below each other where the page is narrow."""
    GRIDS(key=key, data=told(Shown(grids).packed(key)))
