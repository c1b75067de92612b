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
    found = board.bars(answers, lab, step, question)
    sums = [sum(bar.votes[vote] for bar in found) for vote in range(votes)]
    with st.container(key="class_bars", gap="small"):
        if not any(sums):
            st.markdown("Nobody has answered.")
        for bar in found:
            answer = st.container(gap=None)
            left, right = answer.columns(2, vertical_alignment="center")
            if bar.right:
                name = f":green[✓ **{bar.words}**]"
                small = f"Typed: {bar.typed}" if bar.typed else ""
            else:
                name, small = f"**{bar.typed or bar.words}**", bar.mistake
            left.markdown(name)
            with right, st.container(gap="xsmall"):
                for vote, of in enumerate(sums):
                    which = f" in vote {vote + 1}" if votes > 1 else ""
                    if of:
                        count = bar.votes[vote]
                        st.progress(count / of, f"**{count}** of {of}{which}")
            if small:  # as wide as both: a sentence has few lines then
                answer.markdown(f":small[{small}]")
