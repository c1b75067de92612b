"""The training page: one step opened up, both routes in lockstep, rows that drift."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

import pandas as pd
import streamlit as st

from embviz.core import bounds
from embviz.core.comparison import Comparison
from embviz.figures.training import (
    difference_figure,
    drift_figure,
    gradient_figure,
    loss_figure,
    moved_figure,
)
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.server.scheduler import buttons_row, exclusive, queued_fragment, run_queue, time_slice
from embviz.training import drift, tying
from embviz.training.batches import minibatches
from embviz.training.lockstep import Lockstep
from embviz.training.losses import Loss, mse, next_character
from embviz.training.optimizers import OPTIMIZERS, RATES, TOLERANCE
from embviz.training.step import OneStep, one_step
from embviz.ui.parts.chart import chart
from embviz.ui.parts.facts import show_facts
from embviz.ui.parts.theme import chart_colours, diverging_colours
from embviz.ui.parts.widgets import BOUND, choice, segments
from embviz.ui.state.session import cached, setting, state
from embviz.ui.state.tables import layers_of

TICK_S = 0.25  # between redraws while it trains
CLAIM_S = 0.1  # between two claims tried out
BUDGET_S = 0.06  # of each, so that no page waits and other sessions get their turn
GOAL = 200  # steps that one press of Play takes
BATCH = 4  # tokens of a minibatch
SHOWN_ROWS = 40
SHOWN_DIMS = 32
DRIFT_TOKENS = 200
DRIFT_NUMBERS = 100_000  # V x D
# The claims that were tried out, and those that were not.
Told = tuple[list[drift.Claim], Iterator[drift.Claim]]


def loss_settings() -> None:
    """Which loss, and its target."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        segments(
            "Loss",
            "loss",
            help="`mse`: squared distance to the target. `next`: "
            "cross-entropy of the next token, scored by a fixed random head.",
        )
    with right:
        st.text_input(
            "Target: one number, or one for each dimension",
            DEFAULTS["target"],
            key="target",
            disabled=setting("loss") != "mse",
            **BOUND,
        )


def chosen_loss(given: Inputs) -> Loss:
    """The loss that the settings ask for.

    Raises:
        ValueError: with what does not fit, in a sentence.
    """
    assert given.config is not None
    if setting("loss") == "mse":
        words = setting("target").replace(",", " ").split()
        try:
            return mse([float(word) for word in words])
        except ValueError:
            raise ValueError(
                f"The target {setting('target')!r} is not one or more finite numbers."
            ) from None
    symbols = given.config.num_embeddings if given.vocabulary is None else len(given.vocabulary)
    return next_character(symbols, given.config.embedding_dim, given.config.seed)


def step(given: Inputs) -> None:
    """One step: loss, gradients of both weights, and the closed form."""
    assert given.config is not None
    assert given.ids is not None
    layers = layers_of(given)
    found = one_step(layers, given.ids, chosen_loss(given))
    same = "the same bits" if found.loss_embedding == found.loss_linear else "not the same bits"
    st.markdown(
        f"Loss by lookup **{found.loss_embedding:.6g}**, by one-hot × Linear "
        f"**{found.loss_linear:.6g}**: {same}. {len(found.touched[0]):,} of "
        f"{found.num_embeddings:,} rows are looked up; the largest |gradient| of all others is "
        f"{found.largest_untouched:g}."
    )
    _gradients(found, given)
    for words, pair in (
        ("`Embedding.weight.grad` and `Linear.weight.grad.T`", found.embedding_with_linear),
        ("`Embedding.weight.grad` and the closed form `Xᵀ G`", found.embedding_with_closed_form),
    ):
        st.markdown(f"- {words}: {_verdict(pair)}")
    _repeated(found, given)
    _sparse(found)
    touched = found.touched_gradients()
    frame = pd.DataFrame(touched.embedding.double().cpu().numpy())
    frame.insert(0, "row", touched.rows.tolist())
    frame.insert(1, "linear_max_abs", touched.linear.abs().max(dim=1).values.tolist())
    st.download_button(
        "Gradients of touched rows (.csv)",
        frame.to_csv(index=False),
        "embviz_gradients.csv",
        "text/csv",
        icon=":material/download:",
    )


