"""A student alone in a lab: the address has the numbers and the answers, the server nothing."""

import streamlit as st

from embviz.classes.room import Room
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, judge
from embviz.labs.work import Answers, add, decode, encode
from embviz.request.markdown import literal
from embviz.text.refused import Refused
from embviz.ui.pages.labs import cards, lesson
from embviz.ui.state.session import assign, cached, go, setting


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
        st.warning(literal(f"{error} You begin anew."))

    def keep(step: int, answer: Answer) -> None:
        go({"done": encode(asked, add(answers, step, answer))})

    lesson.draw(Room("", lab, seed, True, 0, False, 0), asked, answers, keep)
    if setting("step") > len(asked):
        first = sum(judge(asked[step - 1], one[0]).right for step, one in answers.items())
        st.markdown(f"{first} of {len(asked)} first answers were right.")
        for following in [*LABS][[*LABS].index(lab) + 1 :][:1]:
            cards.start(following, f"Next lab: {LABS[following].title}")
