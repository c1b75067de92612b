"""The settings of one session: read as the parameters allow them, or changed.

Session state is Streamlit's; what the shell itself has to remember stands in
one place of it, `state()`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from embviz.request import parameters
from embviz.request.parameters import DEFAULTS, LISTS

T = TypeVar("T")
# Fields that may outgrow a link.
LONG = (
    "text",
    "ids",
    "chars",
    "weights",
    "x",
    "docs",
    "linear",
    "find",
    "edit",
    "probe",
    "sentences",
)


def state() -> dict[str, Any]:
    """What the shell remembers of this session."""
    remembered: dict[str, Any] = st.session_state.setdefault("_embviz", {"notes": {}})
    return remembered


def setting(name: str) -> Any:
    """A setting as `parameters.read` allows it, whatever a forged message put there."""
    if name in (instead_of := state().get("instead", {})):
        return instead_of[name]
    try:
        return parameters.read(
            name, st.session_state[name] if name in st.session_state else linked(name)
        )
    except ValueError:
        return DEFAULTS[name]


@contextmanager
def instead(settings: Mapping[str, Any]) -> Iterator[None]:
    """Draw a part of another page with these settings, and leave the user's own as they are."""
    state()["instead"] = {name: parameters.read(name, value) for name, value in settings.items()}
    try:
        yield
    finally:
        del state()["instead"]


def typed(key: str, instead_of: Any = None) -> Any:
    """What a widget of a page's own holds, for its callback to take.

    Streamlit calls back with a state that no longer has the widget, if the run that took it from
    the page was cut short by this very change; then it is `instead_of`.
    """
    return st.session_state.get(key, instead_of)


def linked(name: str) -> Any:
    """What a widget that is not drawn yet will hold: the link's value, or the default."""
    if name not in st.query_params:
        return DEFAULTS[name]
    return st.query_params.get_all(name) if name in LISTS else st.query_params[name]


def settings(names: Iterable[str] = DEFAULTS) -> dict[str, Any]:
    """These settings, or all, as the URL names them; each costs some 20 µs to look up."""
    return {name: setting(name) for name in names}


def change(changes: Mapping[str, Any]) -> None:
    """Set settings; before their widgets are drawn, or from a callback."""
    for name, value in changes.items():
        # A slider with two ends knows them by their being a tuple.
        st.session_state[name] = tuple(value) if name == "span" else value


def once(slot: str, made_of: object, make: Callable[[], T]) -> T:
    """What `make` gives, kept in this session until `made_of` is another."""
    memory: dict[str, Any] = state().setdefault("once", {})
    if slot not in memory or memory[slot][0] != made_of:
        memory[slot] = (made_of, make())
    kept: T = memory[slot][1]
    return kept


def forget(slot: str) -> None:
    """Let `once` make this anew."""
    state().get("once", {}).pop(slot, None)


def literal(text: str) -> str:
    """Text that Streamlit's Markdown shows as it is: no markup, no maths, no colours."""
    shown = re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=\"'])", r"\\\1", text)
    return shown.replace("\x00", "\\x00")
