"""The address: what it says is taken or refused with a note.

Streamlit's `bind=` keeps widgets and parameters the same. This module adds what it leaves open:
values that cannot be read, texts that are too long for a link, links without `rows`, settings of
other pages, and settings that a page reads before it draws their widgets. `ui/frame/address.js`
decides what stands in the address and what makes a history entry.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embviz.core.config import MAX_NUM_EMBEDDINGS
from embviz.core.refused import Refused
from embviz.core.tokenizers import vocabulary
from embviz.request.markdown import literal
from embviz.request.parameters import (
    DEFAULTS,
    LONG,
    MAX_URL_TEXT_BYTES,
    MODEL,
    PARAMETERS,
    check,
    fits_link,
    read,
    url_bytes,
)
from embviz.ui.state.session import change, link_value, setting, settings, state


def take_address() -> None:
    """Take what is bad or too long out of the address; what is bad becomes the default, noted.

    Starts the run over if there is one.
    """
    remembered = state()
    change(remembered.pop("assign", {}))
    first, before = "query" not in remembered, remembered.get("query", {})
    query = {name: link_value(name) if name in DEFAULTS else "" for name in st.query_params}
    changed = {name: raw for name, raw in query.items() if before.get(name) != raw}
    remembered["query"] = query
    came_back = _came_back()
    given = query if came_back else changed
    if bad := check(given):
        note(bad)
    good = {n: read(n, raw) for n, raw in given.items() if n in PARAMETERS and n not in bad}
    change(_of_entry(good) if came_back else _adopted(good))
    replaced = {name: DEFAULTS[name] for name in bad}
    replaced |= {n: changed[n] for n in LONG if not fits_link(changed.get(n, ""))}
    if replaced:
        start_over(replaced)
    if first and "rows" not in query:
        known = {name: read(name, raw) for name, raw in query.items() if name in DEFAULTS}
        _fit_rows({**DEFAULTS, **known})
    # A note goes once the user has chosen something else.
    if remembered["notes"] and remembered["noted_at"] != settings():
        remembered["notes"].clear()


def _came_back() -> bool:
    """Whether Back or Forward asked for this run."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _of_entry(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of the page as its entry of the history has them: given there, or the default.

    Streamlit does the same for each bound widget, but only when it is drawn. A text that is too
    long for a link stands in no entry, and stays.
    """
    page = state()["page"]
    return {
        one.name: given.get(one.name, one.default)
        for one in PARAMETERS.values()
        if page in one.pages and one.has_widget
        if one.name in given or not (one.long and not fits_link(setting(one.name)))
    }


def _adopted(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a page which was just opened takes from the address by this module.

    Streamlit takes what the widgets of the page find there. It forgets what belongs to other pages.
    And it prefers the session's value where the link asks for the default, or where the page
    before drew the same widget.
    """
    remembered = state()
    page, before = remembered["page"], remembered.get("address_of")
    remembered["address_of"] = page
    if page == before:
        return {}
    return {
        name: value
        for name, value in given.items()
        if PARAMETERS[name].has_widget
        and (page not in PARAMETERS[name].pages or name in MODEL or value == DEFAULTS[name])
    }


def note(notes: Mapping[str, str]) -> None:
    """Show these notes, by name, until the user changes a setting."""
    remembered = state()
    remembered["notes"].update(notes)
    remembered["noted_at"] = settings()


def start_over(values: Mapping[str, Any]) -> NoReturn:
    """Run again with these values instead of the address's.

    In a session's first run the address wins over the session state, so the parameters leave it.
    Later they are bound to widgets, and the session state wins.
    """
    state()["assign"] = {n: value for n, value in values.items() if PARAMETERS[n].has_widget}
    with contextlib.suppress(StreamlitAPIException):
        kept = {n: st.query_params.get_all(n) for n in st.query_params if n not in values}
        st.query_params.from_dict(kept)
    st.rerun()


def show_notes() -> None:
    """Draw the notes, and name the fields that are too long for a link."""
    if notes := [literal(note) for note in state()["notes"].values()]:
        st.warning(notes[0] if len(notes) == 1 else "- " + "\n- ".join(notes))
    state()["too_long"] = too_long(LONG)
    for name, size in state()["too_long"].items():
        st.info(
            f"The {name} field is too long for a link ({size:,} of at most "
            f"{MAX_URL_TEXT_BYTES:,} bytes): the address carries none of it, so a reload "
            "forgets it.",
            icon=":material/link_off:",
        )


def notes_are_old(page: str) -> bool:
    """Whether the notes shown may no longer be right, after a change that this page can make."""
    names = [name for name in LONG if page in PARAMETERS[name].pages]
    shown = {name: size for name, size in state()["too_long"].items() if name in names}
    return bool(state()["notes"]) or too_long(names) != shown


def too_long(names: Iterable[str]) -> dict[str, int]:
    """The bytes, as a link writes them, of each of these texts that does not fit one."""
    texts = settings(names)
    return {name: url_bytes(text) for name, text in texts.items() if not fits_link(text)}


def _fit_rows(settings: Mapping[str, Any]) -> None:
    """Set `rows` to what the vocabulary of a link without `rows` needs, if that is more."""
    if settings["input"] != "text":
        return
    with contextlib.suppress(Refused):
        needed = len(vocabulary(settings))
        if DEFAULTS["rows"] < needed <= MAX_NUM_EMBEDDINGS:
            st.session_state["rows"] = needed
