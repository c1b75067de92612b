"""How a class answered a step: a bar for each answer, for those who may know which is right."""

from __future__ import annotations

import streamlit as st

from embviz.classes import board
from embviz.labs.question import Question, bars


def draw(rows: board.Rows, step: int, question: Question, votes: int, size: int = 1) -> None:
    """Draw the bars.

    Args:
        rows: all answers of the class.
        step: counted from 1.
        question: the step's.
        votes: 1, or 2 for both.
        size: of the class, if more are in it than have answered: the longest that a bar can be.
    """
    named = [*bars(question)]
    counts = board.bars(rows, step, [words for words, *_ in named])
    size = max(size, len(board.members(rows)))
    with st.container(key="class_bars", gap="small"):
        for words, is_right, mistake in named:
            given = counts.loc[words].tolist()[:votes]
            if not (any(given) or is_right or question.choices):
                continue  # a mistake that nobody made
            left, right = st.columns([2, 3], vertical_alignment="center")
            name = f":green[✓ {words}]" if is_right else words
            left.markdown(f"**{name}**" + f"  \n:small[{mistake}]" * bool(mistake))
            with right, st.container(gap=None):
                for count, vote in zip(given, ("first", "second"), strict=False):
                    label = f"**{count}**" + f" in the {vote} vote" * (votes > 1)
                    st.progress(count / size, label)
