"""Both layers learn, lesson by lesson."""

import streamlit as st

from embviz.ui.frame import body
from embviz.ui.pages.training.lessons import LESSONS
from embviz.ui.parts.links import headline, try_this
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting


@body.body
def draw() -> None:
    """The lesson."""
    with st.container(gap="xsmall"):  # as between the folds below it
        lesson.draw(*([body.inputs()] if lesson.needs_ids else []))


lesson = LESSONS[setting("lesson")]
headline(lesson.claim)
segments(
    "Lesson",
    "lesson",
    format_func=lambda name: LESSONS[name].title,
    label_visibility="collapsed",
    wrap=True,
)
draw()
lesson.settings()
if lesson.tries:
    try_this(*lesson.tries)
