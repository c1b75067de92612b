"""The controls of a board: code and link, the menus, the steps, and the teacher's presses.

They have three rows. In projector mode they have two low ones, so that the question has the window:
what is pressed, in small letters, and below it what a class reads from its last row.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from embviz.classes.pace import ROWS_EACH_SECOND, is_rushed
from embviz.classes.page import board_menu, class_link, presses
from embviz.classes.room import Room
from embviz.labs.catalogue import LABS
from embviz.ui.state.address import setting
from embviz.ui.state.session import widget_value

LABELS = {
    "bring": "Bring everyone here",
    "pause_here": "Pause here",
    "go_on": "Go on",
    "reveal": "Reveal",
    "vote_again": "Vote again",
}


@dataclass(frozen=True)
class Counts:
    """How many students there are.

    Attributes:
        size: in the class.
        at_step: with the page of the step shown open.
        answered: by step, with an answer that counts.
    """

    size: int
    at_step: int
    answered: Sequence[int]


def draw(room: Room, lab: str, step: int, counts: Counts) -> bool:
    """Draw the controls for a step.

    Returns:
        Whether the code fills the page: in a new class, until the switch is pressed.
    """
    draw_rows = _two_rows if setting("projector") else _three_rows
    return draw_rows(room, lab, step, counts)


def _three_rows(room: Room, lab: str, step: int, counts: Counts) -> bool:
    with _row("class_head"):
        _code(room, counts.size)
        link = f"<{class_link.link(room.code, st.context.url)}>"
        said = "This class has ended: every step is told." if room.ended else link
        st.markdown(said, width="content")
        _news(room)
        is_large = _large(room, counts.size)
        board_menu.draw(room)
    if said := class_link.alone(st.context.url):
        st.warning(said)
    if is_large and _large_code(room):
        return True
    with _row("board_step"):
        _lab(lab, width=190)
        _steps(room, lab, step, counts)
    with _row("board_presses"):
        _presses(room, lab, step)
        st.markdown(_words(room, lab, step, counts), width="content")
    return False


def _two_rows(room: Room, lab: str, step: int, counts: Counts) -> bool:
    """The rows of projector mode: the link is in *Large code*, and that in the menu."""
    with _row("board_bar"):
        row = _row("board_row")
        with st.popover("Menu", type="tertiary"):
            is_large = _large(room, counts.size)
            _lab(lab)
            board_menu.draw_below(room)
            if said := class_link.alone(st.context.url):
                st.warning(said)
    with _row("board_state"):
        _code(room, counts.size)
        words = st.container(width="content")
        _news(room)
    if is_large and _large_code(room):
        return True
    with row:
        _steps(room, lab, step, counts, is_short=True)
        _presses(room, lab, step)
    words.markdown(_words(room, lab, step, counts, is_short=True), width="content")
    return False


def _row(key: str) -> Any:
    """A row of controls."""
    return st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=key)


def _code(room: Room, size: int) -> None:
    """The code, and how many are here."""
    st.markdown(f"# `{room.code}`", width="content")
    st.markdown(f"**{size}** here" if size else "Nobody is here yet", width="content")


def _news(room: Room) -> None:
    """The rest of the first row: a rush at the door, and the countdown."""
    if room.ended:
        return
    if is_rushed(room.code) and not room.closed:
        st.markdown(f"Many join at once: {ROWS_EACH_SECOND} a second are let in.", width="content")
        presses.button("Close the door", "close_door", step=1)  # the menu has the same
    left = int(room.until - time.time() + 0.999)
    if room.until and left > -60:
        said = f"{left // 60}:{left % 60:02}" if left > 0 else "Time is up"
        st.markdown(f"# :material/timer: {said}", width="content")


def _large(room: Room, size: int) -> bool:
    """The switch of the large code: on at first if nobody is here, and until it is pressed.

    Others still scan the code while the first ones join.
    """
    key = f"labs_large {room.code}"
    st.session_state.setdefault(key, not size)
    return st.toggle("Large code", key=key)


def _large_code(room: Room) -> bool:
    """Draw code, link and QR code as large as the page; not of a class that has ended."""
    if room.ended:
        return False
    url = class_link.link(room.code, st.context.url)
    with st.container(horizontal=True, vertical_alignment="center", key="class_code_large"):
        st.html(class_link.qr(url), width="content")
        st.markdown(f"## `{room.code}`\nStudents open <{url}>", width="content")
    return True


def _lab(lab: str, **more: Any) -> None:
    """The lab whose steps the board shows."""
    st.session_state["board_lab"] = lab
    st.selectbox(
        "Lab",
        [*LABS],
        key="board_lab",
        format_func=lambda key: LABS[key].title,
        on_change=lambda: presses.send("show", widget_value("board_lab", lab), 1),
        label_visibility="collapsed",
        **more,
    )


def _steps(room: Room, lab: str, step: int, counts: Counts, is_short: bool = False) -> None:
    """A button for each step, with how many have answered it unless it must be short."""
    # Buttons, whose presses count also if the label has changed since.
    for at, count in enumerate(counts.answered, 1):
        mark = ":material/pause_circle:" if room.paused(lab) == at else ""
        # Before anybody has joined nothing is counted.
        counted = f" · {count} of {counts.size}" if counts.size and not is_short else ""
        st.button(
            f"**{at}** {mark}{counted}",
            f"step {lab} {at}",
            on_click=presses.send,
            args=("show", lab, at),
            type="primary" if at == step else "secondary",
        )


def _presses(room: Room, lab: str, step: int) -> None:
    """The teacher's buttons for the step."""
    for press in room.presses(lab, step):
        presses.button(LABELS[press], press, lab, step)


def _words(room: Room, lab: str, step: int, counts: Counts, is_short: bool = False) -> str:
    """Which vote is open, how many have answered, and how many are at the step."""
    words = ["Closed" if room.tells(lab, step) else f"Vote {room.step(lab, step).vote}"]
    if counts.size:
        words.append(f"{counts.answered[step - 1]} of {counts.size} answered")
        if not is_short:
            words.append(f"{counts.at_step} of {counts.size} at this step")
    if 0 < (paused := room.paused(lab)) < step:
        words.append(f"*{LABELS['bring']}* takes the pause at step {paused} along")
    return " · ".join(words)
