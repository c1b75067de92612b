"""Both routes trained side by side, step by step or played."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core import bounds
from embviz.figures.training import difference_figure, drift_figure, loss_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.training.batches import minibatches
from embviz.training.lockstep import Lockstep
from embviz.training.optimizers import OPTIMIZERS, RATES, TOLERANCE
from embviz.ui.pages.training.loss import chosen_loss, own_weights, row_label
from embviz.ui.parts.chart import chart, thinned
from embviz.ui.parts.live_training import LiveTraining, live_training
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import choice, segments
from embviz.ui.state.session import cached, forget, setting

REDRAW_S = 0.25
BUDGET_S = 0.06
GOAL = 200  # steps of one press of Play
BATCH = 4  # tokens of a minibatch
SHOWN_POINTS = 400
MAX_DRAWN_ROWS = 2_000


def train_settings() -> None:
    """Widgets of the optimizer, the learning rate and the batches."""
    one, two, three = st.columns([2, 1, 1], vertical_alignment="bottom")
    with one:
        choice("Optimizer", "optimizer")
    with two:
        segments("Learning rate", "rate", help="Times the optimizer's usual learning rate.")
    with three:
        segments(
            "Batches",
            "batches",
            help=f"`fixed`: the whole text in every step. `minibatch`: "
            f"{BATCH} tokens drawn by seed, so that steps leave rows out.",
        )
    optimizer = OPTIMIZERS[setting("optimizer")]
    st.caption(
        f"**{literal(optimizer.label)}**, learning rate {_rate():g}. {literal(optimizer.sentence)}"
    )


def _rate() -> float:
    return OPTIMIZERS[setting("optimizer")].usual_lr * RATES[setting("rate")]


def draw(given: Inputs) -> None:
    """The training of both routes with its buttons, charts and verdict."""
    assert given.config is not None
    assert given.ids is not None
    names = ("loss", "target", "optimizer", "rate", "batches")
    chosen = tuple(setting(name) for name in names)
    is_mini = setting("batches") == "minibatch"
    lock = cached(
        "lockstep",
        (given.config, given.ids.numpy().tobytes(), chosen, own_weights(given)),
        partial(
            Lockstep,
            given.config,
            given.ids,
            optimizer=setting("optimizer"),
            loss=chosen_loss(given),
            lr=_rate(),
            batches=minibatches(BATCH, given.config.seed) if is_mini else None,
            table=given.table,
        ),
    )
    live = live_training("train", lock, goal=GOAL, redraw_s=REDRAW_S, budget_s=BUDGET_S)
    live.show(partial(_draw_live, live, given))


def _draw_live(live: LiveTraining[Lockstep], given: Inputs, row: DeltaGenerator) -> None:
    lock = live.model
    with row:
        live.step_button()
        live.play_button(f"Play {GOAL} steps")
        live.reset_button("Reset", partial(forget, "lockstep"))
        st.caption(f"{lock.steps:,} steps" + (f" of {live.until:,}" if live.is_running else ""))
    if lock.finished and not lock.failed:
        st.caption(
            f"One training may take {lock.steps:,} steps here ({literal(bounds.STEPS.variable)})."
        )
    if lock.failed:
        refuse(lock.failed)
    if lock.steps:
        _curves(lock)
        _verdict(lock)
        _drift(lock, given)
    else:
        st.info("Press Step or Play: both routes start from the same weights.")


def _curves(lock: Lockstep) -> None:
    shown = thinned(lock.history, SHOWN_POINTS)
    steps, colours = [point.step for point in shown], chart_colours()
    left, right = st.columns(2, gap="small")
    with left:
        chart(loss_figure(shown, colours), key="train_loss")
    with right:
        apart = [point.max_abs_weight_difference for point in shown]
        promised = TOLERANCE if lock.optimizer.in_lockstep else None
        chart(difference_figure(steps, apart, promised, colours[2]), key="train_difference")


def _verdict(lock: Lockstep) -> None:
    verdict = f"Max |difference| of the weights: {lock.max_abs_weight_difference:.3g}"
    if lock.optimizer.in_lockstep:
        kept = "stays under" if lock.within_tolerance else "exceeds"
        verdict += f"; it {kept} the {TOLERANCE:g} promised."
    else:
        verdict += f". {lock.optimizer.sentence}"
    st.markdown(literal(verdict))
    st.download_button(
        "Every step (.csv)",
        lambda: pd.DataFrame(lock.history).to_csv(index=False),
        "embviz_lockstep.csv",
        "text/csv",
        icon=":material/download:",
    )


def _drift(lock: Lockstep, given: Inputs) -> None:
    unseen, drifted = lock.rows_never_looked_up, lock.max_drift_of_unseen_rows
    how = "stayed exactly where they were" if drifted == 0 else f"moved up to {drifted:.3g}"
    title = f"{unseen:,} rows never looked up {how}" if unseen else "Every row was looked up"
    lookups, moved = lock.lookups.tolist(), lock.journeys[0].path.tolist()
    if len(lookups) > MAX_DRAWN_ROWS:
        st.caption(literal(title + "."))
        return
    labels = [row_label(given, row) for row in range(len(lookups))]
    chart(drift_figure(lookups, moved, labels, title, chart_colours()), key="train_drift")
