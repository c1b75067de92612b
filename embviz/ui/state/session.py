"""One session: the settings of its address, and what it keeps beside them.

The address is the only state of the settings, and Python alone writes it. Each whole run takes it
(`take_address`); a callback changes settings (`change`, `commit`), and so the address: one history
entry. An address has the settings that its page reads. Those of the other pages are remembered as
they were there, for the links to these pages. What an address leaves out is the record's default,
or that of its world (`settings/worlds.py`). A text that is too
long for an address stays in the session, and the address has a mark of it. A text that is longer
than its setting allows stays in its field alone.

Invariants:
- After each run and each callback the address names the settings that its page shows.
- A callback writes one entry of the history; Back and Forward write none, and change no setting but
  to what their entry has.
- A value that cannot be used changes no setting, and one note quotes it.
- A link that was drawn before a change, and is clicked a moment after it, has that change too.
- `given` has readable values alone: each was read by its setting's record.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embviz.fact.table_rows import TableRows, rows_of
from embviz.settings.given import asked_of, fits_link, named, url_bytes
from embviz.settings.kinds import MAX_URL_TEXT_BYTES, Choices
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES, SETTINGS
from embviz.settings.worlds import KEPT, World, entering, shown_world, world_of_text
from embviz.system.bounds import OverLimitError
from embviz.text.refused import Refused
from embviz.ui.state.remembered import state

T = TypeVar("T")
MAIN, BODY = "main", "body"  # fragments that a changed setting draws again
ENDING = [one for one in SETTINGS.values() if one.ends_with]
OLD_LINK_S = 5.0  # a click on a link may be this much older than the change before it


def setting(name: str) -> Any:
    """A setting; its default where the address has something unusable."""
    return settings([name])[name]


def settings(names: Iterable[str] = SETTINGS) -> dict[str, Any]:
    """These settings, or all, by name."""
    # Looked up once: a page asks for some forty settings, and each look into the session costs.
    names, remembered = [*names], state()
    given = remembered.given
    if missing := [name for name in names if name not in given]:
        given = remembered.usual(missing) | given
    return {name: given[name] for name in names}


def usual(names: Iterable[str]) -> dict[str, Any]:
    """Values of these settings where the address of this page leaves them out, by name."""
    return state().usual(names)


def question() -> dict[str, Any]:
    """The question of the settings to the model, as the route `live` takes it on this page."""
    return asked_of(state().given, PAGES[state().page].example)


def table_rows() -> TableRows:
    """The rows of the table on the page shown, as its settings and texts ask for them."""
    page = PAGES[state().page]
    return rows_of(settings(MODEL), map(setting, page.texts(setting)))


def world() -> World:
    """The world of the page shown."""
    remembered = state()
    return shown_world(remembered.given, remembered.has_example())


def enter(other: World) -> None:
    """A callback: go to another world, with its table; the text stays where it fits."""
    remembered = state()
    changes, reason = entering(other, remembered.given, setting("text"))
    for name in {*MODEL} - {*KEPT}:
        remembered.given.pop(name, None)

    def explain() -> None:
        remembered.moved = reason

    change(changes, explain)
    redraw(True)


def take_address(page: str) -> None:
    """Take the settings that this page reads from the address of this run."""
    remembered, query = state(), _query()
    came, remembered.page = remembered.page, page
    if is_back_or_forward():
        # An address of a run before may reach the browser after Back. It then gets this one again,
        # without an entry of its own; one that it has already changes nothing.
        st.query_params.from_dict(query)
    elif came == page and query != remembered.shown:
        # A link to the page shown: Streamlit leaves the browser's address and history as they are.
        st.query_params.from_dict(query)
    if came != page or query != remembered.shown or is_back_or_forward():
        remembered.over.clear()  # the fields show what this address has
        remembered.moved = ""
    if came != page:
        remembered.cached.clear()  # an open tab keeps no results of pages that it has left
    remembered.shown = query
    until, links = remembered.old_links
    is_soon = time.monotonic() < until and not is_back_or_forward()
    if is_soon and came not in ("", page) and query == links.get(page):
        remembered.is_late = True  # the link was drawn before the last change
        return
    given, bad = remembered.given, []
    for name in PAGES[page].reads:
        given.pop(name, None)
        if mark := st.query_params.get(_mark(name)):
            if mark in remembered.long:
                given[name] = remembered.long[mark]
            else:
                bad.append(
                    f"The {name} of this link is too long for an address: only the tab in which "
                    "it was typed can have it."
                )
        elif name in query:
            one, raw = SETTINGS[name], query[name]
            try:
                given[name] = one.read(raw if isinstance(one, Choices) else raw[-1])
            except Refused as reason:
                bad.append(f"{str(reason).removesuffix('.')}; it is left out.")
    remembered.bad = bad


def address_of(page: str, changes: Mapping[str, Any] | None = None) -> dict[str, list[str]]:
    """The query of a page's address, with these changes of its settings."""
    query: dict[str, list[str]] = {}
    remembered = state()
    given = remembered.given | (with_ends(changes) if changes else {})
    for name, value in _named(page, given).items():
        written = SETTINGS[name].written(value)
        if isinstance(written, str) and not fits_link(written):
            mark = hashlib.sha256(written.encode(errors="replace")).hexdigest()[:12]
            remembered.long[mark] = written
            query[_mark(name)] = [mark]
        else:
            query[name] = written if isinstance(written, list) else [written]
    return query


