"""Type a string: both routes give the same vectors."""

from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from embviz.core.refused import Refused
from embviz.request.settings import MODEL, SETTINGS
from embviz.server.tables import run_both_cached
from embviz.ui.frame import body
from embviz.ui.frame.failure import show_refusal
from embviz.ui.pages.playground import unknown
from embviz.ui.parts.terms import say, try_this, typed
from embviz.ui.parts.widgets import segments
from embviz.ui.stage import stage
from embviz.ui.state.session import go, is_example, setting, settings, state


@body.body
def picture() -> None:
    """The stage; after a mistake the last picture stays, faint."""
    # Even if empty: if the stage shifts, the browser redraws it with a flash.
    note = st.container(horizontal=True, vertical_alignment="center", gap="small")
    try:
        state()["last_inputs"] = given = body.inputs()
    except Refused as refused:
        show_refusal(refused)
        if (before := state().get("last_inputs")) is not None:
            stage(run_both_cached(before), before, settings(MODEL), stale=True)
        return
    stage(run_both_cached(given), given, settings(MODEL))
    with note:
        unknown.say(given)


@partial(body.body, key="panel")
def panel() -> None:
    """The choice of panels, and the chosen one, drawn with each change only while it is open."""
    segments("Look closer", "panel", wrap=True, help=None, args=("panel", None, True))
    chosen = setting("panel")
    state()["follow"] = ["panel"] if chosen != "none" else []
    if chosen != "none":
        from embviz.ui.pages.playground import panels  # needs pandas and plotly, which load slowly

        result: list[Any] = []
        with suppress(Refused):  # said above
            given = body.inputs()
            result = [run_both_cached(given), given]
        panels.draw(chosen, *result)


with st.container(
    horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"
):
    say(
        "##### `nn.Embedding` picks a row: the same as {{one-hot}} times the "
        "{{`nn.Linear`|bias-free}} weight."
    )
    if is_example():
        usual = {"text": SETTINGS["text"].default}
        st.button("Type your own", key="type_own", on_click=go, args=(usual,), width="content")
picture()
panel()

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
        typed("hello", init="integers"),
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
