"""The English that pages learn from, gathered once for all sessions."""

import streamlit as st

from embviz.training import text


@st.cache_resource(show_spinner="Gathering English from Python's own library")
def library() -> str:
    """Docstrings of Python's own library."""
    return text.library_text()
