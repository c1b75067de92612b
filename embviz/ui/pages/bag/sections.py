"""The folds of the bag page: the routes, `from_pretrained`, and batches. Drawn while open."""

from __future__ import annotations

from functools import partial
from reprlib import repr as shortened

import pandas as pd
import streamlit as st
import torch

from embviz.bag import pretrained
from embviz.bag.matrix import Matrix
from embviz.bag.recipe import RECIPE
from embviz.bag.routes import ROUTES, Answer, Result, run
from embviz.core.wording import format_bytes
from embviz.request.markdown import literal
from embviz.ui.parts.facts import show_facts
from embviz.ui.parts.widgets import opens, segments
from embviz.ui.state.session import cached, setting


def folded(matrix: Matrix, row: int, weight: torch.Tensor, result: Result) -> None:
    """Draw the folds; `result` is that of the row."""
    folds = st.container(gap="xsmall")  # as between the folds below them
    for title, name, draw in (
        (
            f"All {len(ROUTES)} routes: lines that ran",
            "routes",
            partial(_routes, matrix, row, weight, result),
        ),
        ("Four traps of from_pretrained", "traps", _traps),
        ("Batches: getrow, DataLoader", "batches", partial(st.code, RECIPE)),
    ):
        is_open = name == "routes" and opens("bag_routes", "routed")
        fold = folds.expander(title, is_open, key=f"bag_{name}", on_change="rerun")
        if fold.open:
            with fold:
                draw()


def _routes(matrix: Matrix, row: int, weight: torch.Tensor, result: Result) -> None:
    (rows, columns), csr = matrix.csr.shape, matrix.csr
    segments("Rows", "routed", label_visibility="collapsed")
    if setting("routed") == "all rows":
        result = cached("bag_all", (matrix, weight.numpy().tobytes()), lambda: run(csr, weight))
    stored = format_bytes(csr.data.nbytes + csr.indices.nbytes + csr.indptr.nbytes)
    start, end = csr.indptr[row : row + 2].tolist()
    indices, data = (shortened(one[start:end][:9].tolist()) for one in (csr.indices, csr.data))
    st.caption(
        literal(
            f"{rows:,} rows x {columns:,} columns: dense {format_bytes(8 * rows * columns)}, as "
            f"CSR {stored}. Row {row:,}: the columns indices[{start}:{end}] = {indices}, the "
            f"counts data[{start}:{end}] = {data}. Right: within what rounding allows of the "
            f"product in float64, here {float(result.tolerance.max()):.2g}."
        )
    )
    st.table(pd.DataFrame(map(_line, result.answers.values())), hide_index=True)
    st.code(f"# The lines before these:\n{result.setup}")


def _line(answer: Answer) -> dict[str, str]:
    rows, wrong = len(answer.wrong), int(answer.wrong.any(-1).sum())
    same, far = "It has the bits of linear(x).", f"Off by {answer.max_abs_error:.2g}."
    return {
        "Right?": "✓ yes" if answer.right else f"≠ {wrong:,} of {rows:,} rows wrong",
        "Line": f"`{answer.route.code}`",
        "Why": literal(f"{answer.route.why} {same if answer.same_bits else far}"),
        "Shape": str(tuple(answer.output.shape)),
        "First numbers": " ".join(f"{value:.4g}" for value in answer.output.flatten()[:4].tolist()),
    }


def _traps() -> None:
    st.markdown("Here `linear.weight` is `[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]`.")
    show_facts(pretrained.facts())
