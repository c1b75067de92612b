"""Facts that were run live, as a page shows them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from embviz.bag.pretrained import Fact
from embviz.request.markdown import literal


def show_facts(facts: Iterable[Fact]) -> None:
    """Draw one fact a row: its line on the left, the other one beside it."""
    for fact in facts:
        left, right = st.columns(2)
        with left:
            st.markdown(f"**{literal(fact.title)}**")
            if not fact.holds:
                st.markdown(":red[≠ This does not hold on the PyTorch installed here.]")
            st.code(fact.code, language="python", wrap_lines=True)
            st.markdown(literal(fact.outcome))
        with right:
            st.markdown("The line that is right:")
            st.code(fact.right_code, language="python", wrap_lines=True)
            st.markdown(literal(fact.right_outcome))
