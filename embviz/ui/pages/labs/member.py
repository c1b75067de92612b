"""A student in a class: who it is, what is open, what is told, and how an answer is kept.

The address has the code alone. A cookie says who the student is, and the store has the work.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from embviz.classes.here import here
from embviz.classes.names import read_code
from embviz.classes.store import LATE, ClassError, NoClassError, Store, StoreError
from embviz.classes.store import Answer as Kept
from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, bar_of, judge, read, typed
from embviz.server.class_routes import STUDENT, WRONG_S
from embviz.server.scheduler import run_queue
from embviz.ui.pages.labs import class_bars, class_link, start_class, step
from embviz.ui.parts.component import component
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import go, redraw, setting, state

SEES = "Your teacher sees this name and your answers, not who you are."
_POLL = component("embviz_class_poll", [Path(__file__).parent / "class_poll.js"])


class Member:
    """A student's place in a class as this run found it, as a `step.Learner`.

    Attributes:
        name: the pseudonym; `""` before the first answer.
    """

    def __init__(self, store: Store, code: str, browser: str) -> None:
        """Find it.

        Raises:
            NoClassError: there is no such class.
            StoreError: the file cannot be read now.
        """
        self.store, self.code, self.browser = store, code, browser
        self.room, rows = store.room(code), store.answers(code, browser)
        self.name: str = rows[0][1] if rows else ""
        self.lab = self.room.lab
        made = questions(self.lab, self.room.seed)
        self.questions = made[: len(LABS[self.lab].steps)]
        self.open_to = self.room.paused or len(self.questions) + 1
        self._typed = {(row[2], row[3]): row[4] for row in rows if row[2] is not None}

    def key(self, step: int) -> str:
        """The class, the step and its vote; somebody else at this browser has other fields."""
        return f"vote {self.code} {step} {self.room.step(step).vote} {self.name}"

    def answers(self, step: int) -> Sequence[Answer]:
        """What stands in the open vote; all, once they are told, a late one last."""
        votes = (1, 2, LATE) if self.told(step) else (self.room.step(step).vote,)
        kept = [self._typed[step, vote] for vote in votes if (step, vote) in self._typed]
        return [read(self.questions[step - 1], one) for one in kept]

    def told(self, step: int) -> bool:
        """Once the step is revealed, or at the own pace."""
        return self.room.tells(step)

    def explained(self, step: int) -> bool:
        """Once the step is revealed."""
        return self.room.step(step).revealed

    def take(self, step: int, answer: Answer) -> None:
        """Keep it with its verdict, in the vote that this page shows."""
        asked = self.questions[step - 1]
        made = Kept(typed(answer), bar_of(asked, answer), *judge(asked, answer))
        vote = self.room.step(step).vote
        try:
            self.store.keep(self.code, self.browser, step, vote, made)
        except StoreError as error:
            raise Refused(f"Not stored yet, press again. {error}") from None
        except ClassError as error:
            state()["class_refused"] = str(error)
            # The vote may be another one now, with another field.
            st.session_state[Member(self.store, self.code, self.browser).key(step)] = typed(answer)

    def below(self, step: int) -> None:
        """What became of the answer; and the bars, where they give nothing away."""
        given, asked = self.answers(step), self.questions[step - 1]
        if not self.told(step):
            if given:
                st.info("Kept. What stands when the vote closes counts; you may change it.")
            elif self.room.step(step).vote == 2:
                st.info("**Vote again**, now that you have talked about it.")
        elif self.explained(step) or (given and judge(asked, given[-1]).right):
            rows = self.store.answers(self.code)
            st.markdown("**What the class answered**")
            class_bars.draw(rows, step, asked, True)


def draw() -> None:
    """The lab of the class in the address, or why it is not shown."""
    mine = _enter()
    if mine is None:
        start_class.draw()
        return
    class_bars.style()
    number, last = setting("step"), len(mine.questions)
    _line(mine)
    with st.container():  # also without words: so what is being typed keeps its place
        _news(mine, number)
    if number <= last:
        step.draw(mine, number)
        return
    lab = LABS[mine.lab]
    st.markdown(f"###### {lab.title}, done")
    st.markdown("##### " + "  \n##### ".join(lab.learned))
    step.ways(mine, last + 1)


def _enter() -> Member | None:
    """The student's place in the class; None where a sentence says why there is none."""
    code, store = setting("class"), here()
    browser = class_link.cookie(STUDENT)
    entered: set[str] = state().setdefault("entered", set())
    try:
        if store is None:
            raise ClassError("This server has no classes. You can work alone.")
        mine = Member(store, read_code(code) or code, browser)
    except NoClassError as error:
        if code in entered:
            refuse(f"The class {code} was deleted.")
        else:
            with run_queue.released():
                time.sleep(WRONG_S)
            refuse(error)
    except Refused as error:
        refuse(error)
    else:
        if browser:
            entered.add(code)
            return mine
        st.markdown(f"##### {LABS[mine.lab].title}, in a class")
        st.html(f"<a href='class/{mine.code}'>Join the class {mine.code}</a>")
    _leave("Work alone")
    return None


def _line(mine: Member) -> None:
    """Who the student is and what the teacher sees; it asks for news of the class."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        who = f"You are **{mine.name}**. " if mine.name else "Your first answer gets a pseudonym. "
        st.markdown(f"{who}:gray[{SEES}]", width="stretch")
        if mine.name:
            st.button(
                "Not you?", key="class_other", on_click=_another, args=(mine,), type="tertiary"
            )
        _leave("Leave the class")
        data = {"path": f"../class/{mine.code}/version", "version": str(mine.room.version)}
        # No rerun by a callback: it would send each field anew, and undo what is being typed.
        _POLL(key="class_poll", data=data, on_news_change=lambda: None)


def _news(mine: Member, number: int) -> None:
    """Whether the class has paused or ended, and why a press did nothing."""
    if refused := state().pop("class_refused", None):
        refuse(refused)
    if mine.room.ended:
        st.info("The class has ended: no more answers are taken.", icon=":material/flag:")
    if paused := mine.room.paused:
        where = "here" if number == paused else f"at step {paused}"
        words = f"**Your teacher has paused {where}.** Later steps open when the class goes on."
        st.info(words, icon=":material/pause_circle:")


def _another(mine: Member) -> None:
    """A callback: somebody else sits here."""
    try:
        mine.store.another(mine.code, mine.browser)
    except Refused as error:
        state()["class_refused"] = str(error)
    redraw()


def _leave(label: str) -> None:
    to = ({"class": "", "lab": "all", "step": 1},)
    st.button(label, key="class_leave", on_click=go, args=to, type="tertiary")
