"""A refusal on a page: the sentence, and a button for each fix."""

from __future__ import annotations

import streamlit as st

from embviz.text.markdown import literal
from embviz.text.refused import Refused
from embviz.ui.state.changes import go


def refuse(reason: Refused | str, place: str = "") -> None:
    """Show the sentence of an error as plain text, with a button for each fix.

    Args:
        reason: the error, or its sentence.
        place: where it stands on the page, if several places may have one. The key of a button is
            its place and not its label, of which a session would remember each.
    """
    st.error(literal(str(reason)), icon=":material/block:")
    fixes = reason.fixes if isinstance(reason, Refused) else {}
    for number, (label, changes) in enumerate(fixes.items()):
        st.button(literal(label), f"fix {number} {place}", on_click=go, args=(changes,))
