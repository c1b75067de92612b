"""A page of the dashboard, as a record: its settings and what it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from embviz.settings.kinds import Setting, Switch
from embviz.settings.model_settings import MODEL
from embviz.settings.tour import TOUR

Reader = Callable[[str], Any]  # a setting's name -> its value in this session


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
        settings: those of this page.
        model: names of the model's settings that have an effect on it, given the settings; `text`
            among them shows the text field, the others stand in the sidebar.
        texts: names of the settings whose texts are looked up in the table, given the settings.
        also: settings of other pages that it reads too.
        example: the text of *six letters* that it shows while nothing is typed; empty for none.
        shows_nan: whether its picture may have numbers that are not finite.
        fields: whether it draws fields of its own in the sidebar.
    """

    name: str
    title: str
    settings: tuple[Setting, ...] = ()
    model: Callable[[Reader], frozenset[str]] = nothing
    texts: Callable[[Reader], tuple[str, ...]] = one_text
    also: tuple[str, ...] = ()
    example: str = ""
    shows_nan: bool = False
    fields: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of all settings that its address may have."""
        model = () if self.model is nothing else MODEL
        own = (record.name for record in self.settings)
        return (*model, *own, *self.also, *(record.name for record in EVERYWHERE))


# Settings of every page.
EVERYWHERE = (
    Switch("projector", False, help="Large type and no sidebar.", sidebar=True),
    TOUR,
)
