"""An address that no page has: a sentence that says so, and links to pages of a similar name.

`server/addresses.py` leads such an address to the playground, and adds it to the query.
"""

from __future__ import annotations

import difflib

import streamlit as st

from embviz.settings.pages import PAGES
from embviz.text.page_names import NO_PAGE, plain
from embviz.text.wording import quote
from embviz.ui.elements.links import link
from embviz.ui.state.session import session

# Links at most.
MOST = 2
# Likeness of a name, from 0 to 1, as `difflib` measures it.
_ALIKE = 0.6


def note() -> None:
    """Add the sentence to the notes of this run: the next change of a setting takes both away."""
    if asked := st.query_params.get(NO_PAGE):
        title = PAGES[session().page].title
        session().bad.append(f"No page has the address {quote('/' + asked)}. This page is {title}.")


def near() -> None:
    """Draw the links."""
    here = session().page
    if names := [name for name in similar(st.query_params.get(NO_PAGE, "")) if name != here]:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown("Did you mean", width="content")
            for name in names:
                link(name)


def similar(asked: str) -> list[str]:
    """The names of pages whose name or title is like a part of this address, the first ones."""
    words = {plain(word): name for name, page in PAGES.items() for word in (name, page.title)}
    found = [
        words[word]
        for part in asked.split("/")
        for word in difflib.get_close_matches(plain(part), words, MOST, _ALIKE)
    ]
    return [*dict.fromkeys(found)][:MOST]
