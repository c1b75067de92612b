"""The stage: one component that draws tokens, one-hot, weight and both outputs.

Python sends a window of a large table and computes the verdict. The JavaScript beside this file
draws, scrubs, plays and explains cells without asking the server. While a person types, it asks
the route `live` and not Python. `request/payload.py` has the format of the bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from secrets import token_hex
from typing import Any

import streamlit as st

from embviz.core.bounds import LIVE
from embviz.core.inits import INITS
from embviz.core.routes import BothRoutes
from embviz.request.inputs import Inputs
from embviz.request.parameters import DEFAULTS
from embviz.request.payload import Window, headed, pack
from embviz.request.stage_files import STAGE, looks, scripts
from embviz.server.live import KB
from embviz.ui.parts.component import component
from embviz.ui.state.session import state

_KEY = "stage"
_ROUTE = "../live"  # from the address of the component's script
# Unique, because a tab stays open when the server starts again.
_numbers = map(f"{token_hex(4)}-{{}}".format, itertools.count(1))


_component = component("embviz_stage", scripts(), **looks(STAGE / "stage"))


def stage(both: BothRoutes, given: Inputs, typed: Inputs | None = None) -> None:
    """Draw the stage for one result.

    Args:
        both: the result of both routes.
        given: its inputs, for labels and the round trip.
        typed: the inputs that the page's field shows; the stage follows that field by itself. A
            refused one means that the result is an earlier input's and drawn faint.
    """
    asked = st.session_state.get(_KEY, {}).get("window")
    window = Window.read(asked if asked is not None else st.query_params.get("token"))
    stale = typed is not None and typed.refusal is not None
    data = with_head(typed, pack(both, given, window, stale), wanted=state().get("stage_wanted"))
    _component(key=_KEY, data=data, on_window_change=lambda: None)


def show(token: int, view: str) -> None:
    """Let the stage select this token and draw this view, once, with its next result."""
    state()["stage_wanted"] = {"name": next(_numbers), "token": token, "view": view}


def with_head(
    typed: Inputs | None,
    packed: bytes,
    part: str = "",
    more: Mapping[str, Any] | None = None,
    wanted: Mapping[str, Any] | None = None,
) -> bytes:
    """The message: uint32 length, a JSON head of such length, padded to 8 bytes, the result.

    The head has `run`, a name of this message; `live`, the route's address, or null where only
    Python knows the table; `most`, the bytes that the route takes; `field`, the parameter that is
    typed, or null; and `settings`: `field`, and those of the model that are not the default. For a
    part of a page it also has `part`, its name, and `more` settings. `wanted` is what `show` asks.
    """
    head: dict[str, Any] = {"run": next(_numbers), "live": None, "field": None, "settings": {}}
    if typed is not None:
        field = typed.settings["input"]
        settings = {n: value for n, value in typed.settings.items() if value != DEFAULTS[n]}
        settings |= {n: value for n, value in (more or {}).items() if value != DEFAULTS[n]}
        own = INITS[typed.settings["init"]].draw is None
        head |= {"field": field, "live": None if own else _ROUTE, "most": LIVE.value() * KB}
        if part:
            head["part"] = part
        if wanted:
            head["wanted"] = wanted
        # The typed one always first: ask.js compares them as a text.
        head["settings"] = {field: typed.settings[field]} | settings
    return headed(head, packed)
