"""How a class answered a step: a bar for each answer, for those who may know it."""

from collections.abc import Sequence

import streamlit as st

from embviz.classes import board
from embviz.classes.store import Given
from embviz.labs.question import Question


def draw(
    answers: Sequence[Given], lab: str, step: int, question: Question, votes: int, size: int
) -> None:
    """Draw a bar for each answer.

    Args:
        answers: all of the class.
        lab: its key in `LABS`.
        step: counted from 1.
        question: the step's.
        votes: 1, or 2 for both.
        size: of the class: the longest that a bar can be.
    """
    size = max(size, 1)
    table = board.bars(answers, lab, step, question)
    with st.container(key="class_bars", gap="xsmall"):
        for words, is_right, mistake, *counts in table.itertuples():
            left, right = st.columns(2, vertical_alignment="center")
            name = f":green[✓ {words}]" if is_right else words
            if mistake:
                left.markdown(f"**{name}**  \n:small[{mistake}]")
            else:
                left.markdown(f"**{name}**")
            with right, st.container(gap=None):
                for vote, count in enumerate(counts[:votes], 1):
                    which = f" in vote {vote}" if votes > 1 else ""
                    st.progress(min(count / size, 1.0), f"**{count}**{which}")
