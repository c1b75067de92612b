"""A student alone in a lab: the address has the numbers and the answers, the server nothing."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, Question
from embviz.labs.work import Work, decode
from embviz.request.markdown import literal
from embviz.ui.pages.labs import cards, step, sweep
from embviz.ui.state.session import assign, change, go, setting


class Alone:
    """The work in the address, as a `step.Learner`."""

    def __init__(self) -> None:
        self.lab: str = setting("lab")
        # A link without numbers: those that this session has for the lab, else new ones.
        if not setting("numbers"):
            assign(cards.kept().get(self.lab, cards.new()))
        self.seed: int = setting("numbers")
        shared = len(LABS[self.lab].steps)
        drawn = questions(self.lab, self.seed)
        self.questions: tuple[Question, ...] = (
            *drawn[:shared],
            *map(sweep.judged, drawn[shared:]),
        )
        self.open_to = len(self.questions) + 1
        try:
            self.work = decode(self.questions, setting("done"))
        except Refused as error:
            st.warning(literal(f"{error} You begin anew."))
            self.work = Work(self.questions)
        cards.kept()[self.lab] = {"numbers": self.seed, "done": setting("done")}

    def key(self, step: int) -> str:
        """The lab, the step and the seed."""
        return f"answer {self.lab} {step} {self.seed}"

    def answers(self, step: int) -> Sequence[Answer]:
        """Those of the address."""
        return self.work.answers.get(step, ())

    def told(self, step: int) -> bool:
        """Always, once it can be judged."""
        return bool(self.questions[step - 1].right)

    def explained(self, step: int) -> bool:
        """Only where the student asks for it."""
        return False

    def take(self, step: int, answer: Answer) -> None:
        """Put it into the address; what is measured must have been measured."""
        if not self.told(step):
            raise Refused("Press Start first: the page checks your answer with what it measures.")
        self.work = self.work.add(step, answer)
        change({"done": self.work.encode()})

    def below(self, step: int) -> None:
        """The sweep, where the answer is measured."""
        if step > len(LABS[self.lab].steps):
            sweep.draw(self.questions[step - 1])


def draw() -> None:
    """A step, or the end; in the sidebar how far it is."""
    who = Alone()
    number, last = setting("step"), len(who.questions)
    if number > last:
        _end(who)
    else:
        step.draw(who, number)
    with st.sidebar:
        st.markdown(f"**{LABS[who.lab].title}**")
        done = len(who.work.answers)
        st.progress(done / last, text=f"{done} of {last} answered")
        if number <= last:
            cards.back()


def _end(who: Alone) -> None:
    """What was learned, the first answers that were right, and the next lab."""
    lab, names = LABS[who.lab], list(LABS)
    first = sum(who.work.right(number, 0) is True for number in range(1, len(who.questions) + 1))
    st.markdown(f"###### {lab.title}, done")
    st.markdown("##### " + "  \n##### ".join(lab.learned))
    st.markdown(f"{first} of {len(who.questions)} first answers were right.")
    following = names[names.index(who.lab) + 1 :]
    with st.container(horizontal=True, gap="small"):
        for one in following[:1]:
            st.button(
                f"Next lab: {LABS[one].title}",
                key="lab_after",
                on_click=cards.open_lab,
                args=(one,),
                type="primary",
                icon=":material/play_arrow:",
                icon_position="right",
            )
        st.button(
            "Again, with new numbers",
            key="lab_again",
            on_click=go,
            args=(cards.new() | {"step": 1},),
        )
        cards.back()
    step.ways(who, len(who.questions) + 1)
