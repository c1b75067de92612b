"""Both layers learn alike: the same gradient, the same step, the same weights."""

import streamlit as st

from embviz.ui import controls, training
from embviz.ui.settings import literal, setting
from embviz.ui.widgets import segments

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
        training.loss_settings()
        training.step(given)
    elif lesson == "lockstep":
        training.loss_settings()
        training.train_settings()
        training.lockstep(given)
    elif lesson == "drift":
        training.drifting(given)
    elif lesson == "tying":
        training.facts(given)
    else:
        from embviz.ui import characters  # its text takes a moment to gather

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
