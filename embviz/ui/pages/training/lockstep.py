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
from embviz.figures.training import difference_figure, drift_figure, loss_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.scheduler import run_queue
from embviz.training.batches import minibatches
from embviz.training.beside import Beside
from embviz.training.lockstep import Lockstep
from embviz.training.optimizers import OPTIMIZERS, RATES
from embviz.ui.frame.body import redraw_body
from embviz.ui.pages.training.loss import (
    chosen_loss,
    loss_settings,
    own_weights,
    rate_setting,
    row_label,
)
from embviz.ui.parts.chart import chart, thinned
from embviz.ui.parts.download import download
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
from embviz.ui.state.session import forget, setting, state

REDRAW_S = 0.25
BUDGET_S = 0.06
SLOT = "train"
PACE = 10  # of the first steps, between two redraws
GOAL = 200  # steps of one press of Play
BATCH = 4  # tokens of a minibatch
SHOWN_POINTS = 400
MAX_DRAWN_ROWS = 2_000
# Each sentence is shown by the case `adam-enlarges-rounding` and its tests.
WHY = """
The gradient of a row is the sum over all places of its token. The two routes may add these numbers
in another order, so the last bits may differ. Under the same rule, gradients with the same bits
keep weights with the same bits.

**Adam and AdamW** divide each step by √v. v is a moving average of the squared gradients. Near the
minimum the gradients are small, so v shrinks, and the same gradient makes a longer step. After some
time the steps overshoot, each further than the one before. Whatever differs between the routes
grows with them: a difference of rounding size becomes visible. SGD does not divide its steps. A
large enough `eps` limits the division and prevents the growth.

**float64** rounds 2²⁹ times finer. If rounding is the cause, the difference there starts far
smaller. It can grow to the same size later.
"""


def claim() -> str:
    """The headline, true for the chosen optimizer."""
    if OPTIMIZERS[setting("optimizer")].in_lockstep:
        return "Both layers start equal and follow one rule: {{rounding}} alone parts them."
    return "Here the layers follow two rules, so they part by more than {{rounding}}."


def train_settings() -> None:
    """The widget of the optimizer."""
    choice("Optimizer", "optimizer", width=420, on_change=start_over(SLOT))


def more_settings() -> None:
    """Widgets of the learning rate, the batches and the loss."""
    rate_setting(start_over(SLOT))
    segments(
        "Batches",
        "batches",
        help=f"`fixed`: the whole text in every step. `minibatch`: "
        f"{BATCH} tokens drawn by seed, so that steps leave rows out.",
        on_change=start_over(SLOT, redraw_body),
    )
    loss_settings(partial(start_over, SLOT))


def _rate() -> float:
    return OPTIMIZERS[setting("optimizer")].usual_lr * RATES[setting("rate")]


def draw(given: Inputs) -> None:
    """The training of both routes with its buttons, charts and verdict."""
    assert given.config is not None
    assert given.ids is not None
    config, ids, loss = given.config, given.ids, chosen_loss(given)
    names = ("loss", "target", "optimizer", "rate", "batches")
    chosen = tuple(setting(name) for name in names)
    is_mini = setting("batches") == "minibatch"

    def make() -> tuple[Beside, Inputs]:
        lock = Lockstep(
            config,
            ids,
            optimizer=setting("optimizer"),
            loss=loss,
            lr=_rate(),
            batches=minibatches(BATCH, config.seed) if is_mini else None,
            table=given.table,
        )
        return Beside(lock), given

    made_of = (config, ids.numpy().tobytes(), chosen, own_weights(given))
    pair, learnt_from = kept(SLOT, made_of, make, lambda old: old[0].single.steps > 0)
    live = live_training(
        SLOT, pair, goal=GOAL, redraw_s=REDRAW_S, budget_s=BUDGET_S, pace=PACE, autoplay=GOAL
    )
    live.show(partial(_draw_live, live, learnt_from, partial(forget, place(SLOT))))


