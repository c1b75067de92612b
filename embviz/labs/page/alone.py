"""A student alone in a lab: the address has the numbers and the answers, the server nothing."""

from functools import partial

import streamlit as st

from embviz.labs.catalogue import questions, try_it
from embviz.labs.page import cards, step_page, take_along
from embviz.labs.page.lesson import Lesson, Task
from embviz.labs.question import Answer, judge
from embviz.labs.work import Answers, add, decode, encode
from embviz.settings.pages import PAGES
from embviz.text.markdown import literal
from embviz.text.refused import Refused
from embviz.ui.elements.links import link
from embviz.ui.state.address import setting
from embviz.ui.state.changes import assign, go
from embviz.ui.state.session import cached


def draw() -> None:
    """A step, or the end."""
    lab = setting("lab")
    # A link without numbers: new ones, until the next change writes them into the address.
    seed = setting("numbers") or cached("lab numbers", lab, cards.new)
    assign({"numbers": seed})
    asked = questions(lab, seed)
    answers: Answers = {}
    try:
        answers = decode(asked, setting("done"))
    except Refused as error:
        st.warning(literal(f"{error} You start again."))

    def keep(step: int, answer: Answer) -> None:
        go({"done": encode(asked, add(answers, step, answer))})

    tasks = [
        Task(question, f"answer {seed} {lab} {step}", answers.get(step, ()), partial(keep, step))
        for step, question in enumerate(asked, 1)
    ]
    mine = Lesson(lab, str(seed), tasks)
    is_told = step_page.draw(mine)
    to = {"numbers": seed, "done": setting("done"), "step": mine.step}
    cards.remember(lab, to, len(answers))
    is_end = mine.step == mine.end
    if is_told or is_end:
        page, settings = try_it(lab, seed)
        name = PAGES[page].title
        link(page, settings, label=f"Try these numbers: {name}", icon=":material/arrow_forward:")
    if is_end:
        first = sum(judge(asked[step - 1], attempts[0]).right for step, attempts in answers.items())
        right = f", {first} of them right at once" if answers else ""
        st.markdown(f"You have answered {len(answers)} of {len(asked)} steps{right}.")
        missing = [step for step in range(1, len(asked) + 1) if step not in answers]
        if missing:
            to = {"step": missing[0]}
            st.button(f"Step {missing[0]} has no answer: go there", on_click=go, args=(to,))
        take_along.notebook_button(lab, seed)
        cards.next_lab(lab)
        if answers:
            take_along.hand_in(lab, seed, asked, answers)
