"""A student's page in a class: who it is, where the class is, and what became of the votes.

The address has the code, and lab and step that are shown. A cookie says who the student is, and the
store has the work.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from embviz.classes import pace, visits
from embviz.classes.fitting import fitting
from embviz.classes.here import here
from embviz.classes.names import read_code
from embviz.classes.page import bars, class_link, door
from embviz.classes.page.shared_lab import answers_of, lesson_of
from embviz.classes.room import ClassError, NoClassError, RemovedError, Room
from embviz.classes.routes import STUDENT
from embviz.classes.snapshot import LATE, Snapshot
from embviz.labs.catalogue import LABS, questions
from embviz.labs.page import cards, field, step_page
from embviz.labs.page.lesson import attempt
from embviz.labs.work import encode
from embviz.server.scheduler import run_queue
from embviz.ui.elements.component import component
from embviz.ui.elements.links import browser_title, link
from embviz.ui.elements.refusal import refuse
from embviz.ui.state.address import setting, write_address
from embviz.ui.state.changes import assign, go
from embviz.ui.state.session import session

_POLL = component("embviz_class_poll", Path(__file__).parent / "class_poll.js")
SEEN = "Your teacher sees this name and your answers, not who you are."


def draw() -> None:
    """The lab of the class in the address, or why it is not shown."""
    code, browser = setting("class"), class_link.cookie(STUDENT)
    code = read_code(code) or code
    try:
        found = fitting(here().snapshot(code, browser))
    except NoClassError as error:
        _gone(error, visits.is_visitor(code, browser))
        return
    if visits.OURS.fullmatch(browser):
        _member(found, browser)
    else:
        _head(found.room)
        st.html(f"<a href='class/{code}'>Join the class {code}</a>")


def _head(room: Room) -> None:
    """The headline of a page that cannot show the lab."""
    title = LABS[room.lab].title
    browser_title(title)
    st.markdown(f"# {title}, in a class")


def _gone(error: NoClassError, was_here: bool) -> None:
    """Say that there is no such class: it was deleted, or the code is wrong."""
    browser_title()
    st.markdown("# A class")
    if was_here:
        st.info("Your teacher has deleted this class, and nothing of it is kept. Work on alone:")
        cards.draw_cards()
        return
    refuse(class_link.after_turn(error))
    door.classes()


def _member(snapshot: Snapshot, browser: str) -> None:
    """A step, or the end; and the bars, where they give nothing away."""
    code = snapshot.room.code
    if not snapshot.members:
        if not _join(snapshot.room, browser):
            return
        snapshot = fitting(here().snapshot(code, browser))
    room = snapshot.room
    if setting("lab") not in room.labs:
        if setting("lab") != cards.ALL:  # A step of another lab.
            assign({"step": 1})
        assign({"lab": room.lab})
    is_asked = _follow(snapshot, browser)
    lab, step = setting("lab"), setting("step")
    lesson = lesson_of(snapshot, browser, lab)
    visits.visits(code, browser, lab, lesson.back)
    if step_page.draw(lesson, lambda: _above(snapshot, browser, is_asked)):
        _told(snapshot, lab, step)
    if room.ended:
        _take_along(snapshot)


def _told(snapshot: Snapshot, lab: str, step: int) -> None:
    """Draw what stands below a step whose answer is told: what became of votes, and the bars."""
    room = snapshot.room
    mine = {answer.vote for answer in snapshot.answers if (answer.lab, answer.step) == (lab, step)}
    vote = room.step(lab, step).vote
    if LATE in mine:
        st.info("This answer came **late**, after *Reveal*: it is in no bar.")
    if mine == {1} and vote == 2:
        st.info("You did not vote again: this is your first vote.")
    st.markdown("**What the class answered**")
    everybody = fitting(here().snapshot(room.code)).answers
    bars.draw(everybody, lab, step, questions(lab, room.seed)[step - 1], vote)


def _join(room: Room, browser: str) -> bool:
    """Make a row for this browser, if the class takes one; whether the lab can be shown."""
    if room.ended:
        return True
    store, code = here(), room.code
    try:
        wait_s = pace.row_wait(code)
        with run_queue.released():  # other pages compute meanwhile
            time.sleep(wait_s)
        store.join(code, browser)
        return True
    except RemovedError as removed:
        _head(room)
        st.info(str(removed))
        if problem := session().own.pop("labs_refused", None):
            refuse(problem)
        args = store.join, code, browser, True
        st.button("Join again", on_click=attempt, args=args, type="primary")
    except ClassError as refused:
        _head(room)
        refuse(refused)
    return False


def _follow(snapshot: Snapshot, browser: str) -> bool:
    """Go where the class was brought, once for each press of its teacher.

    A student who is writing is asked first; the teacher's second press brings this one too.

    Returns:
        Whether the student is asked.
    """
    room, own = snapshot.room, session().own
    # Values of `room.moved`, when this page came along last and when it asked last.
    followed, asked = f"labs_followed {room.code}", f"labs_asked {room.code}"
    came_along = own.get(followed, 0)
    if came_along == room.moved:
        return False
    if (setting("lab"), setting("step")) != (room.lab, room.at):
        is_second_press = came_along < own.get(asked, 0) < room.moved
        if not is_second_press and field.is_writing(lesson_of(snapshot, browser, setting("lab"))):
            own[asked] = room.moved
            return True
        assign({"lab": room.lab, "step": room.at})
        write_address()
    own[followed] = room.moved
    return False


def _above(snapshot: Snapshot, browser: str, is_asked: bool) -> None:
    """Draw what stands above a step: the pseudonym, the labs, and where the class is."""
    room, lab = snapshot.room, setting("lab")
    with st.container(horizontal=True, vertical_alignment="center", key="class_line"):
        _line(snapshot, browser)
    if len(room.labs) > 1:
        _labs(room.labs, lab)
    with st.container():  # also without words: so what is being typed keeps its place
        if room.ended:
            st.info("The class has ended: every step is told, and no more answers are taken.")
        elif is_asked:
            where = f"step {room.at}"
            if room.lab != lab:
                where += f" of {LABS[room.lab].title}"
            st.button(
                f"Your class is at {where}: go there",
                "class_go",
                on_click=go,
                args=({"lab": room.lab, "step": room.at},),
                type="primary",
                width="stretch",
            )
        elif paused := room.paused(lab):
            st.info(f"**Paused at step {paused}.** Later steps open when the class goes on.")


def _line(snapshot: Snapshot, browser: str) -> None:
    """Draw the pseudonym and the way to other pages; the script in it asks for news."""
    room, own, shown = snapshot.room, session().own, "class_pages"
    if snapshot.members:
        st.markdown(f"You are **{snapshot.members[0].name}**. :gray[{SEEN}]")
    # The style sheet hides the links to other pages while this button is there.
    if not room.ended and not own.get(shown):
        args = ({shown: True},)
        st.button("Other pages", shown, on_click=own.update, args=args, type="tertiary")
    data = {
        "path": f"class/{room.code}/version",
        "version": visits.version_of(room, browser),
        "left_s": max(0.0, room.until - time.time()) if room.until else 0,
    }
    # No rerun by a callback: it would send each field anew, and undo what is being typed.
    _POLL(key="class_poll", data=data, on_news_change=lambda: None)


def _labs(labs: Sequence[str], lab: str) -> None:
    """Draw the labs that the class has opened, to choose from."""
    # Another widget for each lab: where the class is brought to one, a browser that has not drawn
    # it yet still sends the lab before. Of one widget that would be a press.
    key = f"class_lab {lab}"
    st.session_state[key] = lab
    st.segmented_control(
        "Lab",
        labs,
        key=key,
        required=True,
        format_func=lambda each: LABS[each].title,
        on_change=lambda: go({"lab": st.session_state[key], "step": 1}),
        label_visibility="collapsed",
    )


def _take_along(snapshot: Snapshot) -> None:
    """A link to the student's own work in each lab, as somebody alone has it."""
    seed = snapshot.room.seed
    for lab in snapshot.room.labs:
        done = encode(questions(lab, seed), answers_of(snapshot, lab))
        own = {"class": "", "lab": lab, "numbers": seed, "done": done, "step": 1}
        label = f"Keep your work: {LABS[lab].title}, alone"
        link("labs", own, label=label, icon=":material/bookmark:")
