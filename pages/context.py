"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

import streamlit as st

from embviz.request.markdown import literal
from embviz.ui.frame import controls
from embviz.ui.pages.context import chapters
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting

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
        chapters.static(chapters.Text(given))
    elif chapter == "contextual":
        chapters.contextual(chapters.Text(given))
    elif chapter == "trained":
        from embviz.ui.pages.context import transformer  # its text takes a moment to gather

        transformer.learn()
    else:
        from embviz.ui.pages.context import sentences  # its model is an optional extra

        sentences.compare()
except ValueError as error:  # every refusal of the core is one, and says why
    st.error(literal(str(error)), icon=":material/block:")

TRY = {
    "static": """
- Type a word twice, such as *bank bank*: both times the same rows, whatever stands around them.
- Choose *edit* and change a letter: all other rows stay as they are.""",
    "contextual": """
- Switch self-attention off and on: the rows of the table never change, what comes out does.
- Take the mask `full` without positions: shuffling the text only shuffles what comes out.
- Add positions, and equal letters part at once.""",
    "trained": """
- Watch the held-out loss pass under the bigram model's: more than one character back helps.
- Choose another letter, such as *t*: its places part by what follows, though its row is one.""",
    "sentences": """
- Write sentences of your own with one word in two senses, such as *spring* or *bat*.
- Take a long word: the model reads it in pieces.""",
}
st.markdown(f"\n**Try this**\n{TRY[chapter]}")
