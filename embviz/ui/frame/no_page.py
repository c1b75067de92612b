"""An address that no page has: a sentence that says so.

`server/addresses.py` leads such an address to the playground, and adds it to the query.
"""

from __future__ import annotations

import streamlit as st

from embviz.server.addresses import NO_PAGE
from embviz.settings.pages import PAGES
from embviz.text.wording import quote
from embviz.ui.state.session import session


def note() -> None:
    """Add the sentence to the notes of this run: the next change of a setting takes it away."""
    if asked := st.query_params.get(NO_PAGE):
        title = PAGES[session().page].title
        session().bad.append(f"No page has the address {quote('/' + asked)}. This page is {title}.")
