"""A page of the dashboard, as the frame around it needs to know it.

Its record stands in `embviz/ui/pages/<page>/__init__.py` with the settings of that page, and the
function `draw` in `pages/<name>.py` draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from embviz.request.settings import MODEL, Setting, Switch, add

Reader = Callable[[str], Any]  # a setting's name -> its value in this session
PAGES: dict[str, Page] = {}  # by name
# Settings of every page.
EVERYWHERE = add(Switch("projector", False, help="Large type and no sidebar.", whole=True))


def everything(_setting: Reader) -> frozenset[str]:
    """All settings of the model."""
    return frozenset(MODEL)


def nothing(_setting: Reader) -> frozenset[str]:
    """No setting of the model."""
    return frozenset()


def one_text(_setting: Reader) -> tuple[str, ...]:
    """The text of the text field alone."""
    return ("text",)


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        name: its file in `pages/`, and its path in the address.
        title: its name in the row of links.
        settings: those that stand in its file.
        model: names of the model's settings that have an effect on it, given the settings; `text`
            among them shows the text field, the others stand in the sidebar.
        texts: names of the settings whose texts are looked up in the table, given the settings.
        also: settings of other pages that it reads too.
        example: whether it shows the small example while nothing is typed.
    """

    name: str
    title: str
    settings: tuple[Setting, ...] = ()
    model: Callable[[Reader], frozenset[str]] = nothing
    texts: Callable[[Reader], tuple[str, ...]] = one_text
    also: tuple[str, ...] = ()
    example: bool = False

    def __post_init__(self) -> None:
        PAGES[self.name] = self
        add(*self.settings)

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of all settings that its address may have."""
        own = tuple(one.name for one in self.settings)
        return (*MODEL * (self.model is not nothing), *own, *self.also, *EVERYWHERE)
