"""The presses of a teacher on a board: each goes to the store, with this browser's cookie."""

from typing import Any

import streamlit as st

from embviz.classes.here import here
from embviz.classes.page import class_link
from embviz.classes.routes import TEACHER
from embviz.labs.page.lesson import attempt
from embviz.ui.state.address import setting
from embviz.ui.state.session import session


def button(label: str, press: str, lab: str = "", step: int = 0) -> None:
    """A button for one of the store's `PRESSES`."""
    st.button(label, f"{press} {lab} {step}", on_click=send, args=(press, lab, step))


def asked(code: str, label: str, question: str, press: str, **more: Any) -> None:
    """A button for a press that cannot be undone, behind a question.

    Args:
        code: of the class.
        label: of the button, unique on the board.
        question: what is asked after the first press.
        press: one of the store's `PRESSES`.
        more: what it needs.
    """
    sure, own = f"labs_sure {code}", session().own
    if own.get(sure) != label:
        st.button(label, f"ask {label}", on_click=own.update, args=({sure: label},))
        return
    st.markdown(question)
    with st.container(horizontal=True):
        yes = f"Yes, {label.partition(' ')[0].lower()}"
        st.button(yes, on_click=_sure, args=(sure, press, more))
        st.button("No", on_click=own.pop, args=(sure, None))


def _sure(sure: str, press: str, more: dict[str, Any]) -> None:
    """A callback: the answer to the question is yes."""
    session().own.pop(sure, None)
    send(press, **more)


def send(press: str, lab: str = "", step: int = 0, **more: Any) -> None:
    """A callback: do one of the store's `PRESSES`, or show at the next run why it is refused."""
    secret = class_link.cookie(TEACHER)
    attempt(lambda: here().press(setting("board"), secret, press, lab, step, **more))
