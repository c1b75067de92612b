"""Where lookup and product differ, each case proved on the installed PyTorch."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.limits import browse
from embviz.ui.parts.terms import try_this


@body
def draw() -> None:
    """The list of cases in the sidebar, and the opened one."""
    browse.summary()
    browse.show(browse.choose())


st.markdown(
    "##### Where `nn.Embedding` and one-hot × `nn.Linear` differ, or are said to differ: each case "
    "that can run here is proved now, with its fix."
)
draw()

try_this("""
- Search *nan*: a NaN in a row that is not looked up spoils the product, not the lookup.
- Paste the last line of an error you met, such as `IndexError: index out of range in self`.
- Show only the verdict *same*: people say that these differ, and they do not.
""")
