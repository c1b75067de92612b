"""Which rows move without being looked up: one claim after another, measured on the user's text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import streamlit as st

from embviz.figures.training import drift_figure, moved_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.scheduler import exclusive, queued_fragment, run_queue
from embviz.training import drift
from embviz.ui.pages.training.loss import own_weights, row_label
from embviz.ui.parts.chart import chart
from embviz.ui.parts.theme import chart_colours
from embviz.ui.state.session import cached

REDRAW_S = 0.1  # between two claims
MAX_TOKENS = 200
MAX_NUMBERS = 100_000  # V x D
TOTAL = len(drift.UNSEEN) + len(drift.AFTERWARDS)
VERDICTS = {True: "holds", False: "does NOT hold", None: "cannot be tried"}
# The claims that were measured, and those that are left.
Claims = tuple[list[drift.Claim], Iterator[drift.Claim]]


def draw(given: Inputs) -> None:
    """All claims, each drawn as soon as it is measured."""
    assert given.config is not None
    assert given.ids is not None
    config, ids = given.config, given.ids[..., :MAX_TOKENS]
    if config.num_embeddings * config.embedding_dim > MAX_NUMBERS:
        raise ValueError(
            f"{config.num_embeddings:,} x {config.embedding_dim:,} numbers are more "
            f"than the {MAX_NUMBERS:,} that every claim is tried out on; choose "
            "fewer rows or dimensions."
        )
    if len(set(ids.flatten().tolist())) < 2:
        raise ValueError(
            "The claims watch one token while others are trained: type at least 2 different ones."
        )

    def begin() -> Claims:
        rest = drift.claims(config, ids, given.table)
        return [next(rest)], rest  # the first claim refuses what cannot be trained

    claims = cached("drift", (config, ids.numpy().tobytes(), own_weights(given)), begin)
    is_done = len(claims[0]) == TOTAL
    queued_fragment(None if is_done else REDRAW_S, _draw_live, claims, given, is_done)


def _draw_live(claims: Claims, given: Inputs, was_done: bool) -> None:
    measured, rest = claims
    if not was_done:
        # A claim takes 20 ms, too short for a time slice. One a redraw, so that no page waits.
        with run_queue.released(), exclusive(rest) as is_free:
            measured.extend(islice(rest, 1 if is_free else 0))
    if (len(measured) == TOTAL) != was_done:
        st.rerun(scope="app")
    st.caption("Each dot is one row of the table; below, one row's movement, step by step.")
    if len(measured) < TOTAL:
        st.progress(len(measured) / TOTAL, text=f"{len(measured)} of {TOTAL} claims tried out")
    columns = st.columns(2, gap="small")
    for place, claim in enumerate(measured):
        with columns[place % 2]:
            _claim(claim, given, place)


def _claim(claim: drift.Claim, given: Inputs, place: int) -> None:
    colours = chart_colours()
    title = claim.title.replace(" under ", "<br>under ")
    if claim.last_lookup:
        figure = moved_figure(claim.moved.tolist(), claim.last_lookup, title, colours[0])
    else:
        labels = [row_label(given, row) for row in range(len(claim.lookups))]
        figure = drift_figure(claim.lookups.tolist(), claim.path.tolist(), labels, title, colours)
    chart(figure, key=f"claim_{place}")
    st.caption(f"**{VERDICTS[claim.holds]}**: {literal(claim.outcome)}")
