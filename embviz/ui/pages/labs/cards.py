"""The labs to choose from, each a card that starts it."""

from __future__ import annotations

from secrets import randbelow
from typing import Any

import streamlit as st

from embviz.labs.catalogue import LABS
from embviz.ui.pages.labs import looks
from embviz.ui.state.session import go, state

ALL = "all"  # no lab: the cards
COLUMNS = 2
SEEDS = 2**32 - 1  # 1 to this many


def draw() -> None:
    """All labs, in a grid."""
    places = [column for _ in range(0, len(LABS), COLUMNS) for column in st.columns(COLUMNS)]
    for column, (name, lab) in zip(places, LABS.items(), strict=False):
        with (
            column,
            st.container(border=True, height="stretch", key=f"lab_card_{name}"),
            st.container(horizontal=True, vertical_alignment="center", gap="medium"),
        ):
            looks.sign(lab.sign)
            with st.container(gap="small", width="stretch"):
                st.markdown(f"##### {lab.title}")
                st.markdown(lab.about)
                st.button(
                    "Start",
                    key=f"lab_start_{name}",
                    on_click=open_lab,
                    args=(name,),
                    type="primary",
                )


def open_lab(name: str) -> None:
    """A callback: a lab from its first step, with the work that this session has there."""
    go({"lab": name, "step": 1} | kept().get(name, new()))


def kept() -> dict[str, dict[str, Any]]:
    """By lab: the numbers and the work that this session saw last."""
    found: dict[str, dict[str, Any]] = state().setdefault("labs", {})
    return found


def new() -> dict[str, Any]:
    """New numbers, and no work."""
    return {"numbers": 1 + randbelow(SEEDS), "done": ""}


def back() -> None:
    """A button that leads to the cards."""
    st.button(
        "All labs",
        key="lab_cards",
        on_click=go,
        args=({"lab": ALL, "step": 1, "numbers": 0, "done": ""},),
        icon=":material/arrow_back:",
    )
