"""One letter, trained step by step on both routes; below it, one step on the whole text."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import pandas as pd
import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from embviz.core.comparison import Comparison
from embviz.figures.grid import Grid, largest
from embviz.figures.training import gradient_grid
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.tables import layers_of
from embviz.training.optimizers import OPTIMIZERS, RATES
from embviz.training.step import OneStep, one_step
from embviz.training.walk import STEPS, Pair, one_letter
from embviz.ui.pages.training.loss import (
    chosen_loss,
    loss_settings,
    rate_setting,
    row_label,
    short_label,
)
from embviz.ui.parts import walk
from embviz.ui.parts.ask import Part
from embviz.ui.parts.download import download
from embviz.ui.parts.grid import GRIDS, Shown
from embviz.ui.state.session import setting, state

SHOWN_ROWS = 40
SHOWN_DIMS = 32
SHOWN_PLACES = 8
SHOWN_TERMS = 4
SHOWN_INDICES = 20
KEPT = 32  # letters' steps, of at most 150 KB each
KEPT_DIM = 100
READS = ("loss", "target", "rate")
WHOLE_TEXT = "Which rows would the whole text move?"


def more_settings() -> None:
    """Widgets of the learning rate and the loss."""
    rate_setting()
    loss_settings()


def draw(given: Inputs) -> None:
    """The steps of one letter; folded, the gradients of the whole text, which a lab asks about."""
    if "temporary" in state():
        _PART.draw(given)
        return
    _LETTER.draw(given)
    whole = st.expander(WHOLE_TEXT, key="whole_text", on_change="rerun")
    if whole.open:
        with whole:
            _PART.draw(given)
            step = _step(given, setting)
            _sparse(step)
            download(
                "Gradients of touched rows (.csv)",
                partial(_csv, step),
                "embviz_gradients.csv",
                "text/csv",
            )


def _walked(given: Inputs, of: Callable[[str], Any]) -> walk.ShownWalk:
    assert given.ids is not None
    tokens = given.ids.flatten().tolist()
    place = max(0, min(of("token"), len(tokens) - 1))
    assert given.config is not None
    is_kept = given.table is None and given.config.embedding_dim <= KEPT_DIM
    pair, said = (_steps if is_kept else _take_steps)(given, place, of)
    return walk.ShownWalk(
        pair,
        [short_label(given, row) for row in pair.rows.tolist()],
        [_chip(given, token) for token in tokens[: walk.TOKENS]],
        place,
        said,
    )


def _take_steps(given: Inputs, place: int, of: Callable[[str], Any]) -> tuple[Pair, Sequence[str]]:
    """The drawn rows of both walks, and the verdict after each step."""
    assert given.ids is not None
    lr = OPTIMIZERS["sgd"].usual_lr * RATES[of("rate")]
    pair = one_letter(layers_of(given), given.ids, place, chosen_loss(given, of), lr)
    said = [_stands(pair, step) for step in range(1, STEPS + 1)]
    return pair.around(walk.AROUND), said


def _key(given: Inputs, place: int, of: Callable[[str], Any]) -> tuple[object, ...]:
    """All that the steps depend on: of the text, the token, or all of it for the loss `next`."""
    assert given.ids is not None
    shape, ids = given.ids.shape, given.ids.flatten()
    line = shape[-1] if shape else 1
    of_next = (place, line, blake2b(ids.numpy().tobytes()).digest())
    near = tuple(ids[place : place + 1].tolist()) if of("loss") == "mse" else of_next
    return hashkey(given.config, near, *map(of, READS))


# A key at the end of the text leaves the chosen letter's steps as they are.
_steps = cached(LRUCache(KEPT), key=_key, lock=threading.Lock())(_take_steps)


def _chip(given: Inputs, token: int) -> str:
    return given.label(token) or str(token)


def _stands(pair: Pair, step: int) -> str:
    """The verdict after so many steps: of the looked-up row, and of all others."""
    both, others = pair.compared(step), pair.others
    if both.bitwise_equal:
        said = f"Both new rows have the same {both.num_values:,} numbers, bit for bit."
    else:
        said = f"{both.num_equal:,} of {both.num_values:,} new numbers are the same, bit for bit."
    if not bool(others.any()):
        return said
    walks = pair.first, pair.second
    most = max(float(one.largest_gradients(step)[others].max()) for one in walks)
    still = int((~(pair.first.moved(step) | pair.second.moved(step)))[others].sum())
    count = int(others.sum())
    rows = "other rows" if len(others) == pair.num_embeddings else "rows around it"
    exactly = "exactly 0" if most == 0 else f"up to {most:.3g}"
    return f"{said} {still:,} of {count:,} {rows} stand still: their gradient is {exactly}."


_LETTER = Part("walk", _walked, (*READS, "token"), walk.COMPONENT)


def _step(given: Inputs, of: Callable[[str], Any]) -> OneStep:
    assert given.ids is not None
    return one_step(layers_of(given), given.ids, chosen_loss(given, of))


def _shown(given: Inputs, of: Callable[[str], Any]) -> Shown:
    step = _step(given, of)
    same = "the same bits" if step.loss_embedding == step.loss_linear else "not the same bits"
    above = (
        f"Loss by lookup **{step.loss_embedding:.6g}**, by one-hot × Linear "
        f"**{step.loss_linear:.6g}**: {same}. {len(step.touched[0]):,} of "
        f"{step.num_embeddings:,} rows are looked up; the largest |gradient| of all others is "
        f"{step.largest_untouched:g}.\n"
        "- `Embedding.weight.grad` and `Linear.weight.grad.T`: "
        f"{_verdict(step.embedding_with_linear)}\n"
        "- `Embedding.weight.grad` and the sum over the places by hand, `Xᵀ G`: "
        f"{_verdict(step.embedding_with_closed_form)}\n{_repeated(step, given)}"
    )
    grids, below = _gradients(step, given)
    terms, more = _terms(step)
    return Shown(grids, above, below, terms, more)


_PART = Part("gradients", _shown, ("loss", "target"), GRIDS)


def _csv(step: OneStep) -> str:
    touched = step.touched_gradients()
    frame = pd.DataFrame(touched.embedding.double().cpu().numpy())
    frame.insert(0, "row", touched.rows.tolist())
    frame.insert(1, "linear_max_abs", touched.linear.abs().max(dim=1).values.tolist())
    text: str = frame.to_csv(index=False)
    return text


def _gradients(step: OneStep, given: Inputs) -> tuple[list[Grid], str]:
    """The grids, and what they leave out."""
    touched = step.touched_gradients()
    rows = slice(0, SHOWN_ROWS)
    labels = [row_label(given, token) for token in touched.rows[rows].tolist()]
    names = ("Embedding.weight.grad", "Linear.weight.grad.T", "Sum over the places, by hand")
    parts = zip(names, (touched.embedding, touched.linear, touched.closed_form), strict=True)
    shown = [(name, part[rows, :SHOWN_DIMS].double().cpu().numpy()) for name, part in parts]
    limit = largest(*(part for _, part in shown))
    grids = [gradient_grid(part, labels, name, limit) for name, part in shown]
    if len(touched.rows) <= SHOWN_ROWS and touched.embedding.shape[1] <= SHOWN_DIMS:
        return grids, ""
    return grids, (
        f":small[{len(labels):,} of {len(touched.rows):,} touched rows and "
        f"{shown[0][1].shape[1]:,} of {touched.embedding.shape[1]:,} dimensions are "
        "drawn; the sentences are about all.]"
    )


def _terms(step: OneStep) -> tuple[list[list[list[float]]], list[int]]:
    """What each place of a drawn row adds to it, and the rows with more than `SHOWN_TERMS`."""
    rows, counts = (part[:SHOWN_ROWS].tolist() for part in step.touched)
    places = [step.contributions(row).gradients[:SHOWN_TERMS, :SHOWN_DIMS] for row in rows]
    terms = [[[round(one, 7) for one in line] for line in part.tolist()] for part in places]
    return terms, [k for k, count in enumerate(counts) if count > SHOWN_TERMS]


def _repeated(step: OneStep, given: Inputs) -> str:
    rows, counts = step.touched
    if counts.max() < 2:
        return "\n\n:small[No token comes twice here: type one twice and its gradients add up.]"
    row = int(rows[counts.argmax()])
    parts = step.contributions(row)
    places = ", ".join(map(str, parts.positions[:SHOWN_PLACES].tolist()))
    terms = " + ".join(f"{value:.5f}" for value in parts.gradients[:SHOWN_PLACES, 0].tolist())
    more = " + …" if len(parts.positions) > SHOWN_PLACES else ""
    return (
        f"- {literal(row_label(given, row))} stands at places {places}: its row's gradient "
        f"is the sum over them. Dimension 0: `{terms}{more} = {float(parts.total[0]):.5f}`"
    )


def _sparse(step: OneStep) -> None:
    sparse = step.sparse
    st.markdown(
        f"With `sparse=True` the gradient is a COO tensor: {len(sparse.indices):,} entries, one "
        "for each token, before "
        f"`coalesce()`; {len(sparse.coalesced_indices):,} rows after. A dense gradient has "
        f"{step.num_embeddings:,} rows."
    )
    before = sparse.indices[:SHOWN_INDICES].tolist()
    after = sparse.coalesced_indices[:SHOWN_INDICES].tolist()
    st.code(f"indices             {before}\nafter coalesce()    {after}", language="python")


def _verdict(pair: Comparison) -> str:
    if pair.bitwise_equal:
        return f"bitwise equal, {pair.num_equal:,} of {pair.num_values:,} values"
    equal = f"{pair.num_equal:,} of {pair.num_values:,} values have the same bits"
    return f"{equal}, max |difference| {pair.max_abs_error:.2g}"
