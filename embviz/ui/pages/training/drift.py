"""Which rows move without being looked up: one optimizer at a time, or all claims at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import streamlit as st
import torch

from embviz.core.config import Config
from embviz.core.refused import Refused
from embviz.figures.training import drift_figure, moved_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.scheduler import exclusive, run_queue
from embviz.training import drift
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.training.loss import own_weights, row_label
from embviz.ui.parts.chart import chart
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import cached, setting

REDRAW_S = 0.1  # between two claims
MAX_TOKENS = 200
MAX_NUMBERS = 100_000  # V x D
TOTAL = len(drift.UNSEEN) + len(drift.AFTERWARDS)
VERDICTS = {True: "Holds", False: "Does not hold", None: "Cannot be tried"}
# The claims that were measured, and those that are left.
Claims = tuple[list[drift.Claim], Iterator[drift.Claim]]
Question = Callable[[Config, torch.Tensor, str, torch.Tensor | None], drift.Claim]


def choose() -> None:
    """The widget of the optimizer."""
    segments("Optimizer", "drift", label_visibility="collapsed", wrap=True)


def draw(given: Inputs) -> None:
    """The claim about one optimizer; folded, a second one about it, and those about all."""
    ids = _ids(given)
    _one(given, ids, drift.unseen_rows, "unseen", 0)
    later = st.expander("And after a row's last lookup?", key="later", on_change="rerun")
    if later.open:
        with later:
            _one(given, ids, drift.after_last_lookup, "later", 1)
    every = st.expander(f"All {TOTAL} claims side by side", key="all_claims", on_change="rerun")
    if every.open:
        with every:
            _all(given, ids)


def _ids(given: Inputs) -> torch.Tensor:
    """The tokens that are trained on.

    Raises:
        Refused: the claims cannot be tried on these inputs.
    """
    assert given.config is not None
    assert given.ids is not None
    config, ids = given.config, given.ids[..., :MAX_TOKENS]
    if config.num_embeddings * config.embedding_dim > MAX_NUMBERS:
        raise Refused(
            f"{config.num_embeddings:,} x {config.embedding_dim:,} numbers are more "
            f"than the {MAX_NUMBERS:,} that every claim is tried out on; choose "
            "fewer rows or dimensions."
        )
    if len(set(ids.flatten().tolist())) < 2:
        raise Refused(
            "The claims watch one token while others are trained: type at least 2 different ones."
        )
    return ids


def _one(given: Inputs, ids: torch.Tensor, question: Question, slot: str, place: int) -> None:
    assert given.config is not None
    config, name = given.config, setting("drift")
    made_of = (config, ids.numpy().tobytes(), own_weights(given), name)
    with run_queue.released():  # 20 ms
        claim = cached(slot, made_of, lambda: question(config, ids, name, given.table))
    _claim(claim, given, f"drift_{place}")


def _all(given: Inputs, ids: torch.Tensor) -> None:
    """All claims, each drawn as soon as it is measured."""
    assert given.config is not None
    config = given.config

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
    if len(measured) < TOTAL:
        st.progress(len(measured) / TOTAL, text=f"{len(measured)} of {TOTAL} claims tried out")
    columns = st.columns(2, gap="small")
    for place, claim in enumerate(measured):
        with columns[place % 2]:
            _claim(claim, given, f"claim_{place}")


def _claim(claim: drift.Claim, given: Inputs, key: str) -> None:
    colours = chart_colours()
    title = claim.title.replace(" under ", "<br>under ")
    if claim.last_lookup:
        figure = moved_figure(claim.moved.tolist(), claim.last_lookup, title, colours[0])
    else:
        labels = [row_label(given, row) for row in range(len(claim.lookups))]
        figure = drift_figure(claim.lookups.tolist(), claim.path.tolist(), labels, title, colours)
    chart(figure, key=key, picks=key.startswith("drift"))
    st.markdown(f"**{VERDICTS[claim.holds]}**: {literal(claim.outcome)}")
