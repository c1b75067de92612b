"""The settings of one session: read as the parameters allow them, or changed.

Session state is Streamlit's; what the shell itself has to remember stands in
one place of it, `state()`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from embviz.ui import parameters
from embviz.ui.parameters import DEFAULTS

LONG = ("text", "ids", "chars", "weights")  # fields that may outgrow a link


def state() -> dict[str, Any]:
    """What the shell remembers of this session."""
    remembered: dict[str, Any] = st.session_state.setdefault("_embviz", {"notes": {}})
    return remembered


def setting(name: str) -> Any:
    """A setting as `parameters.read` allows it, whatever a forged message put there."""
    try:
        return parameters.read(name, st.session_state.get(name, DEFAULTS[name]))
    except ValueError:
        return DEFAULTS[name]


def settings() -> dict[str, Any]:
    """Every setting, as the URL names them."""
    return {name: setting(name) for name in DEFAULTS}


def change(changes: Mapping[str, Any]) -> None:
    """Set settings; before their widgets are drawn, or from a callback."""
    for name, value in changes.items():
        st.session_state[name] = value


def literal(text: str) -> str:
    """Text that Streamlit's Markdown shows as it is: no markup, no maths, no colours."""
    shown = re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=\"'])", r"\\\1", text)
    return shown.replace("\x00", "\\x00")
