"""The board of a class: what its teacher sees and presses. The right to it is a cookie.

It looks at the store each second. The class view can be projected: before *Reveal* it tells how
many have answered, and neither what nor whether it is right. Bars of an open vote would move those
who still think, and the bars of a first vote those who vote again. The teacher's view has them.
"""

import time
from contextlib import suppress

import streamlit as st

from embviz.classes import board
from embviz.classes.here import here
from embviz.classes.room import ClassError, NoClassError, Room, StoreError
from embviz.labs.catalogue import LABS, questions
from embviz.labs.drawing import html_of
from embviz.labs.question import Question
from embviz.request.markdown import literal
from embviz.server.class_routes import TEACHER, present, ticket
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.labs import class_link
from embviz.ui.pages.labs.lesson import attempt
from embviz.ui.parts.links import browser_title
from embviz.ui.state.remembered import state
from embviz.ui.state.session import setting

LOOK_S = 60.0  # seconds between two notes that the board is open
VIEW = "Teacher's view: what is right and wrong. **A projected screen shows it too.**"


def draw() -> None:
    """The board of the class in the address.

    Raises:
        ClassError: why it is not shown.
    """
    # Always: a fragment may write into the sidebar only if it did so in the last whole run.
    below, code = st.sidebar.container(), setting("board")
    browser_title("Board of a class")
    try:
        _check(code)
    except NoClassError as error:
        st.markdown("# The board of a class")
        is_known = state().own.pop("labs_board", "") == code  # it was deleted
        raise error if is_known else class_link.after_wait(error) from None
    except ClassError:
        st.markdown("# The board of a class")
        raise
    state().own["labs_board"] = code
    with below:
        _sidebar(code)
    queued_fragment(1.0, _board, code)


def _check(code: str) -> None:
    """Raise `ClassError` unless this browser is the teacher's."""
    if not here().is_teacher(code, class_link.cookie(TEACHER)):
        raise ClassError(
            "This board belongs to the browser that started the class. Open it there, and press "
            "*Open on another device*."
        )


def _sidebar(code: str) -> None:
    """Widgets for the end of a class, and for another device; not on a projector."""
    st.link_button("Download CSV", f"class/{code}/csv", icon=":material/download:")
    with st.popover("Open on another device"):
        st.markdown(
            "A device that opens this address within a minute has the board too. Do not project it."
        )
        if st.button("Make the address"):
            url = class_link.link(f"{code}/board/{ticket(code)}", st.context.url)
            st.code(url, None, wrap_lines=True)
            st.html(class_link.qr(url), width=300)
    with st.popover("End the class"):
        st.markdown("**End**: no more answers are taken. The board and the download stay.")
        _button("End now", "end")
        st.markdown(
            "**Delete**: all answers and pseudonyms go from this server, and nobody can bring them "
            "back. Download first, if you need them."
        )
        _button("Delete now", "delete")


def _button(label: str, press: str, step: int = 0) -> None:
    """A button that presses one of the store's `PRESSES`."""
    args = here().press, setting("board"), class_link.cookie(TEACHER), press, step
    st.button(label, f"{press} {step}", on_click=attempt, args=args)


def _board(code: str) -> None:
    """All that changes: the steps as a row, one of them large, and the rows of students."""
    try:
        room, rows = here().room(code), here().answers(code)
        _look(code)
    except ClassError:  # deleted: the whole page says so
        st.rerun()
    if refused := state().own.pop("labs_refused", None):  # longer than until the next look
        st.toast(literal(str(refused)), duration="long")
    asked = questions(room.lab, room.seed)
    size = max(len(board.members(rows)), present(code))
    table = board.summary(rows, room, len(asked))
    _head(room, size)
    tells = st.toggle(VIEW)

    chosen = state().own.get(f"labs_open {code}")
    st.markdown("How many have answered each step; press one for its question")
    # Buttons, whose presses count also if the label has changed since.
    with st.container(horizontal=True, gap="xsmall", key="board_step"):
        for step, count in table["answered"].items():
            mark = ":material/pause_circle:" if room.paused == step else ""
            # Before anybody has joined nothing is counted.
            counted = f" · {count} of {size}" if size else ""
            st.button(
                f"**{step}** {mark}{counted}",
                f"step {step}",
                on_click=state().own.update,
                args=({f"labs_open {code}": step},),
                type="primary" if step == chosen else "secondary",
            )
    if chosen:
        found, one = room.step(chosen), asked[chosen - 1]
        is_told = tells or room.shows(chosen)
        with st.container(horizontal=True, vertical_alignment="center"):
            for press in room.presses(chosen):
                _button(press.replace("_", " ").capitalize(), press, chosen)
            if not room.own_pace:
                hidden = "Hidden here: students still see it."
                st.markdown(hidden if found.hidden else f"Vote {found.vote} of 2", width="content")
        words, picture = st.columns([3, 2], gap="large")
        with words, st.container(key="lab_question"):
            choices = () if is_told else one.choices  # The bars have them after Reveal.
            st.markdown("\n- ".join([f"## {one.title}\n{one.prompt}\n", *choices]))
        picture.html(html_of(one.picture if is_told else one.start))
        if is_told:
            bars(rows, chosen, one, found.vote, size)
            st.markdown(f"**Why.** {one.why}")
    if tells:
        table.insert(0, "step", [one.title for one in asked])
        st.table(table)
        if st.toggle("Rows of students"):
            st.dataframe(board.students(rows), hide_index=True)
            with st.container(horizontal=True):
                for number, name in board.members(rows).items():
                    with st.popover(f"Remove {name}", key=f"row {number}"):
                        _button(f"Remove {name} and all answers", "remove", number)


def _look(code: str) -> None:
    """Note each minute that the board is open: its class gives way to no other one."""
    looked, now = f"labs_looked {code}", time.monotonic()
    if now - state().own.get(looked, -LOOK_S) >= LOOK_S:
        state().own[looked] = now
        with suppress(StoreError):  # locked: the board can still be read
            here().look(code)


def _head(room: Room, size: int) -> None:
    """Code, link and QR code: large until somebody has joined."""
    title = LABS[room.lab].title
    if room.own_pace:
        title += ", own pace"
    if room.ended:
        st.markdown(f"# {title}")
        st.info("This class has ended. Nobody can answer any more.")
        return
    url = class_link.link(room.code, st.context.url)
    with st.container(horizontal=True, key="class_head" if size else "class_head_large"):
        st.markdown(f"# {title}\n## `{room.code}`\nStudents open <{url}>")
        st.html(class_link.qr(url), width=84 if size else 300)


def bars(rows: board.Rows, step: int, question: Question, votes: int, size: int = 1) -> None:
    """Draw how a class answered a step: a bar for each answer, for those who may know it.

    Args:
        rows: all answers of the class.
        step: counted from 1.
        question: the step's.
        votes: 1, or 2 for both.
        size: of the class, if more are in it than have answered: the longest that a bar can be.
    """
    size = max(size, len(board.members(rows)), 1)
    with st.container(key="class_bars"):
        for words, is_right, mistake, *counts in board.bars(rows, step, question).itertuples():
            left, right = st.columns([2, 3], vertical_alignment="center")
            name = f":green[✓ {words}]" if is_right else words
            if mistake:
                left.markdown(f"**{name}**  \n:small[{mistake}]")
            else:
                left.markdown(f"**{name}**")
            with right, st.container(gap=None):
                for vote, count in enumerate(counts[:votes], 1):
                    which = f" in vote {vote}" if votes > 1 else ""
                    st.progress(count / size, f"**{count}**{which}")
