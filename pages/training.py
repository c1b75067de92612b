"""Both layers learn alike: the same gradient, the same step, the same weights."""

import streamlit as st

from embviz.request.markdown import literal
from embviz.ui.frame import controls
from embviz.ui.pages.training import lessons
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting

given = controls.inputs()
st.markdown(
    "##### `nn.Embedding` and one-hot × `nn.Linear` learn in lockstep: same gradient, same step, "
    "same weights."
)
segments("Lesson", "lesson", label_visibility="collapsed", wrap=True)
lesson = setting("lesson")
if given.refusal is not None and lesson != "characters":
    controls.show_refusal(given.refusal)
    st.stop()

try:
    if lesson == "step":
        lessons.loss_settings()
        lessons.step(given)
    elif lesson == "lockstep":
        lessons.loss_settings()
        lessons.train_settings()
        lessons.lockstep(given)
    elif lesson == "drift":
        lessons.drifting(given)
    elif lesson == "tying":
        lessons.facts(given)
    else:
        from embviz.ui.pages.training import characters  # its text takes a moment to gather

        characters.learn()
except ValueError as error:  # every refusal of the core is one, and says why
    st.error(literal(str(error)), icon=":material/block:")

st.markdown("""
**Try this**
- *Step*: type a letter twice. Its row's gradient is the sum over both places; a letter you did not
  type has gradient 0.
- *Lockstep*: play SGD, then Adam, then `sparse_adam` on minibatches: only the last parts ways.
- *Drift*: rows nobody looked up stay under SGD, and move under weight decay.
""")
