"""Both routes trained side by side for many steps: their loss, and how far they are apart."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from embviz.fact.comparison import Comparison
from embviz.fact.inputs import Inputs
from embviz.settings.model_settings import MODEL
from embviz.text.markdown import literal
from embviz.text.refused import Refused
from embviz.text.wording import counted
from embviz.training.charts import training_figure
from embviz.training.inputs import side_by_side, start_of
from embviz.training.page.page_training import page_training
from embviz.training.settings import PRESS_STEPS
from embviz.training.training import Training
from embviz.ui.elements.chart import chart
from embviz.ui.elements.download import download
from embviz.ui.elements.links import anchor, link
from embviz.ui.elements.refusal import refuse
from embviz.ui.elements.theme import chart_colours
from embviz.ui.elements.widgets import choice, fold, segments
from embviz.ui.frame.body import framed, needs_inputs
from embviz.ui.state.address import setting, settings
from embviz.ui.state.changes import refuse_long
from embviz.ui.state.session import session

READS = ("loss", "target", "optimizer", "rate", "batches")


def draw(given: Inputs | Refused) -> None:
    """The training with its buttons, its chart and its verdict."""
    with anchor("many", "optimizer", "batches"):
        framed(lambda: needs_inputs(given, _train), above=_choose)


def _choose() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice("Optimizer", "optimizer")
        segments("Batches", "batches")


def _train(given: Inputs) -> None:
    refuse_long("target")
    made_of = settings((*MODEL, *READS)), session().weights_file
    draw_it = partial(_draw, start_of(given.table).lower())
    page_training("steps", made_of, lambda: side_by_side(given, setting), PRESS_STEPS, draw_it)


def _draw(start: str, training: Training, runs: bool) -> None:
    if training.failed:
        refuse(Refused(training.failed, about="rate"), "steps")
    chart(training_figure(training.points, chart_colours(), start=start), key="train_chart")
    st.markdown(f"**{literal(verdict(training))}**")
    if training.steps and training.drift:
        link("training", {"lesson": "unseen"}, label="Rows nobody looks up")
    fold("Why can rounding grow?", _why, training)


def _why(training: Training) -> None:
    st.markdown(f"**{training.rule.label}**: {literal(training.rule.sentence)}")
    link("limits", {"case": "adam-enlarges-rounding"}, label="Adam enlarges rounding: the case")
    points = pd.DataFrame(training.points).to_csv(index=False)
    download("Every step (.csv)", points, "embviz_training.csv", "text/csv")


def verdict(training: Training) -> str:
    """The verdict on the training so far: on both weights, and on rows never looked up."""
    apart = training.furthest
    if not training.steps:
        same = "the same bits" if Comparison(*training.tables).bitwise_equal else "different bits"
        return f"Both layers start from {same}."
    if not apart.max_abs_weight_difference:
        said = f"No difference between the two weights in {counted(training.steps, 'step')}."
    else:
        what = "Two rules move" if training.rule.for_linear else "Rounding moves"
        said = (
            f"{what} the two weights apart, by at most {apart.max_abs_weight_difference:.3g}, "
            f"at step {apart.step:,} of {training.steps:,}."
        )
    if not (unseen := int(training.unseen.sum())):
        return said
    drift = training.drift
    moved = f"a number moved by up to {drift:.3g}" if drift else "no number moved"
    return f"{said} {counted(unseen, 'row')} never looked up: {moved}."
