"""The board of a class: what its teacher sees and presses. The right to it is a cookie.

It looks at the store each second, and can be projected: before *Reveal* it tells how many have
answered, and neither what nor whether it is right. Bars of an open vote would move those who still
think, and the bars of a first vote those who vote again. The teacher's view (`board_view.py`) has
them. The store has the step that is shown: all boards of a class show the same one, also after a
restart of the server.
"""

from pathlib import Path

import streamlit as st

from embviz.classes import board
from embviz.classes.fitting import fitting
from embviz.classes.here import here
from embviz.classes.page import bars, board_controls, board_view, class_link
from embviz.classes.room import ClassError, NoClassError
from embviz.classes.routes import TEACHER
from embviz.classes.snapshot import Snapshot
from embviz.classes.visit import Visit, is_here
from embviz.classes.visits import visits_of
from embviz.labs.catalogue import questions
from embviz.labs.drawing import html_of
from embviz.labs.question import Question
from embviz.text.markdown import literal
from embviz.ui.elements.component import component
from embviz.ui.elements.links import browser_title
from embviz.ui.frame.body import queued_fragment
from embviz.ui.state.address import setting
from embviz.ui.state.session import session

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
            "This board belongs to the browser that started the class. Open it there. For another "
            "device, press Private view there, then Make the address."
        )


def _board(code: str) -> None:
    """All that changes: the controls, and one step large."""
    try:
        snapshot, visits = fitting(here().snapshot(code)), visits_of(code)
    except ClassError:  # deleted: the whole page says so
        st.rerun()
    if refused := session().own.pop("labs_refused", None):  # longer than until the next look
        st.toast(literal(str(refused)), duration="long")
    size = board.size(snapshot, visits)
    lab, step = snapshot.room.shown
    asked = questions(lab, snapshot.room.seed)
    step = min(step, len(asked))  # it may have lost steps since
    table = board.summary(snapshot, lab, len(asked))
    counts = board_controls.Counts(size, _at(snapshot, visits, lab, step), [*table["answered"]])
    if board_controls.draw(snapshot.room, lab, step, counts):
        return
    is_told = snapshot.room.tells(lab, step) or board_view.is_on()
    with st.container(key="board_question"):
        _question(snapshot, lab, step, asked[step - 1], is_told)
    _FIT(key="board_fit", data={"step": f"{lab} {step} {is_told}"})
    board_view.draw(snapshot, visits, lab, step, asked=asked, summary=table)


def _at(snapshot: Snapshot, visits: dict[bytes, Visit], lab: str, step: int) -> int:
    """How many students have the page of a step open."""
    found = [visits[member.browser] for member in snapshot.members if member.browser in visits]
    return sum(is_here(visit) and (visit.lab, visit.step) == (lab, step) for visit in found)


def _question(snapshot: Snapshot, lab: str, step: int, question: Question, is_told: bool) -> None:
    """The question, its picture, and once told bars and why; `board_fit.js` places them."""
    choices = () if is_told else question.choices  # The bars have them after Reveal.
    with st.container(key="lab_question"):
        st.markdown("\n- ".join([f"## {step} · {question.title}\n{question.prompt}\n", *choices]))
    if picture := question.picture if is_told else question.start:
        with st.container(key="board_picture"):
            st.html(html_of(picture))
    if is_told:
        with st.container(key="board_answers"):
            bars.draw(snapshot.answers, lab, step, question, snapshot.room.step(lab, step).vote)
            st.markdown(f"**Why.** {question.why}")
