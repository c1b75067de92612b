"""The sections of the bag page: the picture, the routes, how a row is stored, and the panels."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from html import escape

import numpy as np
import pandas as pd
import scipy.sparse
import streamlit as st
import torch

from embviz.bag import pretrained, recipe
from embviz.bag.all_rows import MatrixRoute, run_matrix
from embviz.bag.contributions import contributions
from embviz.bag.matrix import Matrix, Row
from embviz.bag.row_routes import Route, RowResult, run_row
from embviz.core.wording import format_bytes
from embviz.figures.bag import contribution_figure
from embviz.request.markdown import literal
from embviz.ui.pages.bag.inputs import Bag, choose_row
from embviz.ui.parts.bag_picture import draw_bag
from embviz.ui.parts.chart import chart
from embviz.ui.parts.download import download
from embviz.ui.parts.facts import show_facts
from embviz.ui.parts.row_picture import draw_row
from embviz.ui.parts.theme import chart_colours, css_colour, diverging_colours
from embviz.ui.parts.widgets import opens, segments
from embviz.ui.state.session import cached, setting

SHOWN = 6  # numbers of an output in the table of routes
SHOWN_ROWS = 200  # of a whole matrix's output
_COLOURS = {  # by their names in the style below
    "gray": "grayTextColor",
    "border": "borderColor",
    "green": "greenTextColor",
    "red": "redTextColor",
}
_STYLE = """
.routes { border-collapse: collapse; width: 100%; font-size: 13px; }
.routes th { text-align: left; font-weight: 600; padding: 2px 12px 2px 0; white-space: nowrap;
  color: var(--gray); border-bottom: 1px solid var(--border); }
.routes td { padding: 4px 12px 4px 0; vertical-align: top;
  border-bottom: 1px solid var(--border); }
.routes code, .routes .numbers { font-family: "Source Code Pro", monospace; font-size: 12px; }
.routes .numbers { white-space: pre; text-align: right; }
.routes .right { color: var(--green); }
.routes .wrong { color: var(--red); font-weight: 600; }
.routes-box { overflow-x: auto; }
.routes.few { width: auto; }
.routes.few td, .routes.few th { padding-right: 40px; }
@media (max-width: 640px) {
  .routes thead { display: none; }
  .routes tr { display: block; padding: 6px 0; }
  .routes tr { border-bottom: 1px solid var(--border); }
  .routes td[data-unit]::after { content: " " attr(data-unit); }
  .routes td { display: block; border: none; padding: 1px 0; }
  .routes td.numbers { text-align: left; }
}"""


def three_ways(bag: Bag) -> None:
    """The row as dense numbers, as CSR with arrows, and as ids with weights."""
    row = bag.row
    draw_row(row, int(bag.matrix.csr.indptr[row.index]))
    ids = ", ".join(map(str, row.indices[:12].tolist()))
    data = ", ".join(f"{value:.4g}" for value in row.data[:12].tolist())
    more = ", …" if len(row.indices) > 12 else ""
    st.markdown(f"As ids with weights: `ids = [{ids}{more}]`, `weights = [{data}{more}]`")


def picture(bag: Bag) -> RowResult:
    """The row's words sliding into one sum; returns the results of all routes."""
    result = run_row(bag.row, bag.layers)
    draw_bag(bag.matrix, bag.layers, result, choose_row)
    return result


def first_routes(result: RowResult) -> None:
    """A table of the routes that a newcomer needs: line of code, output, verdict."""
    lines = [_line(route, short=True) for route in result.routes if route.is_basic]
    _table(lines, ["Route", "Output", "Is it the sum?"], "few")


def folded(bag: Bag, result: RowResult) -> None:
    """What is one press away: all routes, how the row is stored, and the panels."""
    with st.expander(f"All {len(result.routes)} routes: why?"):
        routes(bag, result)
    with st.expander("How is the row stored?"):
        describe(bag.matrix, bag.row)
        three_ways(bag)
    opened = st.expander(
        "Look closer: each word's share, the whole matrix, batches",
        expanded=opens("bag_folded", "bag_panel"),
        key="closer",
        on_change="rerun",
    )
    with opened:
        segments("Look closer", "bag_panel", wrap=True, label_visibility="collapsed", help=None)
        if opened.open:
            panel(bag, setting("bag_panel"))


