"""The control of the three worlds, and *Type your own* beside it."""

from __future__ import annotations

import streamlit as st

from embviz.settings.worlds import CHARACTERS, IDENTITY, LETTERS, WORLDS
from embviz.ui.state.address import setting, world
from embviz.ui.state.changes import enter, go
from embviz.ui.state.session import session

KEY = "world"  # The widget's key.


def draw() -> None:
    """Draw both; a press of the world that is shown changes nothing."""
    name = _pressed()
    if st.session_state.get(KEY) != name:
        st.session_state[KEY] = name
    st.segmented_control(
        "World",
        [*WORLDS],
        default=name,
        format_func=lambda world_name: WORLDS[world_name].title,
        key=KEY,
        on_change=_choose,
        label_visibility="collapsed",
        wrap=False,
    )
    empty = {"text": ""}
    if world() is LETTERS:  # few texts fit there
        empty[KEY] = CHARACTERS.name
    # It keeps its place: the focus goes to the empty field when it is disabled.
    st.button(
        "Type your own",
        key="type_own",
        on_click=go,
        args=(empty,),
        disabled=setting("input") == "ids" or not setting("text"),
    )


def _pressed() -> str | None:
    """The name of the world whose table is shown; None for any other table."""
    usual = world().usual()
    own = any(name in session().given and name not in usual for name in IDENTITY)
    changed = any(setting(name) != value for name, value in usual.items() if name in IDENTITY)
    return None if own or changed or setting("input") == "ids" else world().name


def _choose() -> None:
    name = st.session_state.get(KEY)
    if isinstance(name, str) and name in WORLDS:  # Else the pressed one again, or a forged message.
        enter(WORLDS[name])
