"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

import streamlit as st

from embviz.ui.frame import body
from embviz.ui.pages.context import contextual, sentences, static
from embviz.ui.parts.links import headline, try_this
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting

CHAPTERS = {"static": static, "contextual": contextual, "sentences": sentences}
chapter = CHAPTERS[setting("chapter")]


@body.body
def draw() -> None:
    """The chapter."""
    with st.container(gap="xsmall"):  # as between the folds below it
        chapter.draw()


headline(chapter.CLAIM)
segments("Chapter", "chapter", label_visibility="collapsed", wrap=True)
if chapter is contextual:
    contextual.switches()
draw()
if chapter is static:
    static.choose()
try_this(*chapter.TRIES)
