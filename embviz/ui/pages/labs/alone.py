"""A student alone in a lab: the address has the numbers and the answers, the server nothing."""

from __future__ import annotations

import streamlit as st

from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, judge
from embviz.labs.work import Work, decode
from embviz.request.markdown import literal
from embviz.ui.pages.labs import cards, step, sweep
from embviz.ui.state.session import assign, change, go, setting


def draw() -> None:
    """A step, or the end."""
    lab, number = setting("lab"), setting("step")
    # A link without numbers: those that this session has for the lab, else new ones.
    if not setting("numbers"):
        assign(cards.kept().get(lab, cards.new()))
    seed = setting("numbers")
    asked = tuple(one if one.right else sweep.judged(one) for one in questions(lab, seed))
    try:
        work = decode(asked, setting("done"))
    except Refused as error:
        st.warning(literal(f"{error} You begin anew."))
        work = Work(asked)
    cards.kept()[lab] = {"numbers": seed, "done": setting("done")}

    def take(number: int, answer: Answer) -> None:
        if not asked[number - 1].right:
            raise Refused("Press Start first: the page checks your answer with what it measures.")
        change({"done": work.add(number, answer).encode()})

    def below() -> None:
        if number > len(LABS[lab].steps):
            sweep.draw(asked[number - 1])

    steps = [
        step.Seen(one, f"answer {lab} {k} {seed}", work.answers.get(k, ()), bool(one.right))
        for k, one in enumerate(asked, 1)
    ]
    lesson = step.Lesson(lab, steps, take)
    if number <= len(steps):
        step.draw(lesson, number, below)
    else:
        _end(lesson)
    cards.back()


def _end(lesson: step.Lesson) -> None:
    """What was learned, the first answers that were right, and the next lab."""
    step.learned(lesson)
    told = [one for one in lesson.steps if one.told and one.given]
    first = sum(judge(one.question, one.given[0]).right for one in told)
    st.markdown(f"{first} of {len(lesson.steps)} first answers were right.")
    following = [*LABS][[*LABS].index(lesson.lab) + 1 :]
    with st.container(horizontal=True, gap="small"):
        for lab in following[:1]:
            cards.start(lab, f"Next lab: {LABS[lab].title}")
        new = cards.new() | {"step": 1}
        st.button("Again, with new numbers", on_click=go, args=(new,))
    step.ways(lesson, len(lesson.steps) + 1)
