"""A student in a class: who it is, what is told, and how an answer is kept.

The address has the code alone. A cookie says who the student is, and the store has the work.
"""

from pathlib import Path

import streamlit as st

from embviz.classes.here import here
from embviz.classes.names import read_code
from embviz.classes.room import NoClassError, Room, StoredAnswer
from embviz.classes.store import LATE
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, bar_of, judge, read, typed
from embviz.server.class_routes import STUDENT, is_visitor, visits
from embviz.ui.pages.labs import board_page, cards, class_link, lesson
from embviz.ui.parts.component import component
from embviz.ui.parts.links import browser_title
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import setting

_POLL = component("embviz_class_poll", Path(__file__).parent / "class_poll.js")


def draw() -> None:
    """The lab of the class in the address, or why it is not shown."""
    code, browser = setting("class"), class_link.cookie(STUDENT)
    try:
        room = here().room(read_code(code) or code)
    except NoClassError as error:
        is_known = is_visitor(code, browser)  # it was deleted
        refused = error if is_known else class_link.after_wait(error)
        browser_title()
        st.markdown("# A class")
        refuse(refused)
        cards.classes()
        return
    if browser:
        _lab(room, browser)
    else:
        browser_title(LABS[room.lab].title)
        st.markdown(f"# {LABS[room.lab].title}, in a class")
        st.html(f"<a href='class/{room.code}'>Join the class {room.code}</a>")


def _lab(room: Room, browser: str) -> None:
    """A step, or the end; and the bars, where they give nothing away."""
    visits(room.code, browser)
    asked, shown = questions(room.lab, room.seed), setting("step")
    rows, given = here().answers(room.code, browser), dict[int, list[Answer]]()
    for _, _, step, vote, text, *_ in rows:
        # While a step is open, the first vote is none: the second one begins empty.
        if step and (room.tells(step) or vote == room.step(step).vote):
            given.setdefault(step, []).append(read(asked[step - 1], text))
    name = rows[0][1] if rows else ""

    def keep(step: int, answer: Answer) -> None:
        one = asked[step - 1]
        made = StoredAnswer(typed(answer), bar_of(one, answer), *judge(one, answer))
        here().keep(room.code, browser, step, room.step(step).vote, made)

    is_told = lesson.draw(room, asked, given, keep, name, lambda: _line(room, browser, name))
    if not room.own_pace and any(row[2:4] == (shown, LATE) for row in rows):
        st.info("This answer came **late**, after *Reveal*: it is in no bar.")
    if is_told:
        st.markdown("**What the class answered**")
        board_page.bars(here().answers(room.code), shown, asked[shown - 1], room.step(shown).vote)


def _line(room: Room, browser: str, name: str) -> None:
    """The pseudonym, and whether the class has paused or ended; it asks for news."""
    with st.container(horizontal=True, vertical_alignment="center"):
        who = f"You are **{name}**. " if name else "Your first answer gets a pseudonym. "
        st.markdown(f"{who}:gray[Your teacher sees this name and your answers, not who you are.]")
        if name:
            args = here().another, room.code, browser
            st.button("Not you?", on_click=lesson.attempt, args=args, type="tertiary")
        data = {"path": f"class/{room.code}/version", "version": str(room.version)}
        # No rerun by a callback: it would send each field anew, and undo what is being typed.
        _POLL(key="class_poll", data=data, on_news_change=lambda: None)
    with st.container():  # also without words: so what is being typed keeps its place
        if room.ended:
            st.info("The class has ended: no more answers are taken.")
        elif room.paused:
            st.info(f"**Paused at step {room.paused}.** Later steps open when the class goes on.")
