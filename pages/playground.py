"""Type a string: both routes give the same vectors."""

import streamlit as st

from embviz.server.tables import run_both_cached
from embviz.ui.frame import controls
from embviz.ui.frame.body import body
from embviz.ui.pages import outputs, small_example
from embviz.ui.parts.terms import say, try_this
from embviz.ui.stage import stage
from embviz.ui.state.session import state


@body
def draw() -> None:
    """The stage, and the chosen panel below it."""
    given, both = controls.inputs(), None
    with controls.above_panels():
        if given.refusal is None:
            both = run_both_cached(given)
            stage(both, given, typed=given)
            outputs.draw(both, given)
        else:
            controls.show_refusal(given.refusal)
            if (before := controls.inputs_before()) is not None:
                stage(run_both_cached(before), before, typed=given)
    if controls.panel() != "none":
        from embviz.ui.pages import playground  # needs pandas and plotly, which load slowly

        playground.draw(controls.panel(), both, given)


with (
    controls.above_panels(),
    st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"
    ),
):
    say(
        "##### `nn.Embedding` picks a row: the same as {{one-hot}} times the "
        "{{`nn.Linear`|bias-free}} weight."
    )
    small_example.draw()
draw()

try_this("""
- Type the same letter twice: both tokens get the same row. The table knows the character,
  not its place.
- Draw the weight as `Embedding.weight`: the same numbers, transposed. A lookup picks a *row* of it.
- Let the weights start as `integers` and multiply by hand: every row but one is multiplied by 0.
""")

uses = {
    "Weight tying: one table reads tokens and scores the next": ("limits", {"case": "tied-output"}),
    "Recommenders: nn.EmbeddingBag sums the rows of items": ("bag_of_words", {}),
    "Positions: a second table has a row for each place": (
        "context",
        {"chapter": "contextual", "places": "true"},
    ),
}
with st.expander("Where it is used"):
    for use, (page, query) in uses.items():
        link = state()["pages"][page]
        st.page_link(link, label=use, icon=":material/arrow_forward:", query_params=query)
