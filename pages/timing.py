"""Live timing: lookup against matmul, on the machine that runs this page."""

from functools import partial
from typing import Any

import streamlit as st

from embviz.request.pages import TIMING
from embviz.request.settings import Choice, Choices, Number, Text
from embviz.system.devices import available_devices, why_no_gpu
from embviz.timing.axes import VARY
from embviz.ui.frame.body import body
from embviz.ui.frame.sidebar import reset
from embviz.ui.pages.timing import page
from embviz.ui.parts.links import headline, try_this
from embviz.ui.parts.widgets import choice, fold, number, several, text_line
from embviz.ui.state.session import change, setting


def draw() -> None:
    """A sweep, and what to try."""
    headline("A lookup reads one row for each token; a matmul reads the whole table.")
    timing()
    try_this(*TRIES)


@body
def timing() -> None:
    """The questions, the sweep with its answer, and what is folded."""
    questions, asked = page.questions(), page.question()
    with st.sidebar:
        with st.expander("Own settings", not asked, key="own_settings", on_change="rerun"):
            own_settings()
        reset()
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, gap="small", key="questions"):
            for name, wanted in questions.items():
                icon = ":material/check:" if name == asked else None
                kind: Any = "primary" if icon else "secondary"
                st.button(name, f"ask {name}", None, page.ask, (wanted,), type=kind, icon=icon)
        page.watch()
        with (numbers := st.expander("All numbers", key="All numbers", on_change="rerun")):
            page.numbers(bool(numbers.open))
        fold("How is it measured?", page.method)


def own_settings() -> None:
    """All settings of the page, each by its field: but for the one that varies."""
    axis, fields = VARY[setting("vary")], {one.parameter: one.field for one in VARY.values()}
    kinds = {Number: number, Choice: choice, Choices: several, Text: text_line}
    more: dict[str, Any] = {"vary": {"then": partial(change, {"values": ""})}}
    more["values"] = {"placeholder": " ".join(map(str, axis.values))}
    more["devices"] = {"help": why_no_gpu() or None}
    without = {axis.parameter}
    if "cuda" not in available_devices():
        without.add("precision")  # there is one alone
    for one in TIMING.settings:
        if (name := one.name) not in without:
            widget: Any = kinds[type(one)]
            widget(fields.get(name, name), name, **more.get(name, {}))


TRIES = (
    (
        "The same ids in each call, or new ones: a lookup does no arithmetic, but it reads memory.",
        "timing",
        {"cache": ["same", "new"], "methods": ["lookup"]},
    ),
    (
        "Ids drawn evenly, as words occur, or all equal: does the time of a lookup differ?",
        "timing",
        {"vary": "ids", "time_rows": 65536, "methods": ["lookup"]},
    ),
)
