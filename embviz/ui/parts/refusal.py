"""What a page says of input that it cannot use, whole or in part, with what would mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embviz.core.refused import Refused
from embviz.core.wording import quote
from embviz.request.markdown import literal
from embviz.ui.state.session import go

if TYPE_CHECKING:  # it imports PyTorch, and the server starts before that
    from embviz.request.inputs import Inputs

NAMED = 3  # unknown characters that a note quotes


def refuse(reason: Refused | str) -> None:
    """Show the sentence of an error as plain text, with a button for each fix."""
    st.error(literal(str(reason)), icon=":material/block:")
    for label, changes in reason.fixes.items() if isinstance(reason, Refused) else ():
        st.button(literal(label), on_click=go, args=(changes,))


def note_unknown(given: Inputs) -> None:
    """Say which characters of the text are `<unk>`, with one press to a vocabulary of all."""
    if given.unknown:
        some = literal(", ".join(map(quote, given.unknown[:NAMED])))
        some += " …" * (len(given.unknown) > NAMED)
        st.markdown(f":small[No id for {some}: `<unk>`]", width="content")
        st.button("Use bytes", on_click=go, args=({"vocab": "bytes"},), type="tertiary")
