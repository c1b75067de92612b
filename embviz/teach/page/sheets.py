"""Sheets for students, without answers: the handout of a lab, and its exit ticket.

They hold nothing that a student of the lab does not see before an answer.
"""

from html import escape

import streamlit as st

from embviz.classes.page import class_link
from embviz.labs.catalogue import LABS, questions
from embviz.labs.drawing import html_of
from embviz.labs.question import Question
from embviz.settings.kinds import Number
from embviz.settings.pages import SETTINGS

ROOM = "<div></div>"  # a line to work on below a question
NAME = "<p class='teach-name'>Name or pseudonym <span></span> Date <span></span></p>"


def draw(lab: str, seed: int, sheet: str) -> None:
    """Draw a sheet.

    Args:
        lab: its key in `LABS`.
        seed: of the numbers of the handout; the ticket has others.
        sheet: `handout` or `ticket`.
    """
    chosen = LABS[lab]
    if sheet == "handout":
        asked, numbers = [*questions(lab, seed)], seed
        head = "\n- ".join(["Afterwards you can:", *chosen.goals])
    else:
        asked, numbers = ticket(lab, seed), ticket_seed(seed)
        head = f"{len(asked)} questions, with numbers of their own."
    words, side = st.columns([4, 1], gap="large", vertical_alignment="center")
    url = address(lab, numbers)
    with words:
        st.html(NAME)
        st.markdown(head)
        st.html(f"<p>The same numbers in the app: <b>{escape(url)}</b></p>")
    side.html(class_link.qr(url), width=110)
    for number, question in enumerate(asked, 1):
        with st.container(key=f"teach_step_{number}"):
            _question(number, question)


def _question(number: int, question: Question) -> None:
    """A question with room for its answer."""
    st.markdown(f"## {number} · {question.title}")
    if question.start:
        words, side = st.columns(2, gap="large")
        side.html(html_of(question.start))
    else:
        words = st.container()
    words.markdown(question.prompt)
    if question.choices:
        words.markdown("  \n".join(f"☐ {choice}" for choice in question.choices))
        return
    st.markdown(question.how)
    st.html(f"<div class='teach-lines'>{ROOM}<div>Answer:</div></div>")


def ticket(lab: str, seed: int) -> list[Question]:
    """The questions of the exit ticket that goes with these numbers."""
    asked = questions(lab, ticket_seed(seed))
    return [asked[step - 1] for step in LABS[lab].exit_ticket]


def ticket_seed(seed: int) -> int:
    """The seed of the exit ticket: another one than that of the lesson."""
    record = SETTINGS["numbers"]
    assert isinstance(record, Number)
    return seed % record.high + 1


def address(lab: str, seed: int) -> str:
    """The link to a lab with these numbers, as other devices in the network open it."""
    base = class_link.link("", st.context.url).removesuffix("class/")
    return f"{base}labs?lab={lab}&numbers={seed}"
