"""All that a session keeps beside its address: one record, results of its page, values of widgets.

The settings are in its address (`address.py`); here are those that the last address had.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st
from cachetools import LRUCache

from embviz.fact.table_rows import TableRows
from embviz.settings.given import base, defaults
from embviz.settings.pages import PAGES
from embviz.system.bounds import TEXTS

T = TypeVar("T")
KEY = "_embviz"  # The record's name in Streamlit's session.


def _long_texts() -> LRUCache[str, str]:
    return LRUCache(TEXTS.value(), sys.getsizeof)


@dataclass
class Session:
    """All that the frame and the pages remember.

    Attributes:
        page: name of the page shown; empty before the first run.
        given: settings that addresses named, of all pages, by name.
        bad: sentences on what the address has and cannot be used.
        over: why the text in a field is too long, by the setting's name.
        forgotten: keys of widgets whose values were dropped, because they are large.
        long: texts that are too long for an address, by their mark.
        shown: query of the address that the page shows.
        links: query of each page's link, as drawn last; empty until then.
        old_links: until when links from before the last change may be clicked, and these links.
        is_late: whether such a link was clicked: the address follows at the end of the run.
        whole_run: Streamlit's name of the page whose whole run came to its end; None during one.
        redraw_all: whether the callback asks for the whole app.
        rows: rows of the table, as the sidebar shows them; None where it shows none.
        pages: Streamlit's pages, by name.
        tabs: place above the headline, in which a page draws what chooses its lesson or chapter.
        head: place above the text field, in which a page writes its headline.
        weights_file: name and bytes of an uploaded file of weights.
        moved: what a change has made of world or text, in a sentence; until the next change.
        folds: whether a fold of settings was opened, by its label.
        cached: slot -> what a result was made of, and the result.
        own: what a page keeps for itself, by a name that begins with the page's.
    """

    page: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    over: dict[str, str] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    long: LRUCache[str, str] = field(default_factory=_long_texts)
    shown: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    old_links: tuple[float, dict[str, dict[str, list[str]]]] = (0.0, {})
    is_late: bool = False
    whole_run: str | None = None
    redraw_all: bool = False
    rows: TableRows | None = None
    pages: dict[str, Any] = field(default_factory=dict)
    tabs: Any = None
    head: Any = None
    weights_file: tuple[str, bytes] | None = None
    moved: str = ""
    folds: dict[str, bool] = field(default_factory=dict)
    cached: dict[str, tuple[object, Any]] = field(default_factory=dict)
    own: dict[str, Any] = field(default_factory=dict)

    def example(self) -> str:
        """The text that the page shows while nothing is typed; empty for none."""
        page = PAGES.get(self.page)  # none before the first run
        return page.example if page else ""

    def base(self) -> dict[str, Any]:
        """The values that stand in for defaults on the page."""
        return base(self.given, self.example())

    def usual(self, names: Iterable[str]) -> dict[str, Any]:
        """Values of these settings where the address of the page leaves them out, by name."""
        example = self.base()
        return {name: example.get(name, value) for name, value in defaults(names).items()}


def session() -> Session:
    """The record of this session."""
    kept: Session | None = st.session_state.get(KEY)
    if kept is None:
        st.session_state[KEY] = kept = Session()
    return kept


def widget_value(key: str, default: Any = None) -> Any:
    """The value of a page's own widget, read in its callback.

    The default stands in where the widget is gone: its change may have cut short the run that
    removes it from the page, and Streamlit then calls back without it. Also for a value of another
    type, as a forged message has.
    """
    value = st.session_state.get(key, default)
    return value if default is None or isinstance(value, type(default)) else default


def cached(slot: str, made_of: object, make: Callable[[], T]) -> T:
    """The result of `make()`, kept in this session until `made_of` or the page changes."""
    slots = session().cached
    if slot not in slots or slots[slot][0] != made_of:
        slots[slot] = (made_of, make())
    kept: T = slots[slot][1]
    return kept


def forget(slot: str) -> None:
    """Drop a result of `cached`."""
    session().cached.pop(slot, None)