def describe(matrix: Matrix, row: Row) -> None:
    """Size of the matrix, and peculiarities of the chosen row."""
    rows, columns = matrix.shape
    dense, stored = format_bytes(matrix.dense_bytes), format_bytes(matrix.csr_bytes)
    sentences = [
        f"{rows:,} rows x {columns:,} columns, {matrix.nnz:,} cells stored; dense {dense}, "
        f"CSR {stored}."
    ]
    odd = [
        ("explicit zeros", row.has_explicit_zeros),
        ("duplicate columns", row.has_duplicates),
        ("unsorted columns", not row.is_sorted),
    ]
    if found := [name for name, true in odd if true]:
        sentences.append(f"This row has {' and '.join(found)}.")
    if matrix.documents is not None:
        sentences.append(f"Its text: {matrix.documents[row.index]!r}")
    st.caption(literal(" ".join(sentences)))


def routes(bag: Bag, result: RowResult | None = None) -> None:
    """A table of all routes: line of code, output, verdict and reason."""
    result = result or run_row(bag.row, bag.layers)
    with st.popover("The lines before these"):
        st.code(result.setup, language="python")
    _table(
        [_line(route) for route in result.routes],
        ["Route", "Output", "Is it the sum?", "Against nn.Linear"],
    )
    _warn_of_counts(result)
    largest = float(result.reference.tolerance.max()) if len(result.routes) else 0.0
    st.caption(
        literal(
            f"Right means: each number is within what rounding allows of the product in float64 "
            f"(here up to {largest:.2g})."
        )
    )


