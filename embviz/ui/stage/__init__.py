"""The stage: one component that draws tokens, one-hot, weight and both outputs.

Python decides what travels (a window, never the whole of a large table) and
computes the verdict; the JavaScript beside this file draws, scrubs, plays and
explains cells without asking the server. See `payload.py` for the format.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from embviz.core.routes import BothRoutes
from embviz.request.inputs import Inputs
from embviz.request.payload import Window, pack

_FOLDER = Path(__file__).parent
# Plain scripts in one module scope, in reading order; stage.js has the entry point.
_SCRIPTS = ["payload.js", "colours.js", "strip.js", "picture.js", "outputs.js", "stage.js"]
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
        both: what both routes gave.
        given: what the user typed, for labels and the round trip.
        stale: whether this is an earlier input's result, to be drawn faint.
    """
    asked = st.session_state.get(_KEY, {}).get("window")
    window = Window.read(asked if asked is not None else st.query_params.get("token"))
    _component(key=_KEY, data=pack(both, given, window, stale), on_window_change=lambda: None)
