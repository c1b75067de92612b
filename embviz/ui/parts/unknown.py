"""A line below the text: which of its characters have no id, and what they share."""

from __future__ import annotations

import streamlit as st

from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.text.refused import Refused
from embviz.text.wording import few_names
from embviz.ui.state.session import go


def note_unknown(given: Inputs | Refused) -> None:
    """Say which characters are `<unk>`, with one press to a vocabulary of all; nothing without."""
    if isinstance(given, Refused) or not (unknown := given.unknown):
        return
    named = literal(few_names(unknown))
    shared = "as `<unk>`" if len(unknown) == 1 else "as `<unk>`, all with one and the same row"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":small[No id for {named}: shown {shared}.]", width="content")
        st.button("Use bytes", on_click=go, args=({"vocab": "bytes"},))
