"""The folds of the bag page: the routes, `from_pretrained`, and batches. Drawn while open."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
import streamlit as st
import torch

from embviz.bag import pretrained, recipe
from embviz.bag.matrix import Matrix
from embviz.bag.routes import ROUTES, Answer, Result, run
from embviz.core.wording import format_bytes
from embviz.request.markdown import literal
from embviz.ui.pages.bag.picture import COUNTS
from embviz.ui.parts.download import download
from embviz.ui.parts.facts import show_facts
from embviz.ui.parts.widgets import opens, segments
from embviz.ui.state.session import cached, setting

SHOWN = 6  # numbers of an output in the table of routes
SHOWN_ROWS = 200  # of all rows' output


def folded(matrix: Matrix, row: int, weight: torch.Tensor, result: Result) -> None:
    """Draw the folds; `result` is that of the row."""
    for title, name, draw in (
        (f"All {len(ROUTES)} routes: the lines that ran", "routes", _routes),
        ("Four traps of from_pretrained", "traps", _traps),
        ("Batches for training: getrow, DataLoader", "batches", _batches),
    ):
        is_open = name == "routes" and opens("bag_routes", "routed")
        fold = st.expander(title, is_open, key=f"bag_{name}", on_change="rerun")
        if fold.open:
            with fold:
                draw(matrix, row, weight, result)


def _routes(matrix: Matrix, row: int, weight: torch.Tensor, result: Result) -> None:
    (rows, columns), csr = matrix.csr.shape, matrix.csr
    segments("Rows", "routed", label_visibility="collapsed")
    if everything := setting("routed") == "all rows":
        result = cached("bag_all", (matrix, weight.numpy().tobytes()), lambda: run(csr, weight))
    stored = format_bytes(csr.data.nbytes + csr.indices.nbytes + csr.indptr.nbytes)
    start, end = csr.indptr[row : row + 2].tolist()
    st.caption(
        literal(
            f"{rows:,} rows x {columns:,} columns: dense {format_bytes(8 * rows * columns)}, as "
            f"CSR {stored}. Row {row:,} has the columns indices[{start}:{end}] = "
            f"{_first(csr.indices[start:end])} and the counts data[{start}:{end}] = "
            f"{_first(csr.data[start:end])}. Right means: within what rounding allows of the "
            f"product in float64 (here up to {float(result.tolerance.max()):.2g})."
        )
    )
    st.table(
        pd.DataFrame([_line(one, everything) for one in result.answers.values()]), hide_index=True
    )
    if everything:
        output = result.answers["embedding_bag"].output[:SHOWN_ROWS]
        st.dataframe(pd.DataFrame(output.numpy()), alt="Output of EmbeddingBag, one line a row")
    st.markdown("The lines before these:")
    st.code(result.setup, language="python")


def _first(numbers: Any) -> str:
    shown = ", ".join(f"{value:.4g}" for value in numbers[:COUNTS].tolist())
    return f"[{shown}{', …' * (len(numbers) > COUNTS)}]"


def _line(answer: Answer, everything: bool) -> dict[str, str]:
    rows = int(answer.wrong.any(-1).sum())
    wrong = f"≠ {rows:,} of {len(answer.wrong):,} rows" if everything else "≠ no"
    same, far = "It has the bits of linear(x).", f"Off by {answer.max_abs_error:.2g}."
    numbers = [f"{value:.4g}" for value in answer.output[:SHOWN].flatten().tolist()]
    return {
        "Right?": "✓ yes" if answer.right else wrong,
        "Line": f"`{answer.route.code}`",
        "Why": literal(f"{answer.route.why} {same if answer.same_bits else far}"),
        "Shape": str(tuple(answer.output.shape)),
    } | ({} if everything else {"Output": " ".join(numbers[:SHOWN])})


def _traps(*_: Any) -> None:
    st.markdown("Here `linear.weight` is `[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]`.")
    show_facts(pretrained.facts())


def _batches(matrix: Matrix, _row: int, weight: torch.Tensor, _result: Result) -> None:
    with st.container(horizontal=True):
        for name, write, content in (
            (recipe.MATRIX_FILE, scipy.sparse.save_npz, matrix.csr),
            (recipe.WEIGHT_FILE, np.save, weight.numpy()),
        ):
            download(f"Its {name}", partial(_saved, write, content), name)
        download("The recipe (.py)", recipe.RECIPE, "embviz_batches.py", "text/x-python")
    st.code(recipe.RECIPE, language="python")


def _saved(write: Callable[[io.BytesIO, Any], None], content: Any) -> bytes:
    stream = io.BytesIO()
    write(stream, content)
    return stream.getvalue()
