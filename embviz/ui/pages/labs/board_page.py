"""The board of a class, for its teacher: what students answer, and what the teacher can press.

The right to it is a cookie, which is checked at each run and at each press. What the board shows is
read from the room of the class, which all its viewers share. The board asks the route `class/board`
for news, without a rerun.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from embviz.classes.here import here
from embviz.classes.record import ClassError, StoreError
from embviz.classes.room import Room
from embviz.labs.exercises import values_of
from embviz.labs.student import Student
from embviz.request.markdown import literal
from embviz.request.settings import defaults
from embviz.server.scheduler import run_queue
from embviz.ui.pages.labs import class_board, start_class
from embviz.ui.pages.labs.class_link import class_link
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import change, go, setting, state, widget_value

WRITTEN_S = 5.0  # the longest that a press waits for the database
MOST = 20  # steps of a lab
EXAMPLE = Student("guest-000000")  # not a member: nobody's own numbers are shown
LATE = "The database does not answer. Press again in a moment."


def draw() -> None:
    """The board of the class in the address, or why it is not shown."""
    # Always: a fragment may write into the sidebar only if it did so in the last whole run.
    below = st.sidebar.container()
    code, classes = setting("board"), here()
    try:
        if classes is None:
            raise ClassError("Classes are switched off on this server.")
        if not classes.is_teacher(code, start_class.secret()):
            _not_yours(classes.known(code).code)
            return
        room = classes.rooms.get(code)
    except (ClassError, StoreError) as error:
        refuse(f"{error} Reload to try again." if isinstance(error, StoreError) else error)
        _leave_button()
        return
    with below:
        _sidebar(room)
    st.fragment(_board, key=class_board.KEY)(room)


def _not_yours(code: str) -> None:
    st.markdown("##### This board belongs to the browser that started the class")
    st.markdown(
        "Open it there. Its right is a cookie, which a private window forgets when it is closed, "
        "and which no other browser has."
    )
    st.button(
        f"Join {code} as a student",
        key="board_join",
        type="primary",
        on_click=start_class.join,
        args=(code,),
    )
    _leave_button()


def _leave_button() -> None:
    icon = ":material/arrow_back:"
    st.button("All labs", key="board_cards", on_click=_leave, icon=icon)


def _leave() -> None:
    """A callback: back to the cards."""
    go(defaults(("board", "question", "lab")))


def _board(room: Room) -> None:
    """The board's own fragment, which a press draws again."""
    with run_queue.slot():
        try:
            room.refresh()
        except ClassError:  # deleted: the whole page says so
            st.rerun()
        if refused := state().pop("board_refused", None):
            refuse(refused)
        link = class_link(room.classroom.code, st.context.url)
        class_board.draw(room, link, setting("question"), _press, st.rerun)
        if setting("question"):
            _question(room, min(setting("question"), len(room.lab.steps)))


def _question(room: Room, number: int) -> None:
    """The question itself, to talk about; the explanation only once it is revealed."""
    step, values = room.lab.steps[number - 1], values_of(room.lab.code, EXAMPLE)
    revealed = step.name in room.classroom.revealed
    what = "The question and the explanation" if revealed else "The question"
    with st.expander(f"{what}, with the numbers of one student", key=f"board_question_{number}"):
        st.markdown(step.prompt(values))
        if revealed:
            st.markdown(f"**Why.** {step.explanation(values)}")


def _sidebar(room: Room) -> None:
    """What a class needs at its end; not on a projector."""
    code = room.classroom.code
    st.markdown(f"**{literal(code)}**")
    download("Download CSV", room.csv_file, f"embviz_{code}.csv", "text/csv", key="board_csv")
    ended = room.classroom.ended
    # Another key for an ended class: it is another popover, and so it is closed.
    with st.popover("End the class", disabled=ended, key=f"board_end_{ended}"):
        st.markdown("No more answers are taken. The board stays, and so does the download.")
        st.button("End now", key="board_end_now", on_click=_change, kwargs={"ended": True})
    with st.popover("End and delete", key="board_delete"):
        st.markdown(
            "All answers and pseudonyms of this class are deleted from this server, and nobody can "
            "bring them back. What students have in their own addresses stays. **Download first**, "
            "if you need the answers."
        )
        st.button("Delete now", key="board_delete_now", type="primary", on_click=_delete)
    _leave_button()


def _press() -> None:
    """A callback: the teacher pressed something on the board."""
    pressed = widget_value(class_board.KEY, {}).get("press")
    if not isinstance(pressed, dict):
        return
    given = {name: one for name, one in pressed.items() if type(one) is int and 0 <= one <= MOST}
    if "question" in given:
        change({"question": given["question"]})
    elif "pause" in given:
        _change(paused=given["pause"] or None)
    elif "reveal" in given or "hide" in given:
        _change(given.get("reveal", 0), given.get("hide", 0))


def _change(reveal: int = 0, hide: int = 0, **changes: Any) -> None:
    """Change the class, if this browser is its teacher; a refusal is shown at the next run.

    Args:
        reveal: the number of the step to reveal; 0 for none.
        hide: of the step whose answers are no longer revealed; 0 for none.
        changes: as `Store.change` takes them.
    """
    classes, code = here(), setting("board")
    if classes is None:
        return
    try:
        room = classes.rooms.get(code)
        number = reveal or hide or changes.get("paused") or 0
        if number > len(room.lab.steps):  # a forged press
            return
        if reveal or hide:
            step = {room.lab.steps[number - 1].name}
            # Not from the room, which may not know the last press yet.
            before = {*classes.store.classroom(code).revealed}
            changes["revealed"] = before | step if reveal else before - step
        classes.store.change(code, start_class.secret(), **changes).result(WRITTEN_S)
        room.refresh(0)  # so that what was pressed is seen
    except (ClassError, StoreError, TimeoutError) as error:
        state()["board_refused"] = str(error) or LATE


def _delete() -> None:
    """A callback: end the class, delete it, and go to the cards."""
    classes, code = here(), setting("board")
    if classes is None:
        return
    try:
        classes.store.delete(code, start_class.secret()).result(WRITTEN_S)
    except (ClassError, StoreError, TimeoutError) as error:
        state()["board_refused"] = str(error) or LATE
        return
    state()["class_deleted"] = code
    _leave()
