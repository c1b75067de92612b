"""*My model* on the timing page: its sizes, whether a lookup matters for it, and a table why."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from embviz.text.markdown import literal
from embviz.timing.cases import model_of, settings_of_model
from embviz.timing.measure.run import Run, labels
from embviz.timing.page import measuring
from embviz.timing.tell.my_model import (
    PRESETS,
    ModelSizes,
    estimate,
    estimates,
    has_times,
    shared_with,
    shares,
    times_of,
)
from embviz.timing.tell.notes import failures
from embviz.timing.tell.questions import MY_MODEL
from embviz.timing.tell.recorded import recorded
from embviz.timing.tell.work import waits
from embviz.ui.elements.widgets import choice, number
from embviz.ui.state.changes import go

# Labels of the fields of the sizes, by their settings.
FIELDS = {
    "model_rows": "V: rows",
    "model_dim": "D: columns",
    "model_batch": "batch",
    "model_length": "length",
}


def draw(run: Run, mine: measuring.Sweeps) -> None:
    """The answer, the sizes, and the table.

    Args:
        run: measured here, or the recorded one.
        mine: the sweeps of the session.
    """
    model, shipped = model_of(measuring.own_settings()), recorded(MY_MODEL)
    caption = list[str]()
    if run is not shipped and not has_times(model, run):
        run = shipped
        caption.append(f"Recorded on {labels([run])[0]}.")
    times = times_of(model, run, shipped)
    if shares(model, times):
        caption.append(shared_with(model))
    if times.is_work:
        caption += waits(run)
    newest = mine.newest
    if newest and newest.question == MY_MODEL and measuring.is_of_settings(newest):
        caption += [measuring.left_out(), *failures(newest.run)]
    with st.container(key="timing_answer", gap=None):
        st.header(literal(estimate(model, times)), anchor=False)
    with st.container(key="timing_picture", gap="small"):
        _sizes(model)
        st.markdown(_table(estimates(model, times)))
        st.caption(literal(" ".join(filter(None, caption))))


def _sizes(model: ModelSizes) -> None:
    """The presets, and a field for each size."""
    with st.container(horizontal=True, gap="small", key="presets"):
        for name, preset in PRESETS.items():
            pressed = preset == model
            st.button(
                name,
                f"preset {name}",
                on_click=go,
                args=(settings_of_model(preset),),
                type="primary" if pressed else "secondary",
            )
    with st.container(horizontal=True, gap="small", key="model_sizes"):
        for name, label in FIELDS.items():
            number(label, name)
        choice("dtype", "model_dtype")


def _table(rows: Sequence[tuple[str, str, str]]) -> str:
    """Rows as a table of Markdown, in the colours of both routes."""
    lines = ["| | :blue[lookup] | :orange[matmul] |", "|---|---|---|"]
    lines += [" | ".join(["", *map(literal, cells), ""]).strip() for cells in rows]
    return "\n".join(lines)
