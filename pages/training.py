"""Both layers learn, lesson by lesson."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.training import one_step, unseen, write
from embviz.ui.parts.links import headline, try_this
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting

LESSONS = {"step": one_step, "unseen": unseen, "write": write}


def draw() -> None:
    """The lesson, with its settings."""
    lesson = LESSONS[setting("lesson")]
    headline(lesson.CLAIM)
    segments(
        "Lesson",
        "lesson",
        format_func=lambda name: LESSONS[name].TITLE,
        label_visibility="collapsed",
        wrap=True,
    )
    steps()
    try_this(*lesson.TRIES)


@body
def steps() -> None:
    """Draw the lesson."""
    with st.container(gap="xsmall"):  # as between the folds below it
        LESSONS[setting("lesson")].draw()
