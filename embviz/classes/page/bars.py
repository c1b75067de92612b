"""How a class answered a step: a bar for each answer, for those who may know it."""

from collections.abc import Sequence

import streamlit as st

from embviz.classes import board
from embviz.classes.snapshot import Given
from embviz.labs.question import Question


def draw(answers: Sequence[Given], lab: str, step: int, question: Question, votes: int) -> None:
    """Draw a bar for each answer, as long as its share of the answers in its vote.

    A vote without answers has no bars. A bar of guesses has the range that was typed.

    Args:
        answers: all of the class.
        lab: its key in `LABS`.
        step: counted from 1.
        question: the step's.
        votes: 1, or 2 for both.
    """
    table = board.bars(answers, lab, step, question)
    sums = [int(table[vote].sum()) for vote in range(1, votes + 1)]
    with st.container(key="class_bars", gap="small"):
        if not any(sums):
            st.markdown("Nobody has answered.")
        for words, is_right, mistake, typed, *counts in table.itertuples():
            left, right = st.columns(2, vertical_alignment="center")
            name = f"**{words if is_right else typed or words}**"
            if is_right:
                name = f":green[✓ {name}]"
            small = f"Typed: {typed}" if is_right and typed else mistake
            left.markdown(f"{name}  \n:small[{small}]" if small else name)
            with right, st.container(gap="xsmall"):
                for vote, (count, of) in enumerate(zip(counts, sums, strict=False), 1):
                    which = f" in vote {vote}" if votes > 1 else ""
                    if of:
                        st.progress(count / of, f"**{count}** of {of}{which}")
