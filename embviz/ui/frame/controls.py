"""What a page asks the frame for: the inputs of this run, and its panels."""

from __future__ import annotations

import streamlit as st

from embviz.core.refused import Refused
from embviz.core.wording import quote
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.markdown import literal
from embviz.request.settings import MODEL
from embviz.ui.state.session import cached, go, settings, state

NAMED = 3  # unknown characters that a note quotes


def inputs() -> Inputs:
    """The inputs that the settings ask for.

    Raises:
        Refused: they cannot be used; the body of the page shows why, with what would correct it.
    """
    return read_inputs(settings(MODEL), state().get("weights_file"), cached)


def say_unknown(given: Inputs) -> None:
    """Say which characters of the text are `<unk>`, with one press to a vocabulary of all."""
    if given.unknown:
        some = literal(", ".join(map(quote, given.unknown[:NAMED])))
        some += " …" * (len(given.unknown) > NAMED)
        st.markdown(f":small[No id for {some}: `<unk>`]", width="content")
        changes = {"vocab": "bytes"}
        st.button("Use bytes", key="use_bytes", on_click=go, args=(changes,), type="tertiary")
