"""The presses of a teacher on a board: each goes to the store, with this browser's cookie."""

from typing import Any

import streamlit as st

from embviz.classes.here import here
from embviz.classes.page import class_link
from embviz.classes.routes import TEACHER
from embviz.labs.page.lesson import attempt
from embviz.ui.state.address import setting


def button(label: str, press: str, lab: str = "", step: int = 0, member: int = 0) -> None:
    """A button for one of the store's `PRESSES`."""
    key = f"{press} {lab} {step} {member}"
    st.button(label, key, on_click=send, args=(press, lab, step), kwargs={"member": member})


def send(press: str, lab: str = "", step: int = 0, **more: Any) -> None:
    """A callback: do one of the store's `PRESSES`, or show at the next run why it is refused."""
    secret = class_link.cookie(TEACHER)
    attempt(lambda: here().press(setting("board"), secret, press, lab, step, **more))
