"""Projector mode on every page: large type and no sidebar, by a switch or by a link."""

import streamlit as st

from embviz.ui.frame.body import change_all, redraw_all
from embviz.ui.parts.widgets import switch
from embviz.ui.state.session import setting

_STYLE = """<style>
html { font-size: 19px !important; }
section.stSidebar, [data-testid="stExpandSidebarButton"] { display: none !important; }
/* The pictures set their own sizes. */
.st-key-stage, .st-key-row_picture, .st-key-bag_picture { zoom: 1.3; }
.st-key-tokenizers, .routes-box, .lab-picture { zoom: 1.3; }
/* Beside the links to the pages it covers nothing; a narrow window has no room there. */
@media (min-width: 1200px) {
  .st-key-leave_projector { position: fixed; right: 64px; top: 6px; width: auto; z-index: 999999; }
}
</style>"""


def draw() -> None:
    """Draw the switch at the foot of the sidebar, and in projector mode the way back."""
    with st.sidebar:
        switch(
            "Projector mode",
            "projector",
            help="Large type, and no sidebar, for a class to read from afar.",
            on_change=redraw_all,
        )
    if setting("projector"):
        st.html(_STYLE)
        st.button(
            "Leave projector mode",
            key="leave_projector",
            on_click=change_all,
            args=({"projector": False},),
            icon=":material/close_fullscreen:",
        )
