"""The settings of one session: read as the parameters allow them, or changed.

Streamlit's session state holds them. What the frame itself must remember stands in one entry of
it, `state()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from embviz.request.parameter_kinds import Choices
from embviz.request.parameters import DEFAULTS, PARAMETERS, read

T = TypeVar("T")
_UNSET = object()


def state() -> dict[str, Any]:
    """The state of this session that the frame keeps."""
    remembered: dict[str, Any] | None = st.session_state.get("_embviz")
    if remembered is None:
        remembered = st.session_state["_embviz"] = {"notes": {}}
    return remembered


def setting(name: str) -> Any:
    """A setting; its default where a forged message put something unusable."""
    return settings([name])[name]


def settings(names: Iterable[str] = DEFAULTS) -> dict[str, Any]:
    """These settings, or all, by name; each takes about 10 µs to look up."""
    temporary, found = state().get("temporary", {}), {}
    for name in names:
        if name in temporary:
            found[name] = temporary[name]
            continue
        raw = st.session_state.get(name, _UNSET)
        try:
            found[name] = read(name, link_value(name) if raw is _UNSET else raw)
        except ValueError:
            found[name] = DEFAULTS[name]
    return found


@contextmanager
def temporary_settings(settings: Mapping[str, Any]) -> Iterator[None]:
    """Settings for a part of another page, drawn in this block; the user's own stay as they are."""
    state()["temporary"] = {name: read(name, value) for name, value in settings.items()}
    try:
        yield
    finally:
        del state()["temporary"]


def widget_value(key: str, default: Any = None) -> Any:
    """The value of a page's own widget, read in its callback.

    The default stands in where the widget is gone: its change may have cut short the run that
    removes it from the page, and Streamlit then calls back without it.
    """
    return st.session_state.get(key, default)


def link_value(name: str) -> Any:
    """The raw value of a parameter in the address, or its default."""
    if name not in st.query_params:
        return DEFAULTS[name]
    several = isinstance(PARAMETERS[name], Choices)
    return st.query_params.get_all(name) if several else st.query_params[name]


def change(changes: Mapping[str, Any]) -> None:
    """Set settings, before their widgets are drawn or in a callback."""
    for name, value in changes.items():
        one = PARAMETERS.get(name)
        st.session_state[name] = value if one is None else one.in_widget(value)


def cached(slot: str, made_of: object, make: Callable[[], T]) -> T:
    """The result of `make()`, kept in this session until `made_of` changes."""
    memory: dict[str, Any] = state().setdefault("cached", {})
    if slot not in memory or memory[slot][0] != made_of:
        memory[slot] = (made_of, make())
    kept: T = memory[slot][1]
    return kept


def forget(slot: str) -> None:
    """Drop a result of `cached`."""
    state().get("cached", {}).pop(slot, None)
