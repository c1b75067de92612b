"""How a class answered a step: a bar for each answer, for those who may know which is right."""

from __future__ import annotations

import streamlit as st

from embviz.classes import board
from embviz.labs.question import Question, bars

VOTES = (" in the first vote", " in the second vote")


def draw(rows: board.Rows, step: int, question: Question, votes: int, size: int = 0) -> None:
    """Draw the bars.

    Args:
        rows: all answers of the class.
        step: counted from 1.
        question: the step's.
        votes: 1, or 2 for both.
        size: of the class, if more are in it than have answered: the longest that a bar can be.
    """
    labels = [*bars(question)]
    counts = board.bars(rows, step, [words for words, *_ in labels])
    size = max(size, len(board.members(rows)), 1)
    with st.container(key="class_bars", gap="small"):
        for words, is_right, mistake in labels:
            given = counts.loc[words].tolist()[:votes]
            if not (any(given) or is_right or words in question.choices):
                continue  # a mistake that nobody made
            left, right = st.columns([2, 3], vertical_alignment="center")
            name = f":green[✓ {words}]" if is_right else words
            left.markdown(f"**{name}**" + f"  \n:small[{mistake}]" * bool(mistake))
            with right, st.container(gap=None):
                for count, vote in zip(given, VOTES, strict=False):
                    st.progress(count / size, f"**{count}**{vote * (votes > 1)}")
