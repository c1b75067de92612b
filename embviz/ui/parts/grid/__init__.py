"""Grids of numbers as coloured cells: one component draws all grids that belong together.

Pointing at a cell, a tap on it, or the arrow keys show its number in every grid with the same
labels. A button gives the numbers as a CSV file. The colours are the theme's.

A part of a page that follows the typed text is such a component with sentences. While a person
types, it asks the route `live` and not Python, as the stage does. Its sentences are Markdown with
paragraphs, lists, tables, `######`, bold, code and `:small[...]`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from embviz.figures.grid import Grid
from embviz.request.inputs import Inputs
from embviz.request.live import PARTS
from embviz.request.settings import MODEL
from embviz.ui.parts.ask import ASK, LOOK, asking, pick, told
from embviz.ui.parts.cells import COLOURS
from embviz.ui.parts.component import component, looks
from embviz.ui.state.session import setting

KEPT = 16  # answers, of at most 150 KB each
_FOLDER = Path(__file__).parent
_component = component(
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


class Packable(Protocol):
    """What a part shows: of this component, or of another one that follows the text."""

    def packed(self, name: str) -> str:
        """All of it as JSON."""
        ...


@dataclass(frozen=True)
class Part:
    """A part of a page that follows the text.

    Attributes:
        name: its name in the route and of the component.
        make: inputs and a reader of settings -> what is shown; a ValueError is a refusal.
        reads: settings that it reads besides those of the model; `token` is the chosen position.
        component: draws it.
    """

    name: str
    make: Callable[[Inputs, Callable[[str], Any]], Packable]
    reads: tuple[str, ...]
    component: Any = _component

    def __post_init__(self) -> None:
        PARTS[self.name] = self.packed

    def packed(self, given: Inputs, of: Callable[[str], Any]) -> str:
        """What the route answers; `of` reads a setting. The rerun that follows finds it kept."""
        own = {name: of(name) for name in self.reads}
        if given.table is not None:
            return self.make(given, own.__getitem__).packed(self.name)
        return _packed(self, given, own)

    def draw(self, given: Inputs) -> None:
        """Draw it; it follows the page's field if the inputs are the field's."""
        own = {name: setting(name) for name in self.reads}
        packed = self.packed(given, own.__getitem__)
        data = asking(given.settings, own, self.name) | {"answer": packed}
        self.component(key=self.name, data=data, on_picked_change=partial(pick, self.name))


def _key(part: Part, given: Inputs, own: Mapping[str, Any]) -> tuple[object, ...]:
    return hashkey(part.name, *(given.settings[name] for name in MODEL), *own.values())


@cached(LRUCache(KEPT), key=_key, lock=threading.Lock())
def _packed(part: Part, given: Inputs, own: Mapping[str, Any]) -> str:
    return part.make(given, own.__getitem__).packed(part.name)


def draw_grids(grids: Sequence[Grid], key: str) -> None:
    """Draw grids side by side, or below each other where the page is narrow."""
    _component(key=key, data=told(Shown(grids).packed(key)))
