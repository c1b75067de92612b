"""Widgets that are bound to the URL: each carries its parameter's name as key."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import DeletedFile

from embviz.request import parameters
from embviz.request.parameters import DEFAULTS, RANGES
from embviz.ui.state import link
from embviz.ui.state.session import setting, state

SMALL_MB = 2  # of an uploaded text, table or run
BOUND: Any = {"bind": "query-params", "persist_state": "session"}


def seen(name: str, seen: bool, **more: Any) -> DeltaGenerator:
    """A container for bound widgets, which are always drawn so that the link keeps them."""
    key = f"{name}_{'seen' if seen else 'unseen'}"
    return st.container(key=key, **({"gap": "small" if more.get("horizontal") else None} | more))


def held(*names: str) -> bool:
    """Whether one of these settings is not at its default, so that its widget must hold it.

    A bound widget that a page has no use for is drawn unseen, or its parameter would leave the
    address. At its default there is none, and each widget that is not drawn is work saved.
    """
    return any(name in st.query_params or setting(name) != DEFAULTS[name] for name in names)


def binding(name: str) -> dict[str, Any]:
    """How a field that may outgrow the link is bound: to the link as long as it fits there."""
    return dict(BOUND) if parameters.fits_link(setting(name)) else {"persist_state": "session"}


def dropped(name: str) -> list[Any]:
    """The files that an uploader holds; a message may also name some that never came, or are gone.

    Streamlit leaves those out of what the uploader returns, and not out of session state.
    """
    there = st.session_state.get(name)
    files = there if isinstance(there, list) else [there]
    return [one for one in files if one is not None and not isinstance(one, DeletedFile)]


def line(label: str, name: str, placeholder: str, **more: Any) -> None:
    """A field that commits on every key."""
    st.text_input(
        label,
        DEFAULTS[name],
        key=name,
        live="0ms",
        placeholder=placeholder,
        **({"label_visibility": "collapsed"} | more | binding(name)),
    )


def number(label: str, name: str, help: str) -> None:
    """A bounded whole number; a value that Streamlit itself cannot read starts it over."""
    low, high = RANGES[name]
    try:
        st.number_input(label, low, high, DEFAULTS[name], 1, key=name, help=help, **BOUND)
    except (ValueError, OverflowError, TypeError):  # ?dim=inf, or NaN in a forged message
        if name not in state()["notes"]:
            link.note({name: f"{name} was not a whole number; using {DEFAULTS[name]:,}."})
        link.start_over({name: DEFAULTS[name]})


# Streamlit writes a widget's *label* into the link, so these show the link's own values.
def choice(label: str, name: str, options: list[str], **more: Any) -> None:
    """One of several, in a list."""
    st.selectbox(label, options, options.index(DEFAULTS[name]), key=name, **more, **BOUND)


def segments(label: str, name: str, **more: Any) -> None:
    """One of few, side by side."""
    st.segmented_control(
        label,
        parameters.CHOICES[name](),
        default=DEFAULTS[name],
        required=True,
        key=name,
        **{"wrap": False} | more | BOUND,
    )
