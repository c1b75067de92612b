"""Facts tried out live: the line that misleads, what it did, and the line that is right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import streamlit as st

from embviz.ui.settings import literal


class Fact(Protocol):
    """What a core module tells of one."""

    @property
    def title(self) -> str:
        """The fact."""
        ...

    @property
    def code(self) -> str:
        """The line that misleads."""
        ...

    @property
    def outcome(self) -> str:
        """What it did, just now."""
        ...

    @property
    def right_code(self) -> str:
        """The line that is right."""
        ...

    @property
    def right_outcome(self) -> str:
        """What that did."""
        ...


def show_facts(facts: Iterable[Fact]) -> None:
    """One fact a row, the wrong line on the left, the right one beside it."""
    for fact in facts:
        left, right = st.columns(2)
        with left:
            st.markdown(f"**{literal(fact.title)}**")
            st.code(fact.code, language="python", wrap_lines=True)
            st.markdown(literal(fact.outcome))
        with right:
            st.markdown("The line that is right:")
            st.code(fact.right_code, language="python", wrap_lines=True)
            st.markdown(literal(fact.right_outcome))
