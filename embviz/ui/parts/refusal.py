"""A refusal, as a page shows it. It offers no fixes."""

import streamlit as st

from embviz.request.markdown import literal


def refuse(reason: object) -> None:
    """Show an error, or the sentence of one, as plain text."""
    st.error(literal(str(reason)), icon=":material/block:")
