"""Labs: predict, try, explain; every answer is checked by computing it."""

import streamlit as st

from embviz.ui import labs
from embviz.ui.settings import literal

st.markdown(
    "##### Labs: predict, try, explain. Your numbers are your own, and every answer is checked by "
    "computing it."
)
labs.choose()
try:
    labs.work()
except ValueError as error:  # every refusal of the core is one, and says why
    st.error(literal(str(error)), icon=":material/block:")

st.markdown("""
**Try this**
- Predict before you look: a wrong prediction teaches more than a right guess.
- After a hint, change one thing in the live part and see what it does to the numbers.
- Copy the address: it has your work in it. *Download my answers* is for your teacher.
""")