def _gradients(found: OneStep, given: Inputs) -> None:
    touched = found.touched_gradients()
    rows = slice(0, SHOWN_ROWS)
    labels = [_label(given, token) for token in touched.rows[rows].tolist()]
    names = ("Embedding.weight.grad", "Linear.weight.grad.T", "Xᵀ G by hand")
    parts = zip(names, (touched.embedding, touched.linear, touched.closed_form), strict=True)
    shown = [(name, part[rows, :SHOWN_DIMS].double().cpu().numpy()) for name, part in parts]
    limit = max(float(abs(part).max()) for _, part in shown) or 1.0
    for column, (name, part) in zip(st.columns(3, gap="small"), shown, strict=True):
        with column:
            chart(
                gradient_figure(part, labels, name, diverging_colours(), limit),
                key=f"gradient_{name}",
            )
    if len(touched.rows) > SHOWN_ROWS or touched.embedding.shape[1] > SHOWN_DIMS:
        st.caption(
            f"{len(labels):,} of {len(touched.rows):,} touched rows and "
            f"{shown[0][1].shape[1]:,} of {touched.embedding.shape[1]:,} dimensions are "
            "drawn; the sentences speak of all."
        )


def _repeated(found: OneStep, given: Inputs) -> None:
    rows, counts = found.touched
    most = int(counts.argmax())
    if counts[most] < 2:
        st.caption("No token comes twice here: type one twice and its gradients add up.")
        return
    parts = found.contributions(int(rows[most]))
    places = ", ".join(map(str, parts.positions[:8].tolist()))
    first = " + ".join(f"{value:.5f}" for value in parts.gradients[:8, 0].tolist())
    more = " + …" if len(parts.positions) > 8 else ""
    st.markdown(
        f"- {literal(_label(given, parts.row))} stands at places {places}: its row's gradient is "
        f"the sum over them. Dimension 0: `{first}{more} = {float(parts.total[0]):.5f}`"
    )


def _sparse(found: OneStep) -> None:
    sparse = found.sparse
    with st.expander("The same gradient with sparse=True"):
        st.markdown(
            f"A COO tensor: {len(sparse.indices):,} entries, one a token, before `coalesce()`; "
            f"{len(sparse.coalesced_indices):,} rows after. Dense it has "
            f"{found.num_embeddings:,} rows."
        )
        after = sparse.coalesced_indices[:20].tolist()
        st.code(
            f"indices             {sparse.indices[:20].tolist()}\nafter coalesce()    {after}",
            language="python",
        )


def train_settings() -> None:
    """Optimizer, learning rate, batches."""
    one, two, three = st.columns([2, 1, 1], vertical_alignment="bottom")
    with one:
        choice("Optimizer", "optimizer")
    with two:
        segments("Learning rate", "rate", help="Of the optimizer's usual one.")
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


def lockstep(given: Inputs) -> None:
    """Both routes trained side by side, step by step or played."""
    assert given.config is not None
    assert given.ids is not None
    loss, optimizer, rate = chosen_loss(given), setting("optimizer"), _rate()
    drawn = None
    if setting("batches") == "minibatch":
        drawn = minibatches(BATCH, given.config.seed)
    made_of = (
        given.config,
        given.ids.numpy().tobytes(),
        setting("loss"),
        setting("target"),
        optimizer,
        rate,
        setting("batches"),
        _own(given),
    )
    run = cached(
        "lockstep",
        made_of,
        partial(
            Lockstep,
            given.config,
            given.ids,
            optimizer=optimizer,
            loss=loss,
            lr=rate,
            batches=drawn,
            table=given.table,
        ),
    )
    memory = state().setdefault("playing", {})
    if memory.get("run") is not run:
        memory |= {"run": run, "until": 0}
    playing = run.steps < memory["until"] and not run.finished
    queued_fragment(TICK_S if playing else None, _lockstep_live, run, given, playing)


