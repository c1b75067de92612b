"""The fold of classes below the cards: a student types a code, a teacher starts a class.

The browser asks the route `class/start`, because a page cannot set a cookie that scripts cannot
read. It then loads the board. This module also lists the classes that this browser has started.
"""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from embviz.classes.here import here
from embviz.classes.record import Classroom, StoreError
from embviz.core.bounds import classes_on
from embviz.labs.exercises import LABS
from embviz.request.markdown import literal
from embviz.server.class_start import COOKIE, is_secret
from embviz.ui.pages.labs.class_board import FOLDER
from embviz.ui.pages.labs.member import mistyped, put
from embviz.ui.parts.component import component
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import state, widget_value

MOST_CODE = 40  # characters that may be typed

_component = component(
    "embviz_start_class",
    [FOLDER / "start.js"],
    html=(FOLDER / "start.html").read_text("utf-8"),
    css=(FOLDER / "start.css").read_text("utf-8"),
)


def draw() -> None:
    """The fold, on a server with classes."""
    if not classes_on():
        return
    wrong = mistyped()
    with st.expander("Work together as a class", expanded=bool(wrong)):
        _join_form(wrong)
        _component(key="start_class", data={"text": json.dumps(_content())})


def join(code: str) -> None:
    """A callback: to the class of that code, as a student."""
    put({"class": code, "board": ""})


def _join_form(wrong: str) -> None:
    if wrong and "class_code" not in st.session_state:
        st.session_state["class_code"] = wrong[:MOST_CODE]
    form = st.form("class_join", border=False)
    with form.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Students: the code of your class",
            key="class_code",
            placeholder="tidy-otter-42",
            max_chars=MOST_CODE,
            width=260,
        )
        st.form_submit_button("Join", on_click=_take_code)


def _take_code() -> None:
    typed = widget_value("class_code", "").lower().split()
    if typed:
        join("-".join(typed))


def say_deleted() -> None:
    """Say that a class was deleted, once."""
    if code := state().pop("class_deleted", None):
        st.success(literal(f"The class {code} and all its answers are deleted."))


def secret() -> str:
    """The cookie of this browser's teacher, or `""`."""
    found = st.context.cookies.get(COOKIE, "")
    return found if is_secret(found) else ""


def _content() -> dict[str, Any]:
    titles = {one.code: one.title for one in LABS}
    found: tuple[Classroom, ...] = ()
    classes = here() if secret() else None
    if classes is not None:
        try:
            found = classes.store.classes_of(secret())
        except StoreError as error:
            refuse(f"Your classes cannot be listed now: {error}")
    return {
        "labs": titles,
        "classes": [
            {
                "code": one.code,
                "lab": titles.get(one.lab, one.lab),
                "begun": one.begun,
                "ended": one.ended,
            }
            for one in found
        ],
    }
