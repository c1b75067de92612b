"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

import streamlit as st

from embviz.ui import context, controls
from embviz.ui.settings import literal, setting
from embviz.ui.widgets import segments

given = controls.inputs()
st.markdown(
    "##### A row of `nn.Embedding` never depends on its neighbours. Attention on top of it does; "
    "the rows beneath stay the same."
)
segments("Chapter", "chapter", label_visibility="collapsed", wrap=True)
chapter = setting("chapter")
if given.refusal is not None and chapter in ("static", "contextual"):
    controls.show_refusal(given.refusal)
    st.stop()

try:
    if chapter == "static":
        context.static(context.Text(given))
    elif chapter == "contextual":
        context.contextual(context.Text(given))
    elif chapter == "trained":
        from embviz.ui import transformer  # its text takes a moment to gather

        transformer.learn()
    else:
        from embviz.ui import sentences  # its model is an optional extra

        sentences.compare()
except ValueError as error:  # every refusal of the core is one, and says why
    st.error(literal(str(error)), icon=":material/block:")

st.markdown("""
**Try this**
- *Static*: shuffle the text. Rows move, none changes: the table knows the character, not its place.
- *Contextual*: with attention, a full mask and no positions, order is still not seen. Switch to
  `causal`, or add positions.
- *Trained*: let it learn, and see one letter part by what follows it.
""")
