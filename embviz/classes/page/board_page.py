"""The board of a class: what its teacher sees and presses. The right to it is a cookie.

It looks at the store each second, and can be projected: before *Reveal* it tells how many have
answered, and neither what nor whether it is right. Bars of an open vote would move those who still
think, and the bars of a first vote those who vote again. The teacher's view (`board_view.py`) has
them. The store has the step that is shown: all boards of a class show the same one, also after a
restart of the server.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import streamlit as st

from embviz.classes import board
from embviz.classes.fitting import fitting
from embviz.classes.here import here
from embviz.classes.pace import ROWS_EACH_SECOND, is_rushed
from embviz.classes.page import bars, board_menu, board_view, class_link, presses
from embviz.classes.room import ClassError, NoClassError, Room, StoreError
from embviz.classes.routes import TEACHER
from embviz.classes.snapshot import Snapshot
from embviz.classes.visit import Visit, is_here
from embviz.classes.visits import visits_of
from embviz.labs.catalogue import LABS, questions
from embviz.labs.drawing import html_of
from embviz.labs.question import Question
from embviz.text.markdown import literal
from embviz.ui.elements.component import component
from embviz.ui.elements.links import browser_title
from embviz.ui.frame.body import queued_fragment
from embviz.ui.state.address import setting
from embviz.ui.state.session import session, widget_value

LOOK_S = 60.0  # Seconds between two notes that the board is open.
LABELS = {
    "bring": "Bring everyone here",
    "pause_here": "Pause here",
    "go_on": "Go on",
    "reveal": "Reveal",
    "vote_again": "Vote again",
}
_FIT = component("embviz_board_fit", Path(__file__).parent / "board_fit.js")


def draw() -> None:
    """The board of the class in the address.

    Raises:
        ClassError: why it is not shown.
    """
    code = setting("board")
    browser_title("Board of a class")
    try:
        _check(code)
    except NoClassError as error:
        st.markdown("# The board of a class")
        if session().own.pop("labs_board", "") == code:
            st.success(f"The class {literal(code)} is deleted: nothing of it is kept.")
            return
        raise class_link.after_turn(error) from None
    except ClassError:
        st.markdown("# The board of a class")
        raise
    session().own["labs_board"] = code
    queued_fragment(1.0, _board, code)


def _check(code: str) -> None:
    """Raise `ClassError` unless this browser is the teacher's."""
    if not here().is_teacher(code, class_link.cookie(TEACHER)):
        raise ClassError(
            "This board belongs to the browser that started the class. Open it there, and press "
            "*Private view*, *Make the address*."
        )


def _board(code: str) -> None:
    """All that changes: the head, the steps as a row, and one of them large."""
    try:
        snapshot, visits = fitting(here().snapshot(code)), visits_of(code)
        _look(code)
    except ClassError:  # deleted: the whole page says so
        st.rerun()
    if refused := session().own.pop("labs_refused", None):  # longer than until the next look
        st.toast(literal(str(refused)), duration="long")
    size = board.size(snapshot, visits)
    lab, step = snapshot.room.shown
    asked = questions(lab, snapshot.room.seed)
    step = min(step, len(asked))  # it may have lost steps since
    is_large = _head(snapshot.room, size)
    if is_large:
        return
    table = board.summary(snapshot, lab, len(asked))
    _steps(snapshot.room, lab, step, table["answered"], size)
    _presses(snapshot, visits, lab, step, (table["answered"][step], size))
    is_told = snapshot.room.tells(lab, step) or board_view.is_on()
    with st.container(key="board_question"):
        _question(snapshot, lab, step, asked[step - 1], is_told)
    _FIT(key="board_fit", data={"step": f"{lab} {step} {is_told}"})
    board_view.draw(snapshot, visits, lab, step, asked=asked, summary=table)


def _look(code: str) -> None:
    """Note each minute that the board is open: its class gives way to no other one."""
    looked, now = f"labs_looked {code}", time.monotonic()
    if now - session().own.get(looked, -LOOK_S) >= LOOK_S:
        session().own[looked] = now
        with suppress(StoreError):  # locked: the board can still be read
            here().look(code)


