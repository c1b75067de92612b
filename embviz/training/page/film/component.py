"""A film: one component that draws panels of rows of numbers, which change from state to state."""

from __future__ import annotations

from pathlib import Path

from embviz.ui.elements.component import component

FILM = component("embviz_film", Path(__file__).parent / "film.js")
