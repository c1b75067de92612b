"""Where lookup and product differ, each case proved on the installed PyTorch."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.limits import browse, opened
from embviz.ui.parts.terms import try_this


@body
def draw() -> None:
    """The search, and five cards or the opened case."""
    browse.refuted()
    if not browse.choose():
        browse.nothing()
    elif (case := browse.opened()) is None:
        browse.cards()
    else:
        opened.show(case)


st.markdown(
    "##### Where `nn.Embedding` and one-hot × `nn.Linear` differ, or are said to: each case that "
    "can run here is proved now."
)
draw()

try_this(
    (
        "A *nan* in a row that is not looked up spoils the product, not the lookup.",
        "limits",
        {**browse.CARDS, "find": "nan"},
    ),
    (
        "The last line of an error finds its case: `IndexError: index out of range in self`.",
        "limits",
        {**browse.CARDS, "find": "IndexError: index out of range in self"},
    ),
    (
        "The verdict *same*: people say that these differ, and they do not.",
        "limits",
        {**browse.CARDS, "verdict": "same"},
    ),
)
