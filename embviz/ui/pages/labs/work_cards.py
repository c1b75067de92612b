"""The labs to choose from, each a card; and the start of one, which asks for a name.

The name may be left out. A guest then gets numbers that are kept in the address.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from embviz.core.refused import Refused
from embviz.labs.exercises import LABS
from embviz.labs.markup import picture_html
from embviz.labs.record import MINUTES, Lab
from embviz.labs.student import Student, guest
from embviz.ui.pages.labs import start_class
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import go, setting, state, widget_value

COLUMNS = 2


def draw() -> None:
    """All labs, in a grid; below them a class can be started."""
    start_class.say_deleted()
    for first in range(0, len(LABS), COLUMNS):
        for column, one in zip(st.columns(COLUMNS), LABS[first : first + COLUMNS], strict=False):
            with column, st.container(border=True, height="stretch", key=f"lab_card_{one.code}"):
                _card(one)
    start_class.draw()


def _card(one: Lab[Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.html(picture_html(one.sign, False), width=150)
        with st.container(gap="small", width="stretch"):
            st.markdown(f"##### {one.title}")
            st.markdown(f"{MINUTES} minutes. {one.goals[0]}")
            st.button(
                "Start",
                key=f"lab_start_{one.code}",
                on_click=open_lab,
                args=(one.code,),
                type="primary",
            )


def open_lab(code: str) -> None:
    """A callback: a lab from its first step, or with `all`, the cards."""
    go({"lab": code, "step": 1, "done": ""})


def student() -> Student | None:
    """The student in the address, or None without one; a refused name is shown."""
    if not setting("student").strip():
        return None
    try:
        return Student(setting("student"))
    except Refused as error:
        refuse(error)
        return None


def begin(chosen: Lab[Any]) -> None:
    """The goals of a lab, and the question for a name."""
    words, picture = st.columns([3, 2], gap="large", vertical_alignment="center")
    with picture:
        st.html(picture_html(chosen.sign))
    with words:
        st.markdown(f"###### {chosen.title}, {MINUTES} minutes")
        st.markdown("##### You will be able to")
        st.markdown("\n".join(f"- {goal}" for goal in chosen.goals))
        with st.form("lab_begin", border=False, width=340):
            st.text_input(
                "Your name or number, if you like",
                key="student_here",
                placeholder="Ada",
                help="Your numbers follow from it, on every machine. Without one they are random, "
                "and this address keeps them.",
            )
            st.form_submit_button("Begin", type="primary", on_click=_take_name)
        if refused := state().pop("lab_name_refused", None):
            refuse(refused)
        back_to_all("lab_cards")


def back_to_all(key: str) -> None:
    """A button that leads to the cards."""
    icon = ":material/arrow_back:"
    st.button("All labs", key=key, on_click=open_lab, args=("all",), icon=icon)


def _take_name() -> None:
    typed = widget_value("student_here", "").strip()
    try:
        go({"student": Student(typed).name if typed else guest().name})
    except Refused as error:
        state()["lab_name_refused"] = str(error)
