"""A line about a table that was read: what was left out, or may be no row, and the other way."""

from __future__ import annotations

import streamlit as st

from embviz.fact.inits import VECTORS
from embviz.text.markdown import literal
from embviz.ui.state.changes import go

PRESSES = {"no": "Read it as numbers", "yes": "Leave it out", "words": "Look up the words"}


def note_taken(said: str, other: str, header: str) -> None:
    """Say what was taken of a table, with one press that takes it the other way.

    Args:
        said: the sentence; empty for nothing to say.
        other: what the press chooses, a key of `PRESSES`; empty for no press.
        header: the setting that says how the table is read.
    """
    if not said:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":small[{literal(said)}]", width="content")
        changes = {"init": VECTORS.name} if other == "words" else {header: other}
        if other:
            st.button(PRESSES[other], f"taken {header}", on_click=go, args=(changes,))
