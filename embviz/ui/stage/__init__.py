"""The stage: one component that draws tokens, one-hot, weight and both outputs.

Python sends a window of a large table and computes the verdict. The JavaScript beside this file
draws, scrubs, plays and explains cells without asking the server. While a person types, it asks
the route `live` and not Python. `request/payload.py` has the format of the bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import Any

import streamlit as st

from embviz.core.bounds import LIVE
from embviz.core.inits import INITS
from embviz.core.refused import Refused
from embviz.core.routes import BothRoutes
from embviz.request.inputs import Inputs
from embviz.request.payload import Window, headed, pack
from embviz.request.settings import SETTINGS
from embviz.request.stage_files import STAGE, looks, scripts
from embviz.server.live import KB
from embviz.ui.parts.component import component
from embviz.ui.state.session import go, setting, widget_value

_KEY = "stage"
_ROUTE = "../live"  # from the address of the component's script
# Unique, because a tab stays open when the server starts again.
_numbers = map(f"{token_hex(4)}-{{}}".format, itertools.count(1))


_component = component("embviz_stage", scripts(), **looks(STAGE / "stage"))


def stage(
    both: BothRoutes,
    given: Inputs,
    settings: Mapping[str, Any] | None = None,
    stale: bool = False,
) -> None:
    """Draw the stage for one result.

    Args:
        both: the result of both routes.
        given: its inputs, for labels and the round trip.
        settings: those of the model that the page shows; the stage follows its field by itself.
        stale: whether the result is an earlier input's and drawn faint.
    """
    asked = st.session_state.get(_KEY, {}).get("window")
    window = Window.read({**(asked if isinstance(asked, dict) else {}), "token": setting("token")})
    picked = None
    if settings is not None:
        picked = {"token": window.token, "view": setting("view")}
    packed = with_head(settings, pack(both, given, window, stale), picked=picked)
    _component(
        key=_KEY, data=packed, on_window_change=lambda: None, on_picked_change=partial(pick, _KEY)
    )


def pick(key: str) -> None:
    """A callback: what was chosen in the component goes into the address."""
    picked = widget_value(key, {}).get("picked")
    if not isinstance(picked, dict):  # a forged message
        return
    changes = {}
    with suppress(Refused):
        for name in picked.keys() & {"token", "view"}:
            changes[name] = SETTINGS[name].read(picked[name])
    go(changes, whole=False)


def with_head(
    settings: Mapping[str, Any] | None,
    packed: bytes,
    part: str = "",
    more: Mapping[str, Any] | None = None,
    picked: Mapping[str, Any] | None = None,
) -> bytes:
    """The message: uint32 length, a JSON head of such length, padded to 8 bytes, the result.

    The head has `run`, a name of this message; `live`, the route's address, or null where only
    Python knows the table; `most`, the bytes that the route takes; `field`, the setting that is
    typed, or null; and `settings`: `field`, and those of the model that are not the default. For a
    part of a page it also has `part`, its name, and `more` settings. `picked` is the selection of
    the address.
    """
    head: dict[str, Any] = {"run": next(_numbers), "live": None, "field": None, "settings": {}}
    if settings is not None:
        field, own = settings["input"], INITS[settings["init"]].draw is None
        given = {**settings, **(more or {})}
        differs = {n: value for n, value in given.items() if value != SETTINGS[n].default}
        head |= {"field": field, "live": None if own else _ROUTE, "most": LIVE.value() * KB}
        if part:
            head["part"] = part
        if picked:
            head["picked"] = picked
        # The typed one always first: ask.js compares them as a text.
        head["settings"] = {field: settings[field]} | differs
    return headed(head, packed)
