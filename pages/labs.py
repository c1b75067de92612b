"""Labs: predict, try, explain; every answer is checked by computing it."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.labs import alone, board_page, cards, looks, member, start_class
from embviz.ui.parts.links import try_this
from embviz.ui.state.session import setting


@body
def draw() -> None:
    """The teacher's board; else the cards, or the lab with its step."""
    looks.style()
    if setting("board"):
        board_page.draw()
    elif setting("class"):
        member.draw()
    elif setting("lab") != cards.ALL:
        alone.draw()
    else:
        st.markdown("##### Predict, try, explain: every answer is checked by computing it.")
        cards.draw()
        start_class.draw()


draw()
if setting("lab") == cards.ALL and not (setting("board") or setting("class")):
    words = "Predict before you look: a wrong prediction teaches more than a right guess."
    try_this((words, "labs", {"lab": "learns", "step": 1}))
