"""Labs: predict, try, explain; every answer is checked by computing it."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.labs import board_page, member, work
from embviz.ui.parts.terms import try_this
from embviz.ui.state.session import setting


@body
def draw() -> None:
    """The teacher's board; else the cards, or the lab with its step."""
    if setting("board"):
        board_page.draw()
        return
    work.choose()
    if setting("lab") == work.CARDS:
        st.markdown("##### Predict, try, explain: every answer is checked by computing it.")
    work.work()


member.above()
draw()
if setting("lab") == work.CARDS and not setting("board"):
    first = {"step": 1, "done": ""}
    try_this(
        (
            "Predict before you look: a wrong prediction teaches more than a right guess.",
            "labs",
            {"lab": "learns", **first},
        ),
        (
            "A name, such as *Ada*, has the same numbers everywhere; your neighbour has others. "
            "Copy the address: it has your work.",
            "labs",
            {"lab": "row", "student": "Ada", **first},
        ),
    )
