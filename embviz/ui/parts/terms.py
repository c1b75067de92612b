"""Sentences with terms whose meaning is one hover, focus or tap away, and folded advice.

It takes static sentences only: a typed text with `{{` in it is no term.
"""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from embviz.request.glossary import TERMS

_MARK = re.compile(r"\{\{([^{}|]+)(?:\|([^{}|]+))?\}\}")


def say(markdown: str) -> None:
    """Draw Markdown; `{{ulp}}` or `{{shown words|ulp}}` is a term of the glossary.

    Raises:
        KeyError: a term is not in the glossary.
    """
    st.markdown(with_terms(markdown), unsafe_allow_html=True)


def with_terms(markdown: str) -> str:
    """The Markdown with an element for each term, for `unsafe_allow_html=True`."""
    return _MARK.sub(_element, markdown)


def try_this(markdown: str) -> None:
    """Draw, folded, what a reader can change and what to look for."""
    with st.expander("Try this"):
        say(markdown)


def _element(found: re.Match[str]) -> str:
    words, name = found[1], found[2] or found[1]
    return (
        f'<span class="term" tabindex="0" role="button" data-term="{escape(name)}" '
        f'aria-label="{escape(f"{words}: {TERMS[name]}")}">{escape(words)}</span>'
    )
