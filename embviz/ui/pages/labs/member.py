"""A student in a class: who it is, what is open, what is told, and how an answer is kept.

The address has the code alone. A cookie says who the student is, and the store has the work.
"""

from __future__ import annotations

import time
from pathlib import Path

import streamlit as st

from embviz.classes.here import here
from embviz.classes.names import read_code
from embviz.classes.room import Answer as Kept
from embviz.classes.room import ClassError, NoClassError, Room, StoreError
from embviz.classes.store import LATE, Store
from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, Question, bar_of, judge, read, typed
from embviz.server.class_routes import STUDENT, WRONG_S
from embviz.server.scheduler import run_queue
from embviz.ui.pages.labs import cards, class_bars, class_link, start_class, step
from embviz.ui.parts.component import component
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import redraw, setting, state

SEES = "Your teacher sees this name and your answers, not who you are."
_POLL = component("embviz_class_poll", [Path(__file__).parent / "class_poll.js"])


def draw() -> None:
    """The lab of the class in the address, or why it is not shown."""
    code, store, browser = setting("class"), here(), class_link.cookie(STUDENT)
    try:
        if store is None:
            raise ClassError("This server has no classes. You can work alone.")
        room = store.room(read_code(code) or code)
        if browser:
            _lab(store, room, browser)
            cards.back("Leave the class")
            return
        st.markdown(f"##### {LABS[room.lab].title}, in a class")
        st.html(f"<a href='class/{room.code}'>Join the class {room.code}</a>")
    except NoClassError as error:
        with run_queue.released():
            time.sleep(WRONG_S)
        refuse(error)
    except Refused as error:
        refuse(error)
    cards.back("Work alone")
    start_class.draw()


def _key(room: Room, number: int, name: str) -> str:
    """Another vote, or somebody else at this browser, has another field."""
    return f"vote {room.code} {number} {room.step(number).vote} {name}"


def _lab(store: Store, room: Room, browser: str) -> None:
    """A step, or the end."""
    rows, number = store.answers(room.code, browser), setting("step")
    name = str(rows[0][1]) if rows else ""
    given = {(row[2], row[3]): row[4] for row in rows if row[2] is not None}

    def seen(number: int, asked: Question) -> step.Seen:
        found, told = room.step(number), room.tells(number)
        votes = (1, 2, LATE) if told else (found.vote,)
        kept = [read(asked, given[number, vote]) for vote in votes if (number, vote) in given]
        return step.Seen(number, asked, _key(room, number, name), kept, told, found.revealed)

    def take(one: step.Seen, answer: Answer) -> None:
        """Keep it with its verdict, in the vote that this page shows."""
        number, asked = one.number, one.question
        made = Kept(typed(answer), bar_of(asked, answer), *judge(asked, answer))
        try:
            store.keep(room.code, browser, number, room.step(number).vote, made)
        except StoreError as error:
            raise Refused(f"Not stored yet, press again. {error}") from None
        except ClassError:
            # The vote may be another one now, with another field.
            st.session_state[_key(store.room(room.code), number, name)] = typed(answer)
            raise

    def below() -> None:
        """What became of the answer; and the bars, where they give nothing away."""
        one, vote = steps[number - 1], room.step(number).vote
        if one.given and not one.told:
            st.info("Kept. What stands when the vote closes counts; you may change it.")
        elif vote == 2 and not one.told:
            st.info("**Vote again**, now that you have talked about it.")
        if (number, LATE) in given and not room.own_pace:
            st.info("This answer came **late**, after *Reveal*: it is in no bar.")
        if one.explained or one.right:
            st.markdown("**What the class answered**")
            class_bars.draw(store.answers(room.code), number, one.question, vote)

    asked = questions(room.lab, room.seed)[: len(LABS[room.lab].steps)]
    steps = [seen(*one) for one in enumerate(asked, 1)]
    lesson = step.Lesson(room.lab, steps, take, room.paused or len(steps) + 1)
    _line(store, room, browser, name)
    with st.container():  # also without words: so what is being typed keeps its place
        _news(room, number)
    if number <= len(steps):
        step.draw(lesson, number, below)
    else:
        step.learned(lesson)
        step.ways(lesson, number)


def _line(store: Store, room: Room, browser: str, name: str) -> None:
    """Who the student is and what the teacher sees; it asks for news of the class."""

    def another() -> None:
        try:
            store.another(room.code, browser)
        except Refused as error:
            state()["lab_refused"] = error
        redraw()

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        who = f"You are **{name}**. " if name else "Your first answer gets a pseudonym. "
        st.markdown(f"{who}:gray[{SEES}]", width="stretch")
        if name:
            st.button("Not you?", on_click=another, type="tertiary")
        data = {"path": f"../class/{room.code}/version", "version": str(room.version)}
        # No rerun by a callback: it would send each field anew, and undo what is being typed.
        _POLL(key="class_poll", data=data, on_news_change=lambda: None)


def _news(room: Room, number: int) -> None:
    """Whether the class has paused or ended."""
    if room.ended:
        st.info("The class has ended: no more answers are taken.", icon=":material/flag:")
    elif paused := room.paused:
        where = "here" if number == paused else f"at step {paused}"
        words = f"**Your teacher has paused {where}.** Later steps open when the class goes on."
        st.info(words, icon=":material/pause_circle:")
