"""The folds of the bag page: the routes, `from_pretrained`, and batches. Drawn while open."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from embviz.bag import pretrained
from embviz.bag.page.fields import OneRow, matrix_call, weight_call
from embviz.bag.recipe import RECIPE
from embviz.bag.routes import Result, RouteResult, run
from embviz.text.glossary import explained
from embviz.text.markdown import literal
from embviz.text.refused import Refused, refusals_about
from embviz.text.wording import counted, format_bytes
from embviz.ui.elements.links import anchor
from embviz.ui.elements.widgets import fold, segments
from embviz.ui.frame.body import framed
from embviz.ui.state.address import setting
from embviz.ui.state.session import cached

BAGS = (
    '`bag`, `mean_bag` and `max_bag` are `nn.EmbeddingBag` with `mode="sum"`, `"mean"` and '
    '`"max"`. One call looks rows up, and gives their sum, mean or maximum.'
)
TERMS = 20  # Terms of a row that are written out.


def folded(row: OneRow | Refused | None) -> None:
    """Draw the folds, also where there is no row."""
    with st.container(gap="xsmall"):  # as between the folds below them
        with anchor("routes", "routed"):
            fold("More routes: lines that ran", _routes, row, of=["routed"])
        fold("Four traps of from_pretrained", _traps)
        fold("Batches: getrow, DataLoader", st.code, RECIPE)


def _traps() -> None:
    st.markdown(
        "Here `linear.weight` is `[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]`. "
        "This line is right:"
    )
    st.code(pretrained.RIGHT)
    for place, trap in zip(st.columns(2) * 2, pretrained.TRAPS, strict=True):
        with place:
            st.markdown(f"**{literal(trap.title)}**")
            if not trap.holds:
                st.markdown(":red[≠ This does not hold on the PyTorch installed here.]")
            st.code(f"{trap.code}\n{trap.look}", wrap_lines=True)
            st.markdown(f"It gives `{trap.outcome}`; after the right line, `{trap.right}`.")


def _routes(row: OneRow | Refused | None) -> None:
    st.caption(BAGS)
    framed(
        lambda: _table(row),
        above=partial(segments, "Rows", "routed", label_visibility="collapsed"),
    )


def _table(row: OneRow | Refused | None) -> None:
    if not isinstance(row, OneRow):
        st.caption("There is no row to show.")
        return
    (rows, columns), csr = row.matrix.csr.shape, row.matrix.csr
    if setting("routed") == "all rows":
        made_of = matrix_call(), row.row, setting("bag_edit"), weight_call(columns)
        with refusals_about("routed", {"This row alone": {"routed": "this row"}}):
            told = cached("bag_all", made_of, lambda: _told(run(csr, row.weight)))
    else:
        told = _told(row.result)
        ids, data = (part[:TERMS].tolist() for part in (row.counts.indices, row.counts.data))
        st.caption(
            f"`X.getrow({row.row})`, or `X[[{row.row}]]`: `indices = {ids}`, `data = {data}`"
        )
    table, tolerance, setup = told
    stored = format_bytes(csr.data.nbytes + csr.indices.nbytes + csr.indptr.nbytes)
    st.caption(
        literal(
            f"{counted(rows, 'row')} × {counted(columns, 'column')} need "
            f"{format_bytes(8 * rows * columns)} as a dense float64 matrix, and {stored} as CSR. "
            "A line is right if rounding can explain its distance to the matmul in float64, here "
            f"up to {tolerance:.2g}."
        ),
        help=explained("", "CSR"),
    )
    st.table(table, hide_index=True)
    st.code(before_the_routes(setup))


def before_the_routes(setup: str) -> str:
    """The lines with which those of the routes run, and what they need."""
    needs = "# Run these lines first. X is a SciPy CSR; weight is a tensor, (outputs, columns)."
    return f"{needs}\nimport torch\nfrom torch import nn\n\n{setup}"


def _told(result: Result) -> tuple[pd.DataFrame, float, str]:
    """The parts of a result that a session keeps: its table, the largest tolerance, the setup."""
    table = pd.DataFrame(map(_route, result.of_routes.values()))
    return table, float(result.tolerance.max()), result.setup


def _route(result: RouteResult) -> dict[str, str]:
    rows, wrong = len(result.wrong), int(result.wrong.any(-1).sum())
    same, far = "It has the bits of linear(x).", f"Off by {result.max_abs_error:.2g}."
    return {
        "Right?": "✓ yes" if result.right else f"≠ {wrong:,} of {counted(rows, 'row')} wrong",
        "Line": f"`{result.route.code}`",
        "Why": literal(f"{result.route.why} {same if result.same_bits else far}"),
        "Shape": str(tuple(result.output.shape)),
        "First numbers": " ".join(f"{value:.4g}" for value in result.output.flatten()[:4].tolist()),
    }
