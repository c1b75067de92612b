"""*Ask, or paste an error*: a form at the end of the row of page links, on every page.

It is a form of HTML that leads to the page which answers, with the text in the address: no widget,
so a key in it costs no rerun, and leaving the field asks nothing. `asking.js` sends it within the
session.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from embviz.settings.kinds import MAX_URL_TEXT_BYTES
from embviz.ui.state.address import setting
from embviz.ui.state.session import session

# The page that answers, and its setting that has the text.
ANSWERS, ASKED = "limits", "find"
LABEL = "Ask, or paste an error"
_FORM = """<form class="ask" action="{page}" role="search" data-most="{most}">
<input type="search" name="{name}" value="{asked}" placeholder="{label}" aria-label="{label}"
 autocomplete="off" enterkeyhint="search">{projector}</form>"""
_PROJECTOR = '<input type="hidden" name="projector" value="true">'


def draw() -> None:
    """Draw the form; on the page that answers it has what was asked."""
    form = _FORM.format(
        page=ANSWERS,
        most=MAX_URL_TEXT_BYTES,
        name=ASKED,
        asked=escape(setting(ASKED)) if session().page == ANSWERS else "",
        label=LABEL,
        projector=_PROJECTOR if setting("projector") else "",
    )
    st.html(form)
