"""What a link says, heeded or refused with a note; and fields that outgrow it.

Streamlit's `bind=` keeps widgets and parameters together; here is what it
leaves open: what cannot be read, what is too long, and rows that a link
leaves out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException

from embviz.core.config import MAX_NUM_EMBEDDINGS
from embviz.core.vocabulary import Vocabulary, VocabularyError, resolve
from embviz.request import parameters
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS, LONG, PARAMETERS
from embviz.ui.state.session import change, link_value, setting, settings
from embviz.ui.state.session import state as remembered


def take_address() -> None:
    """Put the default, and a note, in place of each parameter that cannot be used."""
    state = remembered()
    change(state.pop("assign", {}))
    first, query = "seen" not in state, _query()
    changed = {name: raw for name, raw in query.items() if state.get("seen", {}).get(name) != raw}
    state["seen"] = query
    if bad := parameters.check(changed):
        note(bad)
        start_over({name: DEFAULTS[name] for name in bad})
    if long := {n: changed[n] for n in LONG if not parameters.fits_link(changed.get(n, ""))}:
        start_over(long)
    if first and "rows" not in query:
        _fit_rows(
            {
                **DEFAULTS,
                **{name: parameters.read(name, query[name]) for name in query if name in DEFAULTS},
            }
        )
    # A note has done its work once the user has chosen something else.
    if state["notes"] and state["noted_at"] != settings():
        state["notes"].clear()


def _query() -> dict[str, Any]:
    """The parameters of the address: lists for those that may have several values."""
    return {name: link_value(name) if name in DEFAULTS else "" for name in st.query_params}


def note(notes: Mapping[str, str]) -> None:
    """Show these, by name, until the user changes something."""
    state = remembered()
    state["notes"].update(notes)
    state["noted_at"] = settings()


def _fit_rows(settings: Mapping[str, Any]) -> None:
    """Rows enough for the vocabulary, where a link does not say how many."""
    with contextlib.suppress(VocabularyError):
        characters = resolve(settings["vocab"], settings["chars"])
        needed = len(Vocabulary(characters, settings["unknown"] == "unk"))
        if settings["input"] == "text" and DEFAULTS["rows"] < needed <= MAX_NUM_EMBEDDINGS:
            st.session_state["rows"] = needed


def start_over(values: Mapping[str, Any]) -> NoReturn:
    """Run again with these values in place of the link's.

    On a first run the link would win over session state, so the parameters are
    taken out of it; later they are bound to widgets, and session state wins.
    """
    remembered()["assign"] = {n: value for n, value in values.items() if PARAMETERS[n].has_widget}
    with contextlib.suppress(StreamlitAPIException):
        kept = {n: st.query_params.get_all(n) for n in st.query_params if n not in values}
        st.query_params.from_dict(kept)
    st.rerun()


def show_notes() -> None:
    """The notes, and which fields have outgrown the link."""
    if notes := remembered()["notes"]:
        lines = [literal(note) for note in notes.values()]
        st.warning(lines[0] if len(lines) == 1 else "- " + "\n- ".join(lines))
    for name in LONG:
        if not parameters.fits_link(long := setting(name)):
            st.info(
                f"The {name} field is too long for a link ({parameters.url_bytes(long):,} of at "
                f"most {parameters.MAX_URL_TEXT_BYTES:,} bytes): the address carries "
                f"none of it, so a reload forgets it.",
                icon=":material/link_off:",
            )
