"""Sheets for students: the handout of a lab, and an exit ticket, of a lab or of a plan.

They hold nothing that a student of the lab does not see before an answer. The key, for a teacher,
is a page of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from embviz.classes.page import class_link
from embviz.labs.catalogue import LABS, questions
from embviz.labs.drawing import html_of
from embviz.labs.question import Question
from embviz.settings.kinds import Number
from embviz.settings.pages import SETTINGS
from embviz.teach.page.guide import cell, shown, table
from embviz.teach.plan import Steps
from embviz.text.wording import counted

COMPUTED_POINTS, OTHER_POINTS = 2, 1  # Points; one of the two is for the way to the answer.
WORKING = 4  # Lines to work on, where an answer is computed.
ROOM = "<div></div>"  # a line to work on below a question
HEAD = (
    "<p class='teach-name'>Name or pseudonym <span></span> Date <span></span> "
    "Points <span class='teach-short'></span> of {}</p>"
)
PRINTED = (
    "The printed code carries the address {}. Print it in the network of the lesson, or leave it "
    "out: in another network it opens nothing."
)
ITSELF = (
    "This server listens to its own machine alone (server.address), so no other device opens the "
    "address {}: start it without that option, or leave the address out."
)
MARKING = (
    "What is chosen or read has one point. What is computed has two: one for the way, one for the "
    "answer. *Mistakes* says what went wrong on the way."
)


@dataclass(frozen=True)
class Part:
    """The questions of one lab on a sheet.

    Attributes:
        lab: its key in `LABS`.
        seed: of its numbers.
        asked: its questions, in order.
    """

    lab: str
    seed: int
    asked: Sequence[Question]


def handout(lab: str, seed: int) -> Part:
    """All questions of a lab."""
    return Part(lab, seed, questions(lab, seed))


def ticket(steps: Steps, seed: int) -> list[Part]:
    """These steps with the numbers of the exit ticket that goes with this seed."""
    own = ticket_seed(seed)
    return [
        Part(lab, own, [questions(lab, own)[number - 1] for number in numbers])
        for lab, numbers in steps.items()
    ]


def draw(parts: Sequence[Part], head: str, has_address: bool) -> None:
    """Draw a sheet.

    Args:
        parts: what is asked.
        head: Markdown that stands above the questions, or `""`.
        has_address: whether each part has its address and QR code.
    """
    st.html(HEAD.format(sum(points(question) for _, question in _numbered(parts))))
    if head:
        st.markdown(head)
    if has_address:
        st.html(f"<div class='teach-codes'>{''.join(map(_address, parts))}</div>")
    for number, question in _numbered(parts):
        with st.container(key=f"teach_step_{number}"):
            _question(number, question)


def key(parts: Sequence[Part]) -> None:
    """Draw the answers, on a page of their own."""
    rows = [
        (
            f"{number} {question.title}",
            f"**{shown(question.right)}**",
            cell(question.why),
            " ".join(f"{shown(wrong)}: {cell(said)}" for wrong, said in question.mistakes.items()),
        )
        for number, question in _numbered(parts)
    ]
    heads = "Question", "Right", "Why", "Mistakes"
    with st.container(key="teach_key"):
        st.markdown(f"## Key\n{MARKING}\n\n{table(heads, rows)}")


def points(question: Question) -> int:
    """How many points a question has."""
    return COMPUTED_POINTS if _is_computed(question) else OTHER_POINTS


def about_address() -> str:
    """The sentence on the address and its code, which a teacher must know before printing."""
    said = ITSELF if class_link.is_alone(st.context.url) else PRINTED
    return said.format(escape(urlsplit(_base()).netloc))


def _numbered(parts: Sequence[Part]) -> Iterator[tuple[int, Question]]:
    """All questions, counted from 1 over all parts."""
    return enumerate((question for part in parts for question in part.asked), 1)


def _address(part: Part) -> str:
    """The QR code and the address of a part's numbers in the app, as HTML."""
    url, title = address(part.lab, part.seed), LABS[part.lab].title
    said = f"{escape(title)}, the same numbers in the app: <b>{escape(url)}</b>"
    return f"<div>{class_link.qr(url)}<p>{said}</p></div>"


def _question(number: int, question: Question) -> None:
    """A question with its picture, and beside it room to work and for the answer."""
    worth = counted(points(question), "point")
    st.markdown(f"## {number} · {question.title} · :gray[{worth}]")
    drawn = html_of(question.start) if question.start else ""
    beside = drawn if question.choices else _lines(question)
    words: Any = st.container()
    if beside:
        words, side = st.columns([3, 2], gap="large")
        side.html(beside)
    words.markdown(question.prompt)
    if question.choices:
        words.markdown("  \n".join(f"☐ {choice}" for choice in question.choices))
    elif drawn:
        words.html(drawn)


def _lines(question: Question) -> str:
    """Room to work on an answer and to write it, as HTML."""
    how = question.how.replace(" with spaces between", "")  # The app's field needs them.
    lines = ROOM * WORKING if _is_computed(question) else ""
    return f"<div class='teach-lines'>{lines}<div>{escape(how)}</div>{ROOM}</div>"


def _is_computed(question: Question) -> bool:
    """Whether its answer is computed, and neither chosen nor read."""
    return not (question.choices or question.pressed)


def ticket_seed(seed: int) -> int:
    """The seed of the exit ticket: another one than that of the lesson."""
    record = SETTINGS["numbers"]
    assert isinstance(record, Number)
    return seed % record.high + 1


def address(lab: str, seed: int = 0) -> str:
    """The link to a lab with these numbers, or with new ones, as other devices open it."""
    numbers = f"&numbers={seed}" if seed else ""
    return f"{_base()}labs?lab={lab}{numbers}"


def _base() -> str:
    return class_link.link("", st.context.url).removesuffix("class/")
