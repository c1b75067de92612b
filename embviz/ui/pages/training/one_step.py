"""One training step: the loss, the gradients of both weights and the closed form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from embviz.core.comparison import Comparison
from embviz.figures.grid import Grid, largest
from embviz.figures.training import gradient_grid
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.tables import layers_of
from embviz.training.step import OneStep, one_step
from embviz.ui.pages.training.loss import chosen_loss, row_label
from embviz.ui.parts.grid import Part, Shown
from embviz.ui.state.session import setting

SHOWN_ROWS = 40
SHOWN_DIMS = 32
SHOWN_PLACES = 8
SHOWN_INDICES = 20


def draw(given: Inputs) -> None:
    """One forward and backward pass through both layers."""
    _PART.draw(given)
    label = "The same gradient with sparse=True, and its numbers (.csv)"
    more = st.expander(label, key="more_gradient", on_change="rerun")
    if more.open:
        step = _step(given, setting)
        with more:
            _sparse(step)
            st.download_button(
                "Gradients of touched rows (.csv)",
                partial(_csv, step),
                "embviz_gradients.csv",
                "text/csv",
                icon=":material/download:",
            )


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
        "- `Embedding.weight.grad` and the closed form `Xᵀ G`: "
        f"{_verdict(step.embedding_with_closed_form)}\n{_repeated(step, given)}"
    )
    grids, below = _gradients(step, given)
    return Shown(grids, above, below)


_PART = Part("gradients", _shown, ("loss", "target"))


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
    names = ("Embedding.weight.grad", "Linear.weight.grad.T", "Xᵀ G by hand")
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
        f"A COO tensor: {len(sparse.indices):,} entries, one for each token, before "
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
