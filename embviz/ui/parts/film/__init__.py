"""A film: one component that draws panels of rows of numbers, which change from state to state."""

from __future__ import annotations

from pathlib import Path

from embviz.ui.parts.ask import ASK, LOOK
from embviz.ui.parts.cells import CELLS, STYLE
from embviz.ui.parts.component import component, looks

_FOLDER = Path(__file__).parent
FILM = component(
    "embviz_film", [*CELLS[:2], ASK, _FOLDER / "film.js"], **looks(_FOLDER / "film", STYLE, LOOK)
)
