"""The teacher's view below the board: who is stuck, right and wrong, what was written, and rows."""

import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from embviz.classes import board
from embviz.classes.page import presses
from embviz.classes.snapshot import Snapshot
from embviz.classes.visit import Visit
from embviz.labs.question import Question
from embviz.ui.elements.component import component
from embviz.ui.state.address import setting
from embviz.ui.state.session import widget_value

SWITCH = "labs_view"  # Key of the switch.
_KEEP = component("embviz_board_view", Path(__file__).with_suffix(".js"))


def switch() -> None:
    """The switch of the view on this screen."""
    st.toggle("Show it on this screen", key=SWITCH, help="A projected screen shows it too.")


def _keep(code: str) -> None:
    """Let this browser's tab remember the switch: a reload shows the view again."""
    data = {"code": code, "is_on": bool(widget_value(SWITCH, False))}
    _KEEP(key="board_view_kept", data=data, on_again_change=_again)


def _again() -> None:
    """A callback: the view was on before a reload."""
    st.session_state[SWITCH] = True


def is_on() -> bool:
    """Whether this screen shows the view; a projector never does."""
    return bool(widget_value(SWITCH, False)) and not setting("projector")


def draw(
    snapshot: Snapshot,
    visits: dict[bytes, Visit],
    lab: str,
    step: int,
    *,
    asked: Sequence[Question],
    summary: pd.DataFrame,
) -> None:
    """Draw the view if this screen shows it; `summary` is a table of `board.summary`."""
    if not setting("projector"):
        _keep(snapshot.room.code)
    if not is_on():
        return
    st.markdown("## Who is stuck")
    st.dataframe(board.strip(snapshot, visits, lab, time.time()), hide_index=True)
    written = board.others(snapshot.answers, lab, step)
    if len(written):
        st.markdown(f"## Other answers to step {step}")
        st.dataframe(written, hide_index=True)
    st.markdown("## All steps")
    st.table(
        summary.assign(step=[question.title for question in asked])[["step", *summary.columns]]
    )
    if st.toggle("Rows of students"):
        st.dataframe(board.students(snapshot, lab), hide_index=True)
        with st.container(horizontal=True):
            for member in snapshot.members:
                with st.popover(f"Remove {member.name}", key=f"row {member.number}"):
                    label = f"Remove {member.name} and all answers"
                    code = snapshot.room.code
                    presses.asked(code, label, f"{label}?", "remove", member=member.number)
