"""Labs: predict, try, explain; every answer is checked by computing it."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.labs import work
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.terms import try_this


@body
def draw() -> None:
    """The student and the lab in the sidebar, and the step."""
    work.choose()
    try:
        work.work()
    except ValueError as error:  # every refusal of the core is one, and says why
        refuse(error)


st.markdown(
    "##### Labs: predict, try, explain. Your numbers are your own, and every answer is checked by "
    "computing it."
)
draw()

try_this("""
- Predict before you look: a wrong prediction teaches more than a right guess.
- After a hint, open the live part on its own page, change one thing, and see what it does.
- Copy the address: it has your work in this lab. *Download my answers* is for your teacher.
""")
