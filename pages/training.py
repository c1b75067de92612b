"""Both layers learn by the same rule; only rounding parts them."""

import streamlit as st

from embviz.ui.frame import controls
from embviz.ui.frame.body import body, redraw_all
from embviz.ui.pages.training.lessons import LESSONS
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.terms import try_this
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting


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


st.markdown(
    "##### Trained by the same rule, `nn.Embedding` and one-hot × `nn.Linear` differ by rounding "
    "alone."
)
segments("Lesson", "lesson", label_visibility="collapsed", wrap=True, on_change=redraw_all)
for draw_settings in LESSONS[setting("lesson")].settings:
    draw_settings()
draw()

try_this("""
- *Step*: type a letter twice. Its row's gradient is the sum over both places. A letter that you
  did not type has gradient 0.
- *Lockstep*: play SGD, then `sparse_adam` on minibatches. The second is another rule, and the
  weights differ visibly.
- *Lockstep*: type a long text and play Adam at 10x for 2,000 steps. Rounding can grow until it is
  visible: *Add float64* tells.
- *Drift*: rows that are never looked up stay under SGD, and move under weight decay.
- *Inputs*: play, then choose another temperature and play again: the lower it is, the nearer the
  picked row is to a one-hot row.
- *Characters*: learn, choose *pieces*, and learn again. Which loss per character is lower?
""")