def _table(lines: list[str], heads: list[str], look: str = "") -> None:
    cells = "".join(f"<th>{head}</th>" for head in heads)
    colours = "".join(f"--{name}: {css_colour(option)}; " for name, option in _COLOURS.items())
    st.html(
        f"<style>.routes {{ {colours}}}{_STYLE}</style>"
        f'<div class="routes-box" tabindex="0" role="group" aria-label="The routes">'
        f'<table class="routes {look}"><thead><tr>{cells}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _warn_of_counts(result: RowResult) -> None:
    plain, right = result.route("embedding_sum"), result.route("embedding_bag")
    if plain.right:
        if result.row.binary and len(result.row.indices):
            st.info("All stored values of this row are 1: nothing is lost by forgetting them.")
        return
    worst = int((plain.output - right.output).abs().argmax())
    st.warning(
        literal(
            f"embedding(indices).sum(0) forgets row.data: output {worst} is "
            f"{plain.output[worst]:.4f} instead of {right.output[worst]:.4f}."
        )
        + " Give the counts as `per_sample_weights`."
    )


def _line(route: Route, short: bool = False) -> str:
    """A row of the table; a short one leaves out the reason."""
    name = f"<b>{escape(route.name)}</b><br><code>{escape(route.code)}</code>"
    output = f'<td class="numbers">{_numbers(route.output)}</td>'
    if short:
        return f"<tr><td>{name}</td>{output}<td>{_verdict(route.right)}</td></tr>"
    same = "the same bits" if route.comparison.bitwise_equal else "within rounding"
    against = same if route.near_dense else f"off by {route.comparison.max_abs_error:.3g}"
    return (
        f"<tr><td>{name}</td>{output}"
        f"<td>{_verdict(route.right)}<br>{escape(route.why)}</td>"
        f'<td data-unit="(against nn.Linear)">{escape(against)}</td></tr>'
    )


def _verdict(right: bool) -> str:
    return f'<span class="{"right" if right else "wrong"}">{"✓ yes" if right else "≠ no"}</span>'


def _numbers(output: torch.Tensor) -> str:
    """The first numbers of an output, three on each line."""
    numbers = output[:SHOWN].tolist()
    shown = [f"{value:8.4f}" if abs(value) < 1e5 else f"{value:9.3g}" for value in numbers]
    rest = "\n…" if len(output) > SHOWN else ""
    return "\n".join("".join(shown[k : k + 3]) for k in range(0, len(shown), 3)) + rest


def panel(bag: Bag, name: str) -> None:
    """Draw the panel of this name."""
    _PANELS[name](bag)


def _contributions(bag: Bag) -> None:
    found = contributions(bag.row, bag.layers)
    names = [
        f"column {k}" if bag.row.columns is None else f"'{bag.row.columns[k]}'"
        for k in found.columns.tolist()
    ]
    if not names:
        st.info("This row is empty: there is nothing to add, and the sum is 0.")
        return
    chart(
        contribution_figure(names, found.values, diverging_colours(), chart_colours()[2]),
        key="contributions",
        picks=True,
    )
    heads = [f"output {k}" for k in range(found.values.shape[1])]
    frame = pd.DataFrame(found.values, index=names, columns=heads)
    download(
        "What each word adds (.csv)",
        frame.to_csv,
        "embviz_contributions.csv",
        "text/csv",
    )


def _matrix(bag: Bag) -> None:
    made_of = (id(bag.matrix), bag.layers.dtype, bag.layers.weight.numpy().tobytes())
    result = cached("run_matrix", made_of, partial(run_matrix, bag.matrix, bag.layers))
    st.markdown(
        "The CSR matrix *is* the input of `nn.EmbeddingBag`: `indices` are the ids, "
        "`indptr` the offsets, `data` the weights."
    )
    st.code(result.setup, language="python")
    _table(
        [_matrix_line(route, bag.matrix.shape[0]) for route in result.routes],
        ["Route", "Is every row right?", "Largest error"],
    )
    tidy, empty = result.tidying, result.empty_rows
    numbers = ", ".join(map(str, empty[:5].tolist())) + (", …" if len(empty) > 5 else "")
    same = "the product stays the same" if tidy.same_product else "the product changes"
    sentences = [
        f"{len(empty):,} rows are empty and give zeros" + (f": {numbers}." if numbers else "."),
        f"sum_duplicates leaves {tidy.after:,} of {tidy.before:,} stored values; {same} "
        f"(max |difference| {tidy.max_abs_difference:.2g}).",
    ]
    if not result.densified:
        sentences.append(
            f"The dense matrix would take {format_bytes(result.dense_bytes)}; it is not "
            "made, and the float64 product of the sparse one is the judge."
        )
    st.caption(literal(" ".join(sentences)))
    output = result.route("embedding_bag").output[:SHOWN_ROWS]
    frame = pd.DataFrame(output.numpy(), columns=[f"output {k}" for k in range(output.shape[1])])
    st.dataframe(frame, alt="Output of EmbeddingBag, one line a row of the matrix")


def _matrix_line(route: MatrixRoute, rows: int) -> str:
    wrong = len(route.wrong_rows)
    count = "" if route.right else f" ({wrong:,} of {rows:,} rows are wrong)"
    return (
        f"<tr><td><b>{escape(route.name)}</b><br><code>{escape(route.code)}</code></td>"
        f"<td>{_verdict(route.right)}{count}<br>{escape(route.why)}</td>"
        f'<td class="numbers" data-unit="largest error">{route.max_abs_error:.2g}</td></tr>'
    )


def _from_pretrained(bag: Bag) -> None:
    show_facts(pretrained.facts(bag.layers.weight))


def _batch(bag: Bag) -> None:
    ids, offsets, weights = recipe.first_batch(bag.matrix, bag.layers.dtype)
    st.markdown(f"The first batch of {len(offsets) - 1} rows, as the script below makes it:")
    st.code(
        f"ids     = {ids.tolist()[:40]}\noffsets = {offsets.tolist()}\n"
        f"weights = {[round(one, 4) for one in weights.tolist()[:40]]}",
        language="python",
    )
    source = recipe.recipe()
    download(f"Its {recipe.MATRIX_FILE}", partial(_matrix_file, bag), recipe.MATRIX_FILE)
    download(f"Its {recipe.WEIGHT_FILE}", partial(_weight_file, bag), recipe.WEIGHT_FILE)
    download(
        "The recipe (.py)",
        source,
        "embviz_batches.py",
        "text/x-python",
    )
    st.code(source, language="python", height=420)


def _matrix_file(bag: Bag) -> bytes:
    stream = io.BytesIO()
    scipy.sparse.save_npz(stream, bag.matrix.csr)
    return stream.getvalue()


def _weight_file(bag: Bag) -> bytes:
    stream = io.BytesIO()
    np.save(stream, bag.layers.weight.numpy())
    return stream.getvalue()


_PANELS: dict[str, Callable[[Bag], None]] = {
    "contributions": _contributions,
    "matrix": _matrix,
    "from_pretrained": _from_pretrained,
    "batch": _batch,
}