def _draw_live(
    live: LiveTraining[Beside], given: Inputs, forgets: Callable[[], None], row: DeltaGenerator
) -> None:
    pair, lock = live.model, live.model.single
    # The first steps are slow enough to watch.
    live.pace = PACE if lock.steps < GOAL and not pair.is_behind else sys.maxsize
    with row:
        live.play_button(f"Play {GOAL} steps")
        live.step_button()
        live.reset_button("Reset", forgets)
        _float64_button(live)
        until = f" of {live.until:,}" if live.is_running and not pair.is_behind else ""
        behind = f", float64 {pair.steps:,}" if pair.is_behind else ""
        st.caption(f"{lock.steps:,} steps{until}{behind}")
    if lock.finished and not lock.failed:
        st.caption(
            f"One training may take {lock.steps:,} steps here ({literal(bounds.STEPS.variable)})."
        )
    for reason in (lock.failed, pair.refusal):
        if reason:
            refuse(reason)
    losses, differences = live.picture(chart_colours(), lambda: _curves(pair))
    left, right = st.columns(2, gap="small")
    with left:
        chart(losses, key="train_loss")
    with right:
        chart(differences, key="train_difference", picks=not live.is_running)
    _verdict(pair)
    rows = st.expander("Which rows moved?", key="train_rows", on_change="rerun")
    if rows.open:
        with rows:
            _drift(lock, given)
            _download(pair)
    with st.expander("Why can rounding grow?"):
        _why(lock)


def _float64_button(live: LiveTraining[Beside]) -> None:
    if live.model.single.config.dtype == "float64" or live.model.double is not None:
        return
    st.button(
        "Add float64",
        on_click=_add_float64,
        args=(live,),
        icon=":material/compare_arrows:",
        key="train_float64",
        help="Trains the same again in float64, which rounds 2²⁹ times finer.",
    )


def _add_float64(live: LiveTraining[Beside]) -> None:
    run_queue.prioritize()
    live.model.add()
    if not live.model.refusal:
        live.until = max(live.until, live.model.single.steps)


def _curves(pair: Beside) -> tuple[go.Figure, go.Figure]:
    lock, colours = pair.single, chart_colours()
    shown = thinned(lock.history or [lock.before()], SHOWN_POINTS)
    trainings = {lock.config.dtype: shown}
    if pair.double is not None and pair.double.steps:
        trainings["float64"] = thinned(pair.double.history, SHOWN_POINTS)
    apart = max(lock.max_abs_weight_difference, shown[0].max_abs_weight_difference)
    title = f"Weights up to {apart:.2g} apart" if apart else "No difference between the weights"
    losses_apart = abs(shown[0].loss_embedding - shown[0].loss_linear)
    return (
        loss_figure(shown, max(lock.max_abs_loss_difference, losses_apart), colours),
        difference_figure(trainings, title, colours[2:]),
    )


def _furthest(lock: Lockstep) -> str:
    worst = lock.furthest
    if not worst.max_abs_weight_difference:
        return f"none in {lock.steps:,} steps"
    return f"{worst.max_abs_weight_difference:.3g} at step {worst.step:,} of {lock.steps:,}"


def _verdict(pair: Beside) -> None:
    lock, double = pair.single, pair.double
    if not lock.steps:
        start = Comparison(lock.embedding.detach(), lock.linear.detach().T)
        same = "the same bits" if start.bitwise_equal else "different bits"
        st.markdown(f"**Both start from {same}.** Press *Play*. {FORGOTTEN}")
        return
    verdict = f"Largest difference of the weights so far: {_furthest(lock)}"
    if double is not None and double.steps:
        verdict += f"; in float64: {_furthest(double)}"
    st.markdown(f"**{literal(verdict)}.**")


def _why(lock: Lockstep) -> None:
    optimizer = lock.optimizer
    words = f"**{optimizer.label}**, learning rate {lock.lr:g}."
    st.markdown(f"{words} {literal(optimizer.sentence)}")
    st.markdown(WHY)
    st.page_link(
        state()["pages"]["limits"],
        label="Adam enlarges rounding: the case",
        icon=":material/arrow_forward:",
        query_params={"case": "adam-enlarges-rounding"},
    )


def _download(pair: Beside) -> None:
    download(
        "Every step (.csv)",
        lambda: _csv(pair.single, pair.double),
        "embviz_lockstep.csv",
        "text/csv",
    )


def _csv(lock: Lockstep, double: Lockstep | None) -> str:
    """One line a step; the columns of the training in float64 end in `_float64`."""
    frame = pd.DataFrame(lock.history)
    if double is not None and double.steps:
        other = pd.DataFrame(double.history)
        frame = frame.merge(other, "outer", on="step", suffixes=("", "_float64"))
    text: str = frame.to_csv(index=False)
    return text


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