def change(changes: Mapping[str, Any], then: Callable[[], object] | None = None) -> None:
    """Change settings, and the address with them, in a callback: one entry of the history.

    `then` is called before the address is written, and may `assign` more.
    """
    remembered = state()
    before, before_given = remembered.base(), {**remembered.given}
    # Every page, because a link is drawn for each.
    old = {page: remembered.links.get(page) or address_of(page) for page in PAGES}
    remembered.old_links = (time.monotonic() + OLD_LINK_S, old)
    remembered.moved = ""
    assign(changes)
    if "text" in changes and "world" not in changes:
        assign({"world": _world_of(changes["text"], before_given)})
    if then is not None:
        then()
    page, given = remembered.page, remembered.given
    for name in {*PAGES[page].reads} - {*_named(page, given)}:  # as the next run will take it
        given.pop(name, None)
    if remembered.base() != before:  # the example begins or ends: every widget has another value
        remembered.redraw_all = True
    write_address()
    _forget_old_texts()


def _world_of(text: str, given: Mapping[str, Any]) -> str:
    """The name of the world in which a typed text is shown."""
    remembered = state()
    found, remembered.moved = world_of_text(text, given, remembered.has_example())
    return found.name


def _forget_old_texts() -> None:
    """Forget the long texts of other pages that are no longer among the last ones."""
    given, kept = state().given, set(map(id, state().long.values()))
    for name, value in [*given.items()]:
        is_long = isinstance(value, str) and len(value) > MAX_URL_TEXT_BYTES
        if is_long and id(value) not in kept:
            del given[name]


def assign(changes: Mapping[str, Any]) -> None:
    """Change settings of this run and of the links; the address follows with the next change."""
    for name, value in with_ends(changes).items():
        one = SETTINGS[name]
        with suppress(Refused):
            state().given[name] = one.read(one.written(value))
            state().over.pop(name, None)


def end_of_run() -> None:
    """The last call of a whole run."""
    remembered = state()
    remembered.whole_run = running()
    if remembered.is_late:  # not before: the browser has changed the path by now
        remembered.is_late = False
        write_address()


def write_address() -> None:
    """Write the settings into the address, if it has others."""
    query = address_of(state().page)
    if query != _query():
        st.query_params.from_dict(query)
    state().shown = query


def go(changes: Mapping[str, Any], redraw_all: bool = False) -> None:
    """A callback: change settings; draw again what shows them, or the whole app."""
    change(changes)
    redraw(redraw_all or any(name in MODEL or SETTINGS[name].sidebar for name in changes))


def commit(
    name: str,
    then: Callable[[], object] | None = None,
    of: Callable[[Any], Any] | None = None,
) -> None:
    """The callback of a setting's widget; `then` as in `change`.

    `of` gives the setting for the widget's value, which may be forged, where the widget shows
    another one. A value that is out of range changes no setting; a text that is too long stays in
    its field, and `refuse_long` says so.
    Back and Forward change no setting: their message may have a widget as it was two entries ago.
    """
    if is_back_or_forward():
        return
    one = SETTINGS[name]
    try:
        value = st.session_state.get(name)  # None: of several presses none is pressed
        if of is not None:
            value = of(value)
        change({name: one.default if value is None else one.read(value)}, then)
    except OverLimitError as refused:
        state().over[name] = str(refused)
    except Refused:
        pass
    redraw(one.sidebar)


