"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.context import contextual, sentences, static
from embviz.ui.parts.links import headline, try_this
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting

CHAPTERS = {"static": static, "contextual": contextual, "sentences": sentences}


def draw() -> None:
    """The chapter, with its settings."""
    chapter = CHAPTERS[setting("chapter")]
    headline(chapter.CLAIM)
    segments("Chapter", "chapter", label_visibility="collapsed", wrap=True)
    letters()
    try_this(*chapter.TRIES)


@body
def letters() -> None:
    """Draw the chapter."""
    with st.container(gap="xsmall"):  # as between the folds below it
        CHAPTERS[setting("chapter")].draw()
