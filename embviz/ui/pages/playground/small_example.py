"""The small example: a table that is multiplied by hand. Back leads to what was there before."""

from __future__ import annotations

import streamlit as st

from embviz.request.settings import MODEL, defaults
from embviz.ui.state.session import go, settings

EXAMPLE = defaults() | {
    "text": "abca",
    "vocab": "custom",
    "chars": "abcdef",
    "rows": 6,
    "dim": 3,
    "init": "integers",
}


def draw() -> None:
    """The button to the example, and from it to the usual settings."""
    if settings(MODEL) == EXAMPLE:
        label, wanted = "Larger example", defaults()
    else:
        label, wanted = "Small example", EXAMPLE | {"view": "embedding", "token": 0}
    st.button(label, key="example", on_click=go, args=(wanted,), width="content")