def _head(room: Room, size: int) -> bool:
    """Code, link, how many are here, and the menus, in one line.

    Returns:
        Whether the code fills the page: until somebody has joined, and whenever it is asked for.
    """
    url = class_link.link(room.code, st.context.url)
    with st.container(horizontal=True, vertical_alignment="center", key="class_head"):
        st.markdown(f"# `{room.code}`", width="content")
        if room.ended:
            st.markdown("This class has ended: every step is told.", width="content")
        else:
            st.markdown(f"<{url}>", width="content")
        st.markdown(f"**{size}** here" if size else "Nobody is here yet", width="content")
        if is_rushed(room.code) and not (room.closed or room.ended):
            st.markdown(
                f"Many join at once: {ROWS_EACH_SECOND} a second are let in.", width="content"
            )
            presses.button("Close the door", "close_door", step=1)  # the menu has the same
        _countdown(room)
        # Another switch once somebody has come: each has its usual state.
        is_large = st.toggle("Large code", not size, key=f"labs_large {size > 0}")
        board_menu.draw(room)
    is_large = is_large and not room.ended
    if is_large:
        with st.container(horizontal=True, vertical_alignment="center", key="class_code_large"):
            st.html(class_link.qr(url), width="content")
            st.markdown(f"## `{room.code}`\nStudents open <{url}>", width="content")
    return is_large


def _countdown(room: Room) -> None:
    """Minutes and seconds that are left, if the teacher counts down."""
    left = int(room.until - time.time() + 0.999)
    if room.until and left > -60 and not room.ended:
        said = f"{left // 60}:{left % 60:02}" if left > 0 else "Time is up"
        st.markdown(f"# :material/timer: {said}", width="content")


def _steps(room: Room, lab: str, step: int, counts: Iterable[int], size: int) -> None:
    """The lab, and a button for each step with how many have answered it."""
    # Buttons, whose presses count also if the label has changed since.
    with st.container(horizontal=True, gap="xsmall", key="board_step"):
        st.session_state["board_lab"] = lab
        st.selectbox(
            "Lab",
            [*LABS],
            key="board_lab",
            format_func=lambda key: LABS[key].title,
            on_change=lambda: presses.send("show", widget_value("board_lab", lab), 1),
            label_visibility="collapsed",
            width=190,
        )
        for at, count in enumerate(counts, 1):
            mark = ":material/pause_circle:" if room.paused(lab) == at else ""
            # Before anybody has joined nothing is counted.
            counted = f" · {count} of {size}" if size else ""
            st.button(
                f"**{at}** {mark}{counted}",
                f"step {lab} {at}",
                on_click=presses.send,
                args=("show", lab, at),
                type="primary" if at == step else "secondary",
            )


def _presses(
    snapshot: Snapshot, visits: dict[bytes, Visit], lab: str, step: int, answered: tuple[int, int]
) -> None:
    """The teacher's buttons for the step, which votes `answered` counts, and who is at the step."""
    room, (count, size) = snapshot.room, answered
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for press in room.presses(lab, step):
            presses.button(LABELS[press], press, lab, step)
        here_now = [
            visits[member.browser]
            for member in snapshot.members
            if member.current and member.browser in visits
        ]
        at_step = sum(
            is_here(visit) and (visit.lab, visit.step) == (lab, step) for visit in here_now
        )
        is_second, is_told = room.step(lab, step).vote == 2, room.tells(lab, step)
        vote = "The vote is closed" if is_told else "Vote 1"
        if is_second:
            vote = f"Vote 2 · {count} of {size} have answered in it"
        if is_second and is_told:
            vote = f"Both votes are closed · {count} of {size} have answered in one or both"
        at = f"{at_step} of {size} students are at this step"
        st.markdown(at if room.ended else f"{vote} · {at}", width="content")


def _question(snapshot: Snapshot, lab: str, step: int, question: Question, is_told: bool) -> None:
    """The question; beside it the picture, or once it is told the bars and why."""
    left, right = st.columns(2 if is_told else [3, 2], gap="medium")
    choices = () if is_told else question.choices  # The bars have them after Reveal.
    with left, st.container(key="lab_question"):
        st.markdown("\n- ".join([f"## {step} · {question.title}\n{question.prompt}\n", *choices]))
    if not is_told:
        right.html(html_of(question.start))
        return
    with right:
        bars.draw(snapshot.answers, lab, step, question, snapshot.room.step(lab, step).vote)
        st.markdown(f"**Why.** {question.why}")
    shorter = left
    if "```" in question.prompt:  # A question with a table is long already.
        shorter = right
    shorter.html(html_of(question.picture))
