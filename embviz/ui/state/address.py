"""The address of a page: the only state of its settings, which Python alone writes.

A whole run takes the settings from the address (`take_address`). A callback changes settings
(`changes.py`) and writes the address (`write_address`): one entry of the history. An address has
the settings that its page reads; what it leaves out is the record's default, or that of its world
(`settings/worlds.py`).

Exceptions:
- The settings of the other pages are kept as they were there, for the links to these pages.
- A text that is too long for an address stays in the session, and the address has a mark of it.
- A link that was drawn before a change, and is clicked a moment after it, has that change too.

Invariants:
- After each run and each callback the address names the settings that its page shows.
- Back and Forward write no entry of the history, and change no setting but to what their entry has.
- `given` has readable values alone: each was read by its setting's record.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embviz.fact.table_rows import TableRows, rows_of
from embviz.settings.given import asked_of, fits_link, in_address, named, url_bytes
from embviz.settings.kinds import MAX_URL_TEXT_BYTES, Choices
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES, SETTINGS
from embviz.settings.worlds import World, shown_world
from embviz.text.refused import Refused
from embviz.ui.state.session import session

ENDING = [setting for setting in SETTINGS.values() if setting.ends_with]


def setting(name: str) -> Any:
    """A setting; its default where the address has something unusable."""
    return settings([name])[name]


def settings(names: Iterable[str] = SETTINGS) -> dict[str, Any]:
    """These settings, or all, by name."""
    # Looked up once: a page asks for some forty settings, and each look into the session costs.
    names, this = [*names], session()
    given = this.given
    if missing := [name for name in names if name not in given]:
        given = this.usual(missing) | given
    return {name: given[name] for name in names}


def usual(names: Iterable[str]) -> dict[str, Any]:
    """Values of these settings where the address of this page leaves them out, by name."""
    return session().usual(names)


def question() -> dict[str, Any]:
    """The question of the settings to the model, as the route `live` takes it on this page."""
    return asked_of(session().given, PAGES[session().page].example)


def table_rows() -> TableRows:
    """The rows of the table on the page shown, as its settings and texts ask for them."""
    page = PAGES[session().page]
    return rows_of(settings(MODEL), map(setting, page.texts(setting)))


def world() -> World:
    """The world of the page shown."""
    this = session()
    return shown_world(this.given, this.example())


def take_address(page: str) -> None:
    """Take the settings that this page reads from the address of this run."""
    this, query = session(), _query()
    came_from, this.page = this.page, page
    is_new = came_from != page or query != this.shown
    if is_back_or_forward() or (is_new and came_from == page):
        # After Back an address of a run before may still reach the browser: it gets this one again,
        # without an entry of its own. After a link to the page shown, Streamlit leaves the
        # browser's address as it is. Where the browser has it already this changes nothing.
        st.query_params.from_dict(query)
    if is_new or is_back_or_forward():
        this.over.clear()  # the fields show what this address has
        this.moved = ""
    if came_from != page:
        this.cached.clear()  # an open tab keeps no results of pages that it has left
        this.given.pop("tour", None)  # the stop is not on this page
    this.shown = query
    if _is_late(came_from, query):
        this.is_late = True
        return
    this.bad = []
    for name in PAGES[page].reads:
        this.given.pop(name, None)
        if mark := st.query_params.get(_mark(name)):
            _take_long(name, mark)
        elif name in query:
            _take(name, query[name])


def _is_late(came_from: str, query: Mapping[str, list[str]]) -> bool:
    """Whether this address is of a link to another page that was drawn before the last change."""
    this = session()
    until, links = this.old_links
    is_soon = time.monotonic() < until and not is_back_or_forward()
    return is_soon and came_from not in ("", this.page) and query == links.get(this.page)


def _take(name: str, written: list[str]) -> None:
    """Take one setting as an address has it, or keep a note."""
    setting, this = SETTINGS[name], session()
    try:
        this.given[name] = setting.read(written if isinstance(setting, Choices) else written[-1])
    except Refused as reason:
        this.bad.append(f"{str(reason).removesuffix('.')}; it is left out.")


def _take_long(name: str, mark: str) -> None:
    """Take the text that this mark stands for, or keep a note: another session has it."""
    this = session()
    if mark in this.long:
        this.given[name] = this.long[mark]
    else:
        this.bad.append(
            f"The {name} of this link is too long for an address: only the tab in which it was "
            "typed can have it."
        )


def address_of(page: str, changes: Mapping[str, Any] | None = None) -> dict[str, list[str]]:
    """The query of a link to a page, with these changes of its settings.

    A link leaves the tour: the sentence of a stop is true of its own address alone.
    """
    query: dict[str, list[str]] = {}
    this = session()
    given = this.given | {"tour": 0} | with_ends(changes or {})
    for name, value in named_by(page, given).items():
        written = SETTINGS[name].written(value)
        if isinstance(written, str) and not fits_link(written):
            mark = hashlib.sha256(written.encode(errors="replace")).hexdigest()[:12]
            this.long[mark] = written
            query[_mark(name)] = [mark]
        else:
            query[name] = written if isinstance(written, list) else [written]
    return query


def write_address() -> None:
    """Write the settings into the address, if it has others."""
    query = address_of(session().page, {"tour": setting("tour")})
    if query != _query():
        st.query_params.from_dict(query)
    session().shown = query


def follow_late_link() -> None:
    """At the end of a whole run: an address of before the last change gets that change."""
    this = session()
    if this.is_late:  # not before: the browser has changed the path by now
        this.is_late = False
        write_address()


def is_back_or_forward() -> bool:
    """Whether Back or Forward asked for this run."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def notes() -> Iterator[str]:
    """Sentences on what the address cannot have, or has and cannot be used."""
    this = session()
    yield from this.bad
    for name in PAGES[this.page].reads:
        value = this.given.get(name)
        if isinstance(value, str) and not fits_link(value):
            yield (
                f"The {name} field is too long for a link (there it takes {url_bytes(value):,} of "
                f"at most {MAX_URL_TEXT_BYTES:,} bytes): the address carries none of it, so a "
                "reload forgets it."
            )


def with_ends(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, and defaults of the settings that end with them."""
    ends = {
        record.name: record.default
        for record in ENDING
        if not changes.keys().isdisjoint(record.ends_with)
    }
    return ends | {**changes}


def named_by(page: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given settings that the address of a page has to name."""
    reads = {name: given[name] for name in PAGES[page].reads if name in given}
    return named(reads, PAGES[page].example)


def _query() -> dict[str, list[str]]:
    """The query of the address, also of a link that was escaped twice."""
    query = dict[str, list[str]]()
    for name in st.query_params:
        query.setdefault(in_address(name), []).extend(st.query_params.get_all(name))
    return query


def _mark(name: str) -> str:
    """The parameter that stands for a text too long for an address."""
    return f"{name}_kept"