def is_over(name: str) -> bool:
    """Whether the field of a setting has a text that is too long: the setting has another one."""
    over = state().over
    if name in over and name not in st.session_state and name not in state().forgotten:
        del over[name]  # the field was gone meanwhile, and its text with it
    return name in over


def refuse_long(*names: str) -> None:
    """Refuse what a page would show while a field of these settings has a text that is too long.

    Raises:
        OverLimitError: the sentence; what is shown would be of the text before.
    """
    for name in names:
        if said := state().over.get(name):
            raise OverLimitError(said, about=name)


def redraw(redraw_all: bool = False) -> None:
    """The end of a callback: what has to be drawn again.

    The body. All but the sidebar, if the widget stands outside of the body, or if a link to another
    page has to change. The whole app, if the last whole run was cut short, because its widgets may
    be old, if the same message switches the page, if there is a note on the address, if the sidebar
    shows another number of rows than the picture will have, or if `state().redraw_all` asks for
    it.
    """
    remembered, context = state(), get_script_run_ctx()
    is_cut = remembered.whole_run != running()
    if context is None or redraw_all or is_cut or remembered.redraw_all or any(notes()):
        st.rerun()
    if (drawn_rows := remembered.rows) is not None and drawn_rows != table_rows():
        st.rerun()
    # A click on the link of the page shown does nothing: see `listen.js`.
    others = remembered.links.keys() - {remembered.page}
    is_old = any(address_of(page) != remembered.links[page] for page in others)
    find = context.fragment_storage.resolve_target
    part = part_to_draw(context.fragment_ids_this_run, find(MAIN), find(BODY), is_old)
    if part:
        st.rerun(part)


def part_to_draw(
    running: Sequence[str] | None, main: Sequence[str], body: Sequence[str], is_old: bool
) -> str:
    """The part that a change has to have drawn: MAIN, BODY, or "" if the run under way draws it.

    Args:
        running: Streamlit's names of the fragments that this run draws; None where it has begun
            the whole app, as for a widget of the sidebar.
        main: the names of all but the sidebar, with the links to other pages, around the body.
        body: the names of the body.
        is_old: whether such a link has to change.
    """
    if running == main:
        return ""
    if is_old:
        return MAIN
    return "" if running == body else BODY


def is_back_or_forward() -> bool:
    """Whether Back or Forward asked for this run."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def running() -> str:
    """Streamlit's name of the page that this run draws, or in a callback is about to draw."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def notes() -> Iterator[str]:
    """Sentences on what the address cannot have, or has and cannot be used."""
    remembered = state()
    yield from remembered.bad
    for name in PAGES[remembered.page].reads:
        value = remembered.given.get(name)
        if isinstance(value, str) and not fits_link(value):
            yield (
                f"The {name} field is too long for a link (there it takes {url_bytes(value):,} of "
                f"at most {MAX_URL_TEXT_BYTES:,} bytes): the address carries none of it, so a "
                "reload forgets it."
            )


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
    slots = state().cached
    if slot not in slots or slots[slot][0] != made_of:
        slots[slot] = (made_of, make())
    kept: T = slots[slot][1]
    return kept


def forget(slot: str) -> None:
    """Drop a result of `cached`."""
    state().cached.pop(slot, None)


def _named(page: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Of these settings those that the address of a page has to name."""
    reads = {name: given[name] for name in PAGES[page].reads if name in given}
    return named(reads, PAGES[page].example)


def with_ends(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, and defaults of the settings that end with them."""
    ends = {one.name: one.default for one in ENDING if not changes.keys().isdisjoint(one.ends_with)}
    return ends | {**changes}


def _query() -> dict[str, list[str]]:
    """The query of the address as it is."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _mark(name: str) -> str:
    """The parameter that stands for a text too long for an address."""
    return f"{name}_kept"
