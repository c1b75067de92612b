"""The stage: one component that draws tokens, one-hot, weight and both outputs.

Python sends a window of a large table and computes the verdict. The JavaScript beside this file
draws, scrubs, plays and explains cells without asking the server. `request/payload.py` has the
format of the bytes.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from embviz.core.routes import BothRoutes
from embviz.request.inputs import Inputs
from embviz.request.payload import Window, pack

_FOLDER = Path(__file__).parent
# Scripts in one module scope, in reading order; stage.js has the entry point.
_PARTS = "payload colours strip picture outputs verdict link select keys stage"
_SCRIPTS = [f"{name}.js" for name in _PARTS.split()]
_KEY = "stage"

_component = st.components.v2.component(
    "embviz_stage",
    html=(_FOLDER / "stage.html").read_text(encoding="utf-8"),
    css=(_FOLDER / "stage.css").read_text(encoding="utf-8"),
    js="\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS),
)


def stage(both: BothRoutes, given: Inputs, stale: bool = False) -> None:
    """Draw the stage for one result.

    Args:
        both: the result of both routes.
        given: its inputs, for labels and the round trip.
        stale: whether the result is an earlier input's and drawn faint.
    """
    asked = st.session_state.get(_KEY, {}).get("window")
    window = Window.read(asked if asked is not None else st.query_params.get("token"))
    _component(key=_KEY, data=pack(both, given, window, stale), on_window_change=lambda: None)
