"""Things to take along from a lab: its notebook, and the line that hands it in as homework."""

from collections.abc import Sequence

import streamlit as st

from embviz.labs import homework
from embviz.labs.notebook import notebook
from embviz.labs.question import Question
from embviz.labs.work import Answers
from embviz.system.bounds import class_word
from embviz.ui.elements.download import download
from embviz.ui.elements.widgets import fold

SAYS = (
    "Copy this line, and hand it in with your name, where your teacher asks for it. It has the "
    "lab, its numbers, and for each step whether it is right. {} It can be copied."
)
SIGNED = "It is signed: a line that somebody changed is refused."
UNSIGNED = "This server signs nothing: anyone can write such a line."


def notebook_button(lab: str, seed: int) -> None:
    """A button that downloads the notebook of a lab, with the numbers of this seed."""
    file = f"embviz_{lab}.ipynb"
    download("Notebook: run it in PyTorch", notebook(lab, seed), file, "application/json")


def hand_in(lab: str, seed: int, asked: Sequence[Question], answers: Answers) -> None:
    """A fold with the line for these answers; its arguments are those of `homework.line`."""
    fold("Hand this in as homework", _line, lab, seed, asked, answers)


def _line(lab: str, seed: int, asked: Sequence[Question], answers: Answers) -> None:
    line = homework.line(lab, seed, asked, answers)
    st.code(line, None, wrap_lines=True)
    st.markdown(SAYS.format(SIGNED if class_word() else UNSIGNED))
