"""A student in a class: who it is, where the class is, what is told, and how an answer is kept.

The address has the code, and lab and step that are shown. A cookie says who the student is, and the
store has the work.
"""

import time
from contextlib import suppress
from pathlib import Path

import streamlit as st

from embviz.classes import pace, visits
from embviz.classes.fitting import fitting
from embviz.classes.here import here
from embviz.classes.names import read_code
from embviz.classes.page import bars, class_link, door
from embviz.classes.room import ClassError, NoClassError, RemovedError, Room, StoredAnswer
from embviz.classes.routes import STUDENT
from embviz.classes.snapshot import LATE, Snapshot
from embviz.labs.answer import read
from embviz.labs.catalogue import LABS, questions
from embviz.labs.page import cards, field, lesson, step_page
from embviz.labs.question import Answer, bar_of, judge, typed
from embviz.labs.work import Answers, add, encode
from embviz.server.scheduler import run_queue
from embviz.text.refused import Refused
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
        title = LABS[found.room.lab].title
        browser_title(title)
        st.markdown(f"# {title}, in a class")
        st.html(f"<a href='class/{code}'>Join the class {code}</a>")


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
    is_late = _follow(snapshot, browser)
    lab, shown = setting("lab"), setting("step")
    mine = _lesson(snapshot, browser, lab)
    visits.visits(code, browser, lab, mine.back)
    told = step_page.draw(mine, lambda: _line(snapshot, browser, is_late))
    votes = {
        answer.vote for answer in snapshot.answers if (answer.lab, answer.step) == (lab, shown)
    }
    if LATE in votes:
        st.info("This answer came **late**, after *Reveal*: it is in no bar.")
    if votes == {1} and told and room.step(lab, shown).vote == 2:
        st.info("You did not vote again: this is your first vote.")
    if told and mine.stand(shown).is_revealed:
        st.markdown("**What the class answered**")
        everybody = fitting(here().snapshot(code)).answers
        bars.draw(everybody, lab, shown, mine.asked[shown - 1], room.step(lab, shown).vote)
    if room.ended:
        _take_along(snapshot)


def _join(room: Room, browser: str) -> bool:
    """Make a row for this browser, if it has none; whether the lab can be shown."""
    store, code = here(), room.code
    try:
        if not room.ended:
            wait_s = pace.row_wait(code)
            with run_queue.released():  # other pages compute meanwhile
                time.sleep(wait_s)
            store.join(code, browser)
        return True
    except ClassError as refused:
        st.markdown(f"# {LABS[room.lab].title}, in a class")
        browser_title(LABS[room.lab].title)
        if not isinstance(refused, RemovedError):
            refuse(refused)
            return False
        st.info(str(refused))
    if problem := session().own.pop("labs_refused", None):
        refuse(problem)
    args = store.join, code, browser, True
    st.button("Join again", on_click=lesson.attempt, args=args, type="primary")
    return False


def _lesson(snapshot: Snapshot, browser: str, lab: str) -> lesson.Lesson:
    """The lab as this student has it in this class."""
    room, asked = snapshot.room, questions(lab, snapshot.room.seed)

    def stand(step: int) -> lesson.Stand:
        told, vote = room.tells(lab, step), room.step(lab, step).vote
        return lesson.Stand(tells=told, is_revealed=told, vote=vote)

    def keep(step: int, answer: Answer) -> None:
        question = asked[step - 1]
        made = StoredAnswer(
            typed(answer), bar_of(question, answer), *judge(question, answer), title=question.title
        )
        here().keep(room.code, browser, lab, step, made, vote=stand(step).vote)
        visits.kept(room.code, browser)

    def note(written: str) -> None:
        visits.refused(room.code, browser, written)

    given = _given(snapshot, lab)
    place = f"{room.code} {snapshot.members[0].name if snapshot.members else ''}"
    return lesson.Lesson(
        lab,
        place,
        asked,
        given,
        keep,
        stand,
        paused=room.paused(lab),
        takes_answers=not room.ended,
        note=note,
    )


def _given(snapshot: Snapshot, lab: str) -> Answers:
    """The answers that count: while a step is open, those of its vote alone."""
    room = snapshot.room
    asked = questions(lab, room.seed)
    given: Answers = {}
    for stored in snapshot.answers:
        is_open = not room.tells(lab, stored.step)
        if stored.lab != lab or (is_open and stored.vote != room.step(lab, stored.step).vote):
            continue
        with suppress(Refused):  # a newer embviz asks for something else under the same title
            given = add(given, stored.step, read(asked[stored.step - 1], stored.typed))
    return given


def _follow(snapshot: Snapshot, browser: str) -> bool:
    """Go where the class was brought, once for each time.

    Returns:
        Whether the student is not there yet, because something is written and not sent. A second
        press of the teacher brings this one too.
    """
    room, moved = snapshot.room, f"labs_moved {snapshot.room.code}"
    offered, followed = f"labs_offered {room.code}", session().own.get(moved, 0)
    if followed == room.moved:
        return False
    there = {"lab": room.lab, "step": room.at}
    if {name: setting(name) for name in there} != there:
        if session().own.get(offered, room.moved) == room.moved and field.is_writing(
            _lesson(snapshot, browser, setting("lab"))
        ):
            session().own[offered] = room.moved
            return True
        assign(there)
        write_address()
    session().own[moved] = room.moved
    session().own.pop(offered, None)
    return False


def _line(snapshot: Snapshot, browser: str, is_late: bool) -> None:
    """The pseudonym, where the class is, and whether it has paused or ended; it asks for news."""
    room, lab = snapshot.room, setting("lab")
    with st.container(horizontal=True, vertical_alignment="center", key="class_line"):
        if snapshot.members:
            st.markdown(f"You are **{snapshot.members[0].name}**. :gray[{SEEN}]")
        own, shown = session().own, "class_pages"
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
    if len(room.labs) > 1:
        # Another widget for each lab: where the class is brought to one, a browser that has not
        # drawn it yet still sends the lab before. Of one widget that would be a press.
        key = f"class_lab {lab}"
        st.session_state[key] = lab
        st.segmented_control(
            "Lab",
            room.labs,
            key=key,
            required=True,
            format_func=lambda key: LABS[key].title,
            on_change=lambda: go({"lab": st.session_state[key], "step": 1}),
            label_visibility="collapsed",
        )
    with st.container():  # also without words: so what is being typed keeps its place
        if room.ended:
            st.info("The class has ended: every step is told, and no more answers are taken.")
        elif is_late:
            where = f"step {room.at}"
            if room.lab != lab:
                where += f" of {LABS[room.lab].title}"
            there = {"lab": room.lab, "step": room.at}
            st.button(
                f"Your class is at {where}: go there",
                "class_go",
                on_click=go,
                args=(there,),
                type="primary",
                width="stretch",
            )
        elif paused := room.paused(lab):
            st.info(f"**Paused at step {paused}.** Later steps open when the class goes on.")


def _take_along(snapshot: Snapshot) -> None:
    """A link to the student's own work in each lab, as somebody alone has it."""
    seed = snapshot.room.seed
    for lab in snapshot.room.labs:
        done = encode(questions(lab, seed), _given(snapshot, lab))
        own = {"class": "", "lab": lab, "numbers": seed, "done": done, "step": 1}
        label = f"Keep your work: {LABS[lab].title}, alone"
        link("labs", own, label=label, icon=":material/bookmark:")
