"""What a page says of input that it cannot use, with what would mend it."""

from __future__ import annotations

import streamlit as st

from embviz.core.refused import Refused
from embviz.request.markdown import literal
from embviz.ui.state.session import go


def refuse(reason: Refused | str) -> None:
    """Show the sentence of an error as plain text, with a button for each fix."""
    st.error(literal(str(reason)), icon=":material/block:")
    for label, changes in reason.fixes.items() if isinstance(reason, Refused) else ():
        st.button(literal(label), on_click=go, args=(changes,))
