"""What a visitor sees if a page fails all the same: a sentence, never a traceback.

The traceback goes to the server's log, which Streamlit writes by itself. A
forged widget message can fail before any script of ours runs, so this is the
last resort for those too; the next honest message works again.
"""

from __future__ import annotations

import streamlit as st

from embviz.ui.parameters import RANGES


def show_failure(_error: Exception) -> bool:
    """Show the sentence in place of Streamlit's own; for `st.App(on_script_error=)`."""
    _drop_unreadable()
    st.error(
        "Something on this page failed, and the server's log says what. "
        "Change a setting or reload to go on: what you chose is in the address.",
        icon=":material/error:",
    )
    return True


def _drop_unreadable() -> None:
    """Forget numbers that Streamlit cannot read (a forged NaN), or every later run fails on them."""
    for name in RANGES:
        try:
            st.session_state.get(name)
        except (ValueError, OverflowError):
            del st.session_state[name]
