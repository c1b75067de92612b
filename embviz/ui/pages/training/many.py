"""Both routes trained side by side for many steps: their loss, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core.comparison import Comparison
from embviz.figures.training import training_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.request.training import STEPS, side_by_side
from embviz.training.training import Training
from embviz.ui.parts.chart import chart
from embviz.ui.parts.download import download
from embviz.ui.parts.links import link
from embviz.ui.parts.live_training import LiveTraining, kept, live_training, start_over
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import choice, segments
from embviz.ui.state.session import forget, setting

SLOT = "train"
READS = ("loss", "target", "optimizer", "rate", "batches")


def draw(given: Inputs) -> None:
    """The training with its buttons, its chart and its verdict."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice("Optimizer", "optimizer", start_over(SLOT))
        segments("Batches", "batches", start_over(SLOT))
    table = None if given.table is None else given.table.numpy().tobytes()
    made_of = given.config, given.ids.numpy().tobytes(), table, *map(setting, READS)
    training = kept(SLOT, made_of, lambda: side_by_side(given, setting), lambda old: old.steps > 0)
    live = live_training(SLOT, training, goal=STEPS, redraw_s=0.25, budget_s=0.06, autoplay=STEPS)
    live.show(partial(_draw_live, live, partial(forget, SLOT)))


def _draw_live(live: LiveTraining, forgets: Callable[[], None], row: DeltaGenerator) -> None:
    training = live.model
    with row:
        live.play_button(f"{STEPS} steps")
        live.reset_button(forgets)
        st.caption(live.progress("steps"))
    if training.failed:
        refuse(training.failed)
    figure = live.picture(
        chart_colours(), lambda: training_figure(training.points, chart_colours())
    )
    chart(figure, key="train_chart")
    st.markdown(f"**{literal(verdict(training))}**")
    if training.steps and training.drift:
        link("training", {"lesson": "unseen"}, label="Rows nobody looks up")
    with st.expander("Why can rounding grow?"):
        st.markdown(f"**{training.rule.label}**: {literal(training.rule.sentence)}")
        link("limits", {"case": "adam-enlarges-rounding"}, label="Adam enlarges rounding: the case")
        download(
            "Every step (.csv)",
            lambda: pd.DataFrame(training.points).to_csv(index=False),
            "embviz_training.csv",
            "text/csv",
        )


def verdict(training: Training) -> str:
    """What the training has shown so far: of the two weights, and of the rows nobody looked up."""
    apart = training.furthest
    if not training.steps:
        same = "the same bits" if Comparison(*training.tables).bitwise_equal else "different bits"
        return f"Both layers start from {same}."
    if not apart.max_abs_weight_difference:
        said = f"No difference between the two weights in {training.steps:,} steps."
    else:
        what = "Two rules part" if training.rule.dense else "Rounding parts"
        said = (
            f"{what} the two weights by at most {apart.max_abs_weight_difference:.3g}, "
            f"at step {apart.step:,} of {training.steps:,}."
        )
    if not (unseen := int(training.unseen.sum())):
        return said
    moved = f"moved, by up to {training.drift:.3g}" if training.drift else "stand still"
    return f"{said} {unseen:,} rows were never looked up: they {moved}."
