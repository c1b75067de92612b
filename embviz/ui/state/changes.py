"""Changes that a callback makes: to settings, and to the address with them.

A callback calls `change`, `commit` or `go` once: the address gets one entry of the history, and
what shows the settings is drawn again.

Exceptions:
- A value that cannot be used changes no setting, and one note quotes it.
- A text that is longer than its setting allows stays in its field alone (`is_over`), and what
  would be shown of it is refused (`refuse_long`).
- Back and Forward change no setting here: their message may have a widget as it was before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from embviz.settings.kinds import MAX_URL_TEXT_BYTES
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES, SETTINGS
from embviz.settings.worlds import KEPT, World, entering, world_of_text
from embviz.system.bounds import OverLimitError
from embviz.text.refused import Refused
from embviz.ui.state.address import (
    address_of,
    is_back_or_forward,
    named_by,
    setting,
    with_ends,
    write_address,
)
from embviz.ui.state.redraw import redraw
from embviz.ui.state.session import session

OLD_LINK_S = 5.0  # Seconds after a change in which a link from before it may still be clicked.


def change(changes: Mapping[str, Any], then: Callable[[], object] | None = None) -> None:
    """Change settings, and the address with them, in a callback: one entry of the history.

    `then` is called before the address is written, and may `assign` more.
    """
    this = session()
    before, before_given = this.base(), {**this.given}
    # Every page, because a link is drawn for each.
    old = {page: this.links.get(page) or address_of(page) for page in PAGES}
    this.old_links = (time.monotonic() + OLD_LINK_S, old)
    this.moved = ""
    assign(changes)
    if "text" in changes and "world" not in changes:
        assign({"world": _world_of(changes["text"], before_given)})
    if then is not None:
        then()
    named = named_by(this.page, this.given)
    for name in {*PAGES[this.page].reads} - {*named}:  # as the next run will take it
        this.given.pop(name, None)
    if this.base() != before:  # the example begins or ends: every widget has another value
        this.redraw_all = True
    write_address()
    _forget_old_texts()


def assign(changes: Mapping[str, Any]) -> None:
    """Change settings of this run and of the links; the address follows with the next change."""
    for name, value in with_ends(changes).items():
        record = SETTINGS[name]
        with suppress(Refused):
            session().given[name] = record.read(record.written(value))
            session().over.pop(name, None)


def _world_of(text: str, given: Mapping[str, Any]) -> str:
    """The name of the world in which a typed text is shown."""
    this = session()
    world, this.moved = world_of_text(text, given, this.example())
    return world.name


def _forget_old_texts() -> None:
    """Forget the long texts of other pages that are no longer among the last ones."""
    given, kept = session().given, set(map(id, session().long.values()))
    for name, value in [*given.items()]:
        is_long = isinstance(value, str) and len(value) > MAX_URL_TEXT_BYTES
        if is_long and id(value) not in kept:
            del given[name]


def go(changes: Mapping[str, Any], redraw_all: bool = False) -> None:
    """A callback: change settings; draw again what shows them, or the whole app."""
    change(changes)
    in_sidebar = any(name in MODEL or SETTINGS[name].sidebar for name in changes)
    redraw(redraw_all or in_sidebar)


def commit(
    name: str,
    then: Callable[[], object] | None = None,
    of: Callable[[Any], Any] | None = None,
) -> None:
    """The callback of a setting's widget: the setting becomes what the widget shows.

    A forged value, or one out of range, changes nothing. A text that is too long stays in its
    field, and `refuse_long` says so.

    Args:
        name: of the setting, and the key of the widget.
        then: as in `change`.
        of: makes the setting from the widget's value, where the widget shows another one: a table
            of 101 rows, with `<unk>`, is the setting 100.
    """
    if is_back_or_forward():
        return
    record = SETTINGS[name]
    try:
        value = st.session_state.get(name)  # None: of several presses none is pressed
        if of is not None:
            value = of(value)
        change({name: record.default if value is None else record.read(value)}, then)
    except OverLimitError as refused:
        session().over[name] = str(refused)
    except Refused:
        pass
    redraw(record.sidebar)


def enter(other: World) -> None:
    """A callback: go to another world, with its table; the text stays where it fits."""
    this = session()
    changes, reason = entering(other, this.given, setting("text"))
    for name in {*MODEL} - {*KEPT}:
        this.given.pop(name, None)
    change(changes)
    this.moved = reason
    redraw(True)


def is_over(name: str) -> bool:
    """Whether the field of a setting has a text that is too long: the setting has another one."""
    over = session().over
    if name in over and name not in st.session_state and name not in session().forgotten:
        del over[name]  # the field was gone meanwhile, and its text with it
    return name in over


def refuse_long(*names: str) -> None:
    """Refuse what a page would show while a field of these settings has a text that is too long.

    Raises:
        OverLimitError: the sentence; what is shown would be of the text before.
    """
    for name in names:
        if said := session().over.get(name):
            raise OverLimitError(said, about=name)
