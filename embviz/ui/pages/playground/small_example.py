"""The small example: a table that is multiplied by hand, and the way back from it.

A press is a link to the example: all its settings are in the address. The settings before it are
kept in the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embviz.request.parameters import DEFAULTS, MODEL
from embviz.ui.frame.body import change_all
from embviz.ui.stage import show
from embviz.ui.state.session import settings, state

EXAMPLE = {name: DEFAULTS[name] for name in MODEL} | {
    "text": "abca",
    "vocab": "custom",
    "chars": "abcdef",
    "rows": 6,
    "dim": 3,
    "init": "integers",
}
_PICTURE = ("token", "view")


def draw() -> None:
    """The button to the example, or back to the settings before it."""
    now, before = settings(MODEL), state().get("before_example")
    if before is not None and now != {name: before[name] for name in MODEL}:
        _button("Back to mine", before)
    elif now == EXAMPLE:  # opened by a link
        _button("Larger example", DEFAULTS)
    else:
        _button("Small example", EXAMPLE | {"view": "embedding", "token": 0})


def _button(label: str, wanted: Mapping[str, Any]) -> None:
    st.button(label, key="example", on_click=_go, args=(wanted,), width="content")


def _go(wanted: Mapping[str, Any]) -> None:
    remembered, here = state(), settings((*MODEL, *_PICTURE))
    remembered["before_example"] = here if EXAMPLE.items() <= wanted.items() else None
    show(**{name: wanted[name] for name in _PICTURE})
    change_all({name: wanted[name] for name in MODEL})
