"""Both layers learn, lesson by lesson."""

import streamlit as st

from embviz.ui.frame import controls
from embviz.ui.frame.body import body
from embviz.ui.pages.training.lessons import LESSONS
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.terms import say, try_this
from embviz.ui.parts.widgets import not_default, titled
from embviz.ui.state.session import cached, setting


@body
def draw() -> None:
    """The lesson."""
    given, lesson = controls.inputs(), LESSONS[setting("lesson")]
    if given.refusal is not None and lesson.needs_ids:
        controls.show_refusal(given.refusal)
        return
    try:
        lesson.draw(given)
    except ValueError as error:  # every refusal of the core is one, and says why
        refuse(error)


lesson = LESSONS[setting("lesson")]
say(f"##### {lesson.claim if isinstance(lesson.claim, str) else lesson.claim()}")
titled("Lesson", "lesson", {name: one.title for name, one in LESSONS.items()})
if lesson.settings is not None:
    lesson.settings()
draw()
if lesson.more is not None:
    # Once open it stays open: it must not close on the way back to a default.
    opened = cached("unfolded", setting("lesson"), list)
    opened += [True] * not_default(*lesson.folded)
    with st.expander("More settings", expanded=bool(opened)):
        lesson.more()
try_this(lesson.try_this)
