"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

import streamlit as st

from embviz.ui.frame import controls
from embviz.ui.pages.context.chapters import CHAPTERS
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting

given = controls.inputs()
st.markdown(
    "##### A row of `nn.Embedding` never depends on its neighbours. Attention on top of it does; "
    "the rows beneath stay the same."
)
segments("Chapter", "chapter", label_visibility="collapsed", wrap=True)
chapter = CHAPTERS[setting("chapter")]
if given.refusal is not None and chapter.needs_ids:
    controls.show_refusal(given.refusal)
    st.stop()

try:
    chapter.draw(given)
except ValueError as error:  # every refusal of the core is one, and says why
    refuse(error)

st.markdown(f"\n**Try this**\n{chapter.try_this}")
