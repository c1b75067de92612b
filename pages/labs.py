"""Labs: predict, try, explain; every answer is checked by computing it."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.labs import alone, board_page, cards, looks, member
from embviz.ui.state.session import setting


@body
def draw() -> None:
    """The teacher's board; else the lab with its step, or the cards."""
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


draw()
