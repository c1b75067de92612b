"""The sentence that a visitor sees if a page fails all the same, instead of a traceback.

Streamlit writes the traceback to the server's log. A forged number such as NaN fails inside
Streamlit before a script of this project runs, and keeps failing in that session: hence "reload".
"""

from __future__ import annotations

import streamlit as st

from embviz.core.bounds import BoundError
from embviz.request.markdown import literal


def show_failure(error: Exception) -> bool:
    """Show the sentence in place of Streamlit's own; for `st.App(on_script_error=)`."""
    if isinstance(error, BoundError):  # an environment variable of the server cannot be read
        st.error(literal(str(error)), icon=":material/block:")
    else:
        st.error(
            "Something on this page failed, and the server's log says what. "
            "Reload to go on: what you chose is in the address.",
            icon=":material/error:",
        )
    return True
