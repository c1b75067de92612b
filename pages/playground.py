"""Type a string: both routes give the same vectors."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core.refused import Refused
from embviz.request.settings import MODEL
from embviz.server.tables import run_both_cached
from embviz.ui.frame import body
from embviz.ui.frame.failure import show_refusal
from embviz.ui.pages.playground import small_example, unknown
from embviz.ui.parts.terms import say, try_this, typed
from embviz.ui.parts.widgets import segments
from embviz.ui.stage import stage
from embviz.ui.state.session import setting, settings, state


def panel(*result: Any) -> None:
    """The chosen panel; one may need no result."""
    if setting("panel") != "none":
        from embviz.ui.pages.playground import panels  # needs pandas and plotly, which load slowly

        panels.draw(setting("panel"), *result)


def draw_all() -> None:
    """A callback: the body may draw a panel only where the whole run drew one."""
    state()["whole"] = True


@body.body
def draw(below: DeltaGenerator) -> None:
    """The stage, and the chosen panel; after a mistake the last picture stays, faint."""
    # Even if empty: if the stage shifts, the browser redraws it with a flash.
    note = st.container(horizontal=True, vertical_alignment="center", gap="small")
    refused = None
    try:
        given = body.inputs()
    except Refused as error:  # drawn below, as a failure there is another one
        refused = error
    if refused:
        show_refusal(refused)
        if (before := state().get("last_inputs")) is not None:
            stage(run_both_cached(before), before, settings(MODEL), stale=True)
        with below:
            panel()
        return
    state()["last_inputs"] = given
    both = run_both_cached(given)
    stage(both, given, settings(MODEL))
    with note:
        unknown.say(given)
    with below:
        panel(both, given)


with st.container(
    horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"
):
    say(
        "##### `nn.Embedding` picks a row: the same as {{one-hot}} times the "
        "{{`nn.Linear`|bias-free}} weight."
    )
    small_example.draw()
above, tools, below = st.container(), st.container(), st.container()
with above:
    draw(below)
with tools:
    then = draw_all if setting("panel") == "none" else None
    segments("Look closer", "panel", then, wrap=True, help=None)

try_this(
    (
        "*hello*: both *l* get the same row. The table knows the letter, not its place.",
        "playground",
        typed("hello", token=2),
    ),
    (
        "Drawn as `Embedding.weight`: the same numbers, transposed. A lookup picks a *row* of it.",
        "playground",
        {"view": "embedding"},
    ),
    (
        "Weights as `integers`: multiply by hand; every row but one is multiplied by 0.",
        "playground",
        {"init": "integers"},
    ),
)
try_this(
    (
        "Weight tying: one table reads tokens and scores the next",
        "limits",
        {"case": "tied-output"},
    ),
    ("Recommenders: nn.EmbeddingBag sums the rows of items", "bag_of_words", {}),
    (
        "Positions: a second table has a row for each place",
        "context",
        {"chapter": "contextual"},
    ),
    title="Where it is used",
)
