"""Lines below the text: what of it has no id, and whether its capital letters count."""

from __future__ import annotations

import streamlit as st

from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs
from embviz.text.markdown import literal
from embviz.text.refused import Refused
from embviz.text.wording import few_names
from embviz.ui.state.changes import go


def note_unknown(given: Inputs | Refused) -> None:
    """Say what is `<unk>`, with one press to a vocabulary of all, and what is folded.

    Nothing where the text is read as it was typed.
    """
    if isinstance(given, Refused):
        return
    if given.folded:
        st.markdown(":small[Capital letters count as small ones.]")
    if given.unknown:
        _unknown(given)


def _unknown(given: Inputs) -> None:
    unknown, changes = given.unknown, {"vocab": "bytes"}
    if INITS[given.table.init].vocabulary:  # bytes have no learnt rows
        changes["init"] = "normal"
    named = literal(few_names(unknown))
    shared = "as `<unk>`" if len(unknown) == 1 else "as `<unk>`, all with one and the same row"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f":small[No id for {named}: shown {shared}. No other number changes.]", width="content"
        )
        st.button("Use bytes", on_click=go, args=(changes,))
