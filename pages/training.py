"""Both layers learn, lesson by lesson."""

import streamlit as st

from embviz.ui.frame import body
from embviz.ui.pages.training.lessons import LESSONS
from embviz.ui.parts.terms import say, try_this
from embviz.ui.parts.widgets import opens, segments
from embviz.ui.state.session import setting


@body.body
def draw() -> None:
    """The lesson."""
    if lesson.needs_ids:
        lesson.draw(body.inputs())
    else:
        lesson.draw()


lesson = LESSONS[setting("lesson")]
say(f"##### {lesson.claim if isinstance(lesson.claim, str) else lesson.claim()}")
segments(
    "Lesson",
    "lesson",
    format_func=lambda name: LESSONS[name].title,
    label_visibility="collapsed",
    wrap=True,
)
if lesson.settings is not None:
    lesson.settings()
draw()
if lesson.more is not None:
    with st.expander("More settings", expanded=opens(f"more_{lesson.title}", *lesson.folded)):
        lesson.more()
try_this(*lesson.tries)
