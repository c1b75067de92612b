"""What a visitor sees if a page fails all the same: a sentence, never a traceback.

The traceback goes to the server's log, which Streamlit writes by itself. A
forged number such as NaN fails inside Streamlit before any script of ours
runs, and keeps failing in that session alone: hence "reload".
"""

from __future__ import annotations

import streamlit as st

from embviz.core.bounds import BoundError


def show_failure(error: Exception) -> bool:
    """Show the sentence in place of Streamlit's own; for `st.App(on_script_error=)`."""
    if isinstance(error, BoundError):  # whoever runs the server set a limit that is none
        from embviz.request.markdown import literal

        st.error(literal(str(error)), icon=":material/block:")
        return True
    st.error(
        "Something on this page failed, and the server's log says what. "
        "Reload to go on: what you chose is in the address.",
        icon=":material/error:",
    )
    return True
