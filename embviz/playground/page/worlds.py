"""The control of the three worlds; beside it the way of six letters to learnt rows, and back."""

from __future__ import annotations

import streamlit as st

from embviz.fact import letters
from embviz.fact.inits import INITS
from embviz.settings.model_settings import MODEL
from embviz.settings.worlds import IDENTITY, WORLDS
from embviz.ui.elements.links import link
from embviz.ui.state.address import setting, settings, world
from embviz.ui.state.changes import enter, go
from embviz.ui.state.session import session

KEY = "world"  # The widget's key.


def draw() -> None:
    """Draw the control; a press of the world that is shown changes nothing."""
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
    _learning()


def _learning() -> None:
    """A link to the training of the six letters; with learnt rows, a press for those of before."""
    if setting("tour"):  # a stop of it leads there
        return
    if not INITS["learnt"].fits(settings(MODEL)) or setting("dim") != letters.SIZES[1]:
        return
    if setting("init") == "learnt":
        st.button("Back to random", key="random_rows", on_click=go, args=({"init": "normal"},))
    elif setting("init") in ("integers", "normal"):
        with st.container(key="train_rows", width="content"):
            more = {"icon": ":material/arrow_forward:", "icon_position": "right"}
            link("training", {"lesson": "letters"}, label="See rows learn", **more)


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
