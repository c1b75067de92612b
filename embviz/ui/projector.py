"""Projector mode, for every page: large type and no sidebar, by a switch and by a link."""

import streamlit as st

from embviz.ui.parameters import DEFAULTS
from embviz.ui.settings import change, setting
from embviz.ui.widgets import BOUND

_STYLE = """<style>
html { font-size: 19px !important; }
section.stSidebar, [data-testid="stExpandSidebarButton"] { display: none !important; }
.st-key-leave_projector { position: fixed; right: 12px; bottom: 8px; width: auto; z-index: 99; }
</style>"""


def draw() -> None:
    """The switch, at the foot of the sidebar; when it is on, large type and a way back."""
    with st.sidebar:
        st.toggle("Projector mode", DEFAULTS["projector"], key="projector", **BOUND,
                  help="Large type, and no sidebar, for a class to read from afar.")  # fmt: skip
    if setting("projector"):
        st.html(_STYLE)
        st.button("Leave projector mode", key="leave_projector", on_click=change,
                  args=({"projector": False},), icon=":material/close_fullscreen:")  # fmt: skip
