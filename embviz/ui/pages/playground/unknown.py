"""The note of what the vocabulary lacks."""

from __future__ import annotations

import streamlit as st

from embviz.core.wording import quote
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.ui.state.session import go

NAMED = 3  # unknown characters that the note quotes


def say(given: Inputs) -> None:
    """Say which characters of the text are `<unk>`, with one press to a vocabulary of all."""
    if given.unknown:
        some = literal(", ".join(map(quote, given.unknown[:NAMED])))
        some += " …" * (len(given.unknown) > NAMED)
        st.markdown(f":small[No id for {some}: `<unk>`]", width="content")
        changes = {"vocab": "bytes"}
        st.button("Use bytes", key="use_bytes", on_click=go, args=(changes,), type="tertiary")
