"""Lines above the picture: what has no id, whether capital letters count, what was taken."""

from __future__ import annotations

import streamlit as st

from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs
from embviz.text.markdown import literal
from embviz.text.refused import Refused
from embviz.text.wording import few_names
from embviz.ui.elements.taken import note_taken
from embviz.ui.state.changes import go


def note_unknown(given: Inputs | Refused) -> None:
    """Say what is `<unk>` and whether that is wrong, and what is folded.

    Also what was taken of the user's own table. Nothing is said where all is read as it was given.
    The place is there all the same: else the picture after it would be another element to the
    browser, and begin anew.
    """
    with st.container(gap="xsmall"):
        if isinstance(given, Refused):
            return
        if given.own:
            note_taken(given.own.said, given.own.other, "header")
        if given.unknown:
            _unknown(given)
        if given.folded:
            st.markdown(":small[Capital letters count as small ones.]")


def _unknown(given: Inputs) -> None:
    """The sentence, with one press to a vocabulary that has ids for all."""
    unknown, changes, press = given.unknown, {"vocab": "bytes"}, "Use bytes"
    if INITS[given.table.init].goes_with:  # bytes have no learnt rows
        changes["init"], press = "normal", "Use bytes, with random rows"
    unit = given.vocabulary.unit if given.vocabulary else "character"
    shared, apart = "all are `<unk>`, with one row", "can no longer tell them apart"
    if len(unknown) == 1:
        shared, apart = "it is `<unk>`", f"cannot tell it from other unknown {unit}s"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f":small[No id for {literal(few_names(unknown))}: {shared}. This is no error, but the "
            f"layer {apart}. With `bytes` it can.]",
            width="content",
        )
        st.button(press, on_click=go, args=(changes,))
