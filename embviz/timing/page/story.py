"""Live timing: lookup against matmul, on the machine that runs this page."""

from typing import Any

import streamlit as st

from embviz.settings.kinds import Choice, Choices, Number, Text
from embviz.system.devices import available_devices, why_no_gpu
from embviz.timing.measure.axes import VARY
from embviz.timing.page import measuring, numbers, page
from embviz.timing.settings import MODEL_SIZES
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.questions import OWN, TRIES
from embviz.ui.elements.links import headline, try_this
from embviz.ui.elements.widgets import choice, fold, number, several, text_line
from embviz.ui.frame.body import body
from embviz.ui.frame.sidebar import reset
from embviz.ui.state.address import setting
from embviz.ui.state.session import session


def draw() -> None:
    """A question with its answer, and what to try."""
    headline("Lookup and matmul, timed.", "matmul", "one-hot", "token")
    timing()
    try_this(*((one.name, "timing", one.settings) for one in TRIES))


@body
def timing() -> None:
    """The questions, the answer, and what is folded."""
    with st.sidebar:
        folds = session().folds
        # Once open it stays open: it must not close on the way back to a question.
        begins = folds["own"] = folds.get("own", False) or measuring.question() == OWN
        with (box := st.expander("Own settings", begins, key="own_settings", on_change="rerun")):
            if box.open:
                own_settings()
        reset()
    with st.container(gap="xsmall"):
        page.questions()
        page.watch()
        with (fold_of_numbers := st.expander("All numbers", key="All numbers", on_change="rerun")):
            numbers.numbers(bool(fold_of_numbers.open))
        fold("How is it measured?", numbers.method)
        page.on_a_gpu()


def own_settings() -> None:
    """All settings of a sweep, each by its field: but for the one that varies."""
    varied = VARY[setting("vary")]
    fields = {axis.parameter: axis.field for axis in VARY.values()} | {"repeat": "processes"}
    kinds = {Number: number, Choice: choice, Choices: several, Text: text_line}
    more: dict[str, Any] = {"values": {"placeholder": " ".join(map(str, varied.values))}}
    devices = dict.fromkeys([*available_devices(), *setting("devices")])
    more["devices"] = {"options": [*devices], "help": why_no_gpu() or None}
    without = {varied.parameter, "my_model", *(record.name for record in MODEL_SIZES)}
    if "cuda" not in devices:
        without.add("precision")  # A CPU has one alone.
    for record in TIMING.settings:
        if (name := record.name) not in without:
            widget: Any = kinds[type(record)]
            widget(fields.get(name, name), name, **more.get(name, {}))
