"""Both routes trained side by side, step by step or played."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core import bounds
from embviz.core.comparison import Comparison
from embviz.figures.training import difference_figure, loss_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.training.batches import minibatches
from embviz.training.lockstep import Lockstep
from embviz.training.optimizers import OPTIMIZERS, RATES
from embviz.ui.pages.training.loss import (
    chosen_loss,
    loss_settings,
    own_weights,
    rate_setting,
)
from embviz.ui.parts.chart import chart, thinned
from embviz.ui.parts.download import download
from embviz.ui.parts.links import link
from embviz.ui.parts.live_training import (
    FORGOTTEN,
    LiveTraining,
    kept,
    live_training,
    place,
    start_over,
)
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import choice, segments
from embviz.ui.state.session import forget, setting

REDRAW_S = 0.25
BUDGET_S = 0.06
SLOT = "train"
PACE = 10  # of the first steps, between two redraws
GOAL = 200  # steps of one press of Play
BATCH = 4  # tokens of a minibatch
SHOWN_POINTS = 400
# Shown by the case `adam-enlarges-rounding` and its tests.
WHY = """
The gradient of a row is the sum over all places of its token. The two routes may add these numbers
in another order, so the last bits may differ. Under the same rule, gradients with the same bits
keep weights with the same bits.

**Adam and AdamW** divide each step by √v. v is a moving average of the squared gradients. Near the
minimum the gradients are small, so v shrinks, and the same gradient makes a longer step. After some
time the steps overshoot, each further than the one before. Whatever differs between the routes
grows with them: a difference of rounding size becomes visible. SGD does not divide its steps. A
large enough `eps` limits the division and prevents the growth.
"""


def claim() -> str:
    """The headline, true for the chosen optimizer."""
    if OPTIMIZERS[setting("optimizer")].in_lockstep:
        return "Both layers start equal and follow one rule: only {{rounding}} can part them."
    return "Here the layers follow two rules, so they part by more than {{rounding}}."


def train_settings() -> None:
    """The widget of the optimizer."""
    choice("Optimizer", "optimizer", start_over(SLOT), width=420)


def more_settings() -> None:
    """Widgets of the learning rate, the batches and the loss."""
    rate_setting(start_over(SLOT))
    segments("Batches", "batches", start_over(SLOT))
    loss_settings(start_over(SLOT))


def draw(given: Inputs) -> None:
    """The training of both routes with its buttons, charts and verdict."""
    assert given.config is not None
    assert given.ids is not None
    config, ids, loss = given.config, given.ids, chosen_loss(given)
    names = ("loss", "target", "optimizer", "rate", "batches")
    chosen = tuple(setting(name) for name in names)
    is_mini = setting("batches") == "minibatch"

    def make() -> Lockstep:
        return Lockstep(
            config,
            ids,
            optimizer=setting("optimizer"),
            loss=loss,
            lr=OPTIMIZERS[setting("optimizer")].usual_lr * RATES[setting("rate")],
            batches=minibatches(BATCH, config.seed) if is_mini else None,
            table=given.table,
        )

    made_of = (config, ids.numpy().tobytes(), chosen, own_weights(given))
    lock = kept(SLOT, made_of, make, lambda old: old.steps > 0)
    live = live_training(
        SLOT, lock, goal=GOAL, redraw_s=REDRAW_S, budget_s=BUDGET_S, pace=PACE, autoplay=GOAL
    )
    live.show(partial(_draw_live, live, partial(forget, place(SLOT))))


def _draw_live(
    live: LiveTraining[Lockstep], forgets: Callable[[], None], row: DeltaGenerator
) -> None:
    lock = live.model
    # The first steps are slow enough to watch.
    live.pace = PACE if lock.steps < GOAL else sys.maxsize
    with row:
        live.play_button(f"Play {GOAL} steps")
        live.step_button()
        live.reset_button(forgets)
        until = f" of {live.until:,}" if live.is_running else ""
        st.caption(f"{lock.steps:,} steps{until}")
    if lock.failed:
        refuse(lock.failed)
    elif lock.finished:
        st.caption(
            f"One training may take {lock.steps:,} steps here ({literal(bounds.STEPS.variable)})."
        )
    losses, differences = live.picture(chart_colours(), lambda: _curves(lock))
    left, right = st.columns(2, gap="small")
    with left:
        chart(losses, key="train_loss")
    with right:
        chart(differences, key="train_difference", picks=not live.is_running)
    _verdict(lock)
    with st.expander("Why can rounding grow?"):
        _why(lock)
        download(
            "Every step (.csv)",
            lambda: pd.DataFrame(lock.history).to_csv(index=False),
            "embviz_lockstep.csv",
            "text/csv",
        )


def _curves(lock: Lockstep) -> tuple[go.Figure, go.Figure]:
    colours = chart_colours()
    shown = thinned(lock.history or [lock.before()], SHOWN_POINTS)
    apart = max(lock.max_abs_weight_difference, shown[0].max_abs_weight_difference)
    title = f"Weights up to {apart:.2g} apart" if apart else "No difference between the weights"
    losses_apart = abs(shown[0].loss_embedding - shown[0].loss_linear)
    return (
        loss_figure(shown, max(lock.max_abs_loss_difference, losses_apart), colours),
        difference_figure(shown, title, colours[2]),
    )


def _verdict(lock: Lockstep) -> None:
    if not lock.steps:
        start = Comparison(*lock.tables())
        same = "the same bits" if start.bitwise_equal else "different bits"
        st.markdown(f"**Both start from {same}.** Press *Play*. {FORGOTTEN}")
        return
    worst = lock.furthest
    furthest = f"none in {lock.steps:,} steps"
    if worst.max_abs_weight_difference:
        apart = f"{worst.max_abs_weight_difference:.3g}"
        furthest = f"{apart} at step {worst.step:,} of {lock.steps:,}"
    st.markdown(f"**{literal(f'Largest difference of the weights so far: {furthest}')}.**")


def _why(lock: Lockstep) -> None:
    optimizer = lock.optimizer
    words = f"**{optimizer.label}**, learning rate {lock.lr:g}."
    st.markdown(f"{words} {literal(optimizer.sentence)}")
    st.markdown(WHY)
    case, icon = {"case": "adam-enlarges-rounding"}, ":material/arrow_forward:"
    link("limits", case, label="Adam enlarges rounding: the case", icon=icon)