def _lockstep_live(run: Lockstep, given: Inputs, was_playing: bool) -> None:
    memory = state()["playing"]
    row = buttons_row("train_row")
    if was_playing and run.steps < memory["until"]:
        with time_slice(run, BUDGET_S) as seconds:
            if seconds:
                run.advance(memory["until"] - run.steps, seconds)
    playing = run.steps < memory["until"] and not run.finished
    if playing != was_playing:
        st.rerun(scope="app")
    with row:
        st.button("Step", on_click=_step, args=(run,), disabled=playing, key="train_step")
        if playing:
            st.button("Pause", on_click=_pause, icon=":material/pause:", key="train_pause")
        else:
            st.button(
                f"Play {GOAL} steps",
                on_click=_play,
                args=(run,),
                type="primary",
                icon=":material/play_arrow:",
                disabled=run.finished,
                key="train_play",
            )
        st.button(
            "Reset", on_click=_restart, args=(run,), icon=":material/undo:", key="train_reset"
        )
        st.caption(f"{run.steps:,} steps" + (f" of {memory['until']:,}" if playing else ""))
    if run.finished and not run.failed:
        st.caption(
            f"{run.steps:,} steps are all that one training may take here "
            f"({literal(bounds.STEPS.variable)})."
        )
    if run.failed:
        st.error(literal(run.failed), icon=":material/block:")
    if run.steps:
        _curves(run)
        _verdicts(run, given)
    else:
        st.info("Press Step or Play: both routes start from the same weights.")


