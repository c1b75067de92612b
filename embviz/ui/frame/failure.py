"""The sentence that a visitor sees if a page fails all the same, instead of a traceback.

Streamlit writes the traceback to the server's log. A forged number such as NaN fails inside
Streamlit before a script of this project runs, and keeps failing in that session: hence "reload".
"""

from __future__ import annotations

import streamlit as st


def show_failure(_error: Exception) -> bool:
    """Show the sentence in place of Streamlit's own; for `st.App(on_script_error=)`."""
    st.error(
        "Something on this page failed, and the server's log says what. "
        "Reload to go on: what you chose is in the address.",
        icon=":material/error:",
    )
    return True
