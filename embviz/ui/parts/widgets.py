"""Widgets of settings: each shows its setting, and a change of it changes the address.

The key of a widget is its setting's name. Range, choices and help come from the setting's record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

import streamlit as st

from embviz.core.bounds import hosted
from embviz.request.settings import SETTINGS, Number
from embviz.ui.state.session import commit, setting, settings, state, usual

PAUSE = "600ms"  # after the last key; each commit is an entry of the history
SMALL_MB = 2  # of uploaded weights or a run


def shown(name: str, then: Callable[[], object] | None = None) -> dict[str, Any]:
    """Arguments of a widget that shows a setting; `then` is called after a change.

    Streamlit writes into a widget what the session state is given, also over what is being typed:
    so only another value is given.
    """
    value = setting(name)
    if name not in st.session_state or st.session_state[name] != value:
        st.session_state[name] = value
    help = SETTINGS[name].help or None
    return {"key": name, "on_change": commit, "args": (name, then), "help": help}


def opens(fold: str, *names: str) -> bool:
    """Whether a fold of settings begins open, because one of them is not as usual.

    Once open it stays open: it must not close on the way back to a default.
    """
    remembered = state()
    differs = settings(names) != usual(names)
    remembered[fold] = remembered.get(fold, False) or differs
    return bool(remembered[fold])


def uploader(label: str, key: str, *kinds: str, megabytes: int = SMALL_MB, **more: Any) -> None:
    """A field for files with these endings; none where hosted, because no upload is taken there."""
    if not hosted():
        st.file_uploader(label, [*kinds], key=key, max_upload_size=megabytes, **more)


def uploaded(key: str) -> list[Any]:
    """The files that an uploader holds.

    Session state may also hold placeholders, for files that a forged message names.
    """
    value = st.session_state.get(key)
    files = value if isinstance(value, list) else [value]
    return [file for file in files if isinstance(file, BytesIO)]


def text_line(label: str, name: str, then: Callable[[], object] | None = None, **more: Any) -> None:
    """A one-line text field; without `live` it commits on Enter and where it is left."""
    st.text_input(label, **{"live": False} | shown(name, then) | more)


def text_lines(label: str, name: str, **more: Any) -> None:
    """A text field of several lines; Ctrl+Enter commits it."""
    st.text_area(label, **shown(name) | more)


def number(
    label: str,
    name: str,
    widget: Callable[..., int] = st.number_input,
    most: int | None = None,
    **more: Any,
) -> None:
    """A whole number within its range, or up to `most`; a larger one shows as `most`."""
    one, given = SETTINGS[name], shown(name)
    assert isinstance(one, Number)
    high = one.high if most is None else most
    if st.session_state[name] > high:
        st.session_state[name] = high
    widget(label, min_value=one.low, max_value=high, step=1, **given | more)


def choice(label: str, name: str, then: Callable[[], object] | None = None, **more: Any) -> None:
    """One of several values, in a list."""
    st.selectbox(label, SETTINGS[name].options(), **shown(name, then) | more)


def several(label: str, name: str, options: Iterable[str] = (), **more: Any) -> None:
    """Several values, in a list; `options` stand in for those of the record."""
    given = [*options] or SETTINGS[name].options()
    st.multiselect(label, given, placeholder="Choose at least one", **shown(name) | more)


def segments(label: str, name: str, then: Callable[[], object] | None = None, **more: Any) -> None:
    """One of a few values, side by side."""
    given = {"required": True, "wrap": False} | shown(name, then)
    st.segmented_control(label, SETTINGS[name].options(), **given | more)


def presses(label: str, name: str, **more: Any) -> None:
    """A row of presses, one of them pressed, or none: then the setting is its default."""
    default, given = SETTINGS[name].default, shown(name)
    if st.session_state[name] == default:
        st.session_state[name] = None
    options = [one for one in SETTINGS[name].options() if one != default]
    st.pills(label, options, **given | more)


def switch(label: str, name: str, **more: Any) -> None:
    """True or false."""
    st.toggle(label, **shown(name) | more)
