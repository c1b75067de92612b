"""Widgets that are bound to the address: each has its parameter's name as key.

Default, range and choices come from the parameter's record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core.bounds import hosted
from embviz.request.markdown import literal
from embviz.request.parameter_kinds import Number
from embviz.request.parameters import DEFAULTS, PARAMETERS, fits_link
from embviz.ui.frame.body import change_all
from embviz.ui.state import link
from embviz.ui.state.session import setting, state

AT_ONCE = "0ms"  # a text field commits on every key
SMALL_MB = 2  # of uploaded weights or a run
BOUND: Any = {"bind": "query-params", "persist_state": "session"}


def visible_if(name: str, visible: bool, **more: Any) -> DeltaGenerator:
    """A container for bound widgets; frame.css hides it where `visible` is false.

    A bound widget that is not drawn loses its value and its parameter in the address.
    """
    key = f"{name}_{'seen' if visible else 'unseen'}"
    return st.container(key=key, **({"gap": "small" if more.get("horizontal") else None} | more))


def not_default(*names: str) -> bool:
    """Whether one of these settings differs from its default or stands in the address.

    Only then must a page that does not use its widget draw it, hidden.
    """
    return any(name in st.query_params or setting(name) != DEFAULTS[name] for name in names)


def opens(fold: str, *names: str) -> bool:
    """Whether a fold of settings begins open, because the address or a press has set one of them.

    Once open it stays open: it must not close on the way back to a default.
    """
    remembered = state()
    remembered[fold] = remembered.get(fold, False) or not_default(*names)
    return bool(remembered[fold])


def binding(name: str) -> dict[str, Any]:
    """Arguments that bind a field to the address, as long as its text fits there."""
    return dict(BOUND) if fits_link(setting(name)) else {"persist_state": "session"}


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


def text_line(
    label: str, name: str, placeholder: str, live: str | bool = AT_ONCE, **more: Any
) -> None:
    """A one-line text field that commits on every key; with `live=True`, after 250 ms of rest."""
    st.text_input(
        label,
        DEFAULTS[name],
        key=name,
        live=live,
        placeholder=placeholder,
        **({"label_visibility": "collapsed"} | more | binding(name)),
    )


def text_lines(label: str, name: str, **more: Any) -> None:
    """A text field of several lines; Ctrl+Enter commits it."""
    st.text_area(label, DEFAULTS[name], key=name, **more, **binding(name))


def number(
    label: str, name: str, help: str, widget: Callable[..., int] = st.number_input, **more: Any
) -> None:
    """A whole number within its range; a value that Streamlit cannot read becomes the default."""
    one = PARAMETERS[name]
    assert isinstance(one, Number)
    try:
        more |= {"key": name, "help": help, **BOUND}
        widget(label, one.low, one.high, one.default, 1, **more)
    except (ValueError, OverflowError, TypeError):  # ?dim=inf, or NaN in a forged message
        if name not in state()["notes"]:
            link.note({name: f"{name} was not a whole number; using {one.default:,}."})
        link.start_over({name: one.default})
    if name in state()["notes"]:
        st.markdown(f":small[:red[{literal(state()['notes'][name])}]]")


# Streamlit writes a widget's *label* into the address, so these show the address's own values.
def choice(label: str, name: str, **more: Any) -> None:
    """One of several values, in a list."""
    options = PARAMETERS[name].options()
    st.selectbox(label, options, options.index(DEFAULTS[name]), key=name, **more, **BOUND)


def segments(label: str, name: str, **more: Any) -> None:
    """One of a few values, side by side."""
    st.segmented_control(
        label,
        PARAMETERS[name].options(),
        default=DEFAULTS[name],
        required=True,
        key=name,
        **{"wrap": False} | more | BOUND,
    )


def titled(label: str, name: str, titles: Mapping[str, str]) -> None:
    """One of a few values, side by side, by their titles; a choice runs the whole app.

    The address has the value and not the title, so a hidden widget is bound to it.
    """
    with visible_if(name, False):
        segments(label, name)
    shown = f"{name}_title"
    if st.session_state.get(shown) != setting(name):
        st.session_state[shown] = setting(name)
    st.segmented_control(
        label,
        [*titles],
        format_func=titles.__getitem__,
        required=True,
        key=shown,
        label_visibility="collapsed",
        on_change=lambda: change_all({name: st.session_state[shown]}),
    )


def switch(label: str, name: str, **more: Any) -> None:
    """True or false."""
    st.toggle(label, DEFAULTS[name], key=name, **more, **BOUND)