def _curves(run: Lockstep) -> None:
    every = max(1, len(run.history) // 400)
    shown = run.history[::every]
    if run.history and shown[-1] is not run.history[-1]:
        shown = [*shown, run.history[-1]]
    steps, colours = [point.step for point in shown], chart_colours()
    left, right = st.columns(2, gap="small")
    with left:
        chart(
            loss_figure(
                steps,
                [point.loss_embedding for point in shown],
                [point.loss_linear for point in shown],
                colours,
            ),
            key="train_loss",
        )
    with right:
        chart(
            difference_figure(
                steps,
                [point.max_abs_weight_difference for point in shown],
                TOLERANCE if run.optimizer.in_lockstep else None,
                colours[2],
            ),
            key="train_difference",
        )


def _verdicts(run: Lockstep, given: Inputs) -> None:
    apart = run.max_abs_weight_difference
    if run.optimizer.in_lockstep:
        kept = "stays under" if run.within_tolerance else "exceeds"
        said = (
            f"Max |difference| of the weights: {apart:.3g}; it {kept} the {TOLERANCE:g} promised."
        )
    else:
        said = f"Max |difference| of the weights: {apart:.3g}. {run.optimizer.sentence}"
    st.markdown(literal(said))
    st.download_button(
        "Every step (.csv)",
        partial(_history, run),
        "embviz_lockstep.csv",
        "text/csv",
        icon=":material/download:",
    )
    lookups, moved = run.lookups.tolist(), run.journeys[0].path.tolist()
    labels = [_label(given, row) for row in range(len(lookups))]
    unseen = run.rows_never_looked_up
    drifted = run.max_drift_of_unseen_rows
    how = "stayed exactly where they were" if drifted == 0 else f"moved up to {drifted:.3g}"
    title = f"{unseen:,} rows never looked up {how}" if unseen else "Every row was looked up"
    if len(lookups) > 2000:
        st.caption(literal(title + "."))
        return
    chart(drift_figure(lookups, moved, labels, title, chart_colours()), key="train_drift")


def _history(run: Lockstep) -> str:
    text: str = pd.DataFrame(run.history).to_csv(index=False)
    return text


def _step(run: Lockstep) -> None:
    run.advance(1)


def _play(run: Lockstep) -> None:
    state()["playing"]["until"] = run.steps + GOAL


def _pause() -> None:
    run_queue.prioritize()
    state()["playing"]["until"] = 0


def _restart(run: Lockstep) -> None:
    run.reset()
    _pause()


def _own(given: Inputs) -> bytes | None:
    """The user's own weights, to be told from others."""
    return None if given.table is None else given.table.numpy().tobytes()


def _label(given: Inputs, token: int) -> str:
    if given.vocabulary is None or token >= len(given.vocabulary):
        return f"id {token}"
    return f"'{given.vocabulary.label(token)}' (id {token})"


def _verdict(pair: Comparison) -> str:
    if pair.bitwise_equal:
        return f"bitwise equal, {pair.num_equal:,} of {pair.num_values:,} values"
    equal = f"{pair.num_equal:,} of {pair.num_values:,} values have the same bits"
    return f"{equal}, max |difference| {pair.max_abs_error:.2g}"


def drifting(given: Inputs) -> None:
    """Each claim about rows that drift, tried out on this text, one after another."""
    assert given.config is not None
    assert given.ids is not None
    config, ids = given.config, given.ids[..., :DRIFT_TOKENS]
    if config.num_embeddings * config.embedding_dim > DRIFT_NUMBERS:
        raise ValueError(
            f"{config.num_embeddings:,} x {config.embedding_dim:,} numbers are more "
            f"than the {DRIFT_NUMBERS:,} that every claim is tried out on; choose "
            "fewer rows or dimensions."
        )
    if len(set(ids.flatten().tolist())) < 2:
        raise ValueError(
            "The claims watch one token while others are trained: type at least 2 different ones."
        )
    made_of = (config, ids.numpy().tobytes(), _own(given))

    def begin() -> Told:
        rest = drift.claims(config, ids, table=given.table)
        first = next(rest)  # what cannot be trained is refused here
        return [first], rest

    told = cached("drift", made_of, begin)
    ready = len(told[0]) == len(drift.UNSEEN) + len(drift.AFTERWARDS)
    queued_fragment(None if ready else CLAIM_S, _drift_live, told, given, ready)


def _drift_live(told: Told, given: Inputs, was_ready: bool) -> None:
    found, rest = told
    if not was_ready:
        # One claim each, of 20 ms: too short for turns, and a page does not wait for all of them.
        with run_queue.released(), exclusive(rest) as mine:
            found.extend(islice(rest, 1 if mine else 0))
    total = len(drift.UNSEEN) + len(drift.AFTERWARDS)
    if (len(found) == total) != was_ready:
        st.rerun(scope="app")
    st.caption("Each dot is one row of the table; below, one row's way, step by step.")
    if len(found) < total:
        st.progress(len(found) / total, text=f"{len(found)} of {total} claims tried out")
    columns = st.columns(2, gap="small")
    for place, claim in enumerate(found):
        with columns[place % 2]:
            _claim(claim, given, place)


def _claim(claim: drift.Claim, given: Inputs, place: int) -> None:
    colours = chart_colours()
    verdict = {True: "holds", False: "does NOT hold", None: "cannot be tried"}[claim.holds]
    title = claim.title.replace(" under ", "<br>under ")
    if claim.last_lookup:
        figure = moved_figure(claim.moved.tolist(), claim.last_lookup, title, colours[0])
    else:
        labels = [_label(given, row) for row in range(len(claim.lookups))]
        figure = drift_figure(claim.lookups.tolist(), claim.path.tolist(), labels, title, colours)
    chart(figure, key=f"claim_{place}")
    st.caption(f"**{verdict}**: {literal(claim.outcome)}")


def facts(given: Inputs) -> None:
    """Weight tying, and what shares storage."""
    assert given.config is not None
    assert given.ids is not None
    layers = layers_of(given)
    show_facts(tying.facts(layers.embedding.weight.detach(), given.ids))
