"""The labs to choose from, each a card that starts it."""

from __future__ import annotations

from secrets import randbelow
from typing import Any

import streamlit as st

from embviz.labs.catalogue import LABS
from embviz.ui.pages.labs import looks
from embviz.ui.state.session import go, state

ALL = "all"  # no lab: the cards


def draw() -> None:
    """All labs, two beside each other."""
    left, right = st.columns(2)
    for place, (name, lab) in enumerate(LABS.items()):
        with (
            (left, right)[place % 2],
            st.container(border=True, key=f"lab_card_{name}"),
            st.container(horizontal=True, vertical_alignment="center", gap="medium"),
        ):
            looks.sign(lab.sign)
            with st.container(gap="small", width="stretch"):
                st.markdown(f"##### {lab.title}\n{lab.about}")
                start(name, "Start")


def start(name: str, label: str) -> None:
    """A button for a lab from its first step, with the work that this session has there."""
    to = {"lab": name, "step": 1} | kept().get(name, new())
    st.button(label, f"lab_start_{name}", on_click=go, args=(to,), type="primary")


def kept() -> dict[str, dict[str, Any]]:
    """By lab: the numbers and the work that this session saw last."""
    found: dict[str, dict[str, Any]] = state().setdefault("labs", {})
    return found


def new() -> dict[str, Any]:
    """New numbers, and no work."""
    return {"numbers": 1 + randbelow(2**32 - 1), "done": ""}


def back(label: str = "All labs") -> None:
    """A button that leads to the cards from anywhere."""
    to = {"lab": ALL, "step": 1, "numbers": 0, "done": "", "class": "", "board": "", "question": 0}
    st.button(label, on_click=go, args=(to,), icon=":material/arrow_back:", type="tertiary")
