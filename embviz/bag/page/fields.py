"""Fields of the bag page: the rows, typed or uploaded, and the weight."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import scipy.sparse
import streamlit as st
import torch

from embviz.bag.documents import vectorize
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.bag.routes import Result, run
from embviz.bag.uploads import read_upload
from embviz.bag.weight import check_weight, table_of_weight
from embviz.fact.dtypes import DTYPES
from embviz.fact.shared_layers import kept_layers
from embviz.fact.weights import LINEAR, Own, Reading, parse_weights, read_weights
from embviz.settings.pages import SETTINGS
from embviz.text.digits import plain_digits
from embviz.text.refused import Refused, refusals_about
from embviz.ui.elements import widgets
from embviz.ui.frame.sidebar import reset
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go, refuse_long
from embviz.ui.state.session import cached

MATRIX_MB = 50


FIELD = {"documents": "docs", "matrix": "x", "file": "bag"}  # the setting that has the rows


def source() -> None:
    """Draw the field of the rows."""
    if setting("bag") == "documents":
        widgets.text_lines("Documents, one a line", "docs", height=80)
    elif setting("bag") == "matrix":
        widgets.text_lines("The matrix, one row a line", "x", height=100)
    else:
        label = "A .npz of scipy.sparse.save_npz, or a table: .csv, .tsv, .txt, .npy"
        then = partial(_usual_header, "x_header")
        widgets.uploader(label, "bag_file", megabytes=MATRIX_MB, on_change=then)


def _usual_header(name: str) -> None:
    """Another file has another first line."""
    if setting(name) != "auto":
        go({name: "auto"})


def tried_matrix() -> Matrix | Refused | None:
    """The rows, read again where they have changed; why they cannot be read; None before a file."""
    try:
        with refusals_about(FIELD[setting("bag")]):
            return _matrix()
    except Refused as refused:
        return refused


def _matrix() -> Matrix | None:
    refuse_long(FIELD[setting("bag")])
    if (call := matrix_call()) is None:
        return None
    read, *given = call
    matrix: Matrix = cached("bag_read", call, lambda: read(*given))
    return matrix


def matrix_call() -> tuple[Any, ...] | None:
    """The function that reads the rows, and its arguments; None before a file.

    Equal calls give equal rows.
    """
    if setting("bag") == "documents":
        return vectorize, setting("docs"), setting("counts"), setting("stop")
    if setting("bag") == "matrix":
        return parse_matrix, setting("x"), setting("x_header")
    files = widgets.uploaded("bag_file")
    return (_read_file, files[0], setting("x_header")) if files else None


def _read_file(file: Any, header: str) -> Matrix:
    return read_upload(file.name, file.getvalue(), header)


@dataclass(frozen=True)
class OneRow:
    """A row of the matrix, and what it gives.

    Attributes:
        matrix: with the counts that were pressed.
        row: its place, from 0.
        edit: the counts that were pressed, by column.
        own: the weight of the nn.Linear, (outputs, columns), and what was taken of its table.
        counts: the row alone, CSR of shape (1, columns).
        result: the row by every route.
    """

    matrix: Matrix
    row: int
    edit: Mapping[int, float]
    own: Own
    counts: scipy.sparse.csr_array
    result: Result

    @property
    def weight(self) -> torch.Tensor:
        """The weight of the nn.Linear, (outputs, columns)."""
        return self.own.weight


def tried_row(matrix: Matrix | Refused | None) -> OneRow | Refused | None:
    """The row of the settings, or why there is none."""
    if not isinstance(matrix, Matrix):
        return matrix
    row = min(setting("row"), matrix.csr.shape[0] - 1)
    try:
        with refusals_about("bag_edit", {"Forget the pressed counts": {"bag_edit": ""}}):
            edit = pressed()
            matrix = matrix.changed(row, edit)
        own = weight(matrix.csr.shape[1])
        with refusals_about("outputs"):
            counts = matrix.csr[[row]]
            return OneRow(matrix, row, edit, own, counts, run(counts, own.weight))
    except Refused as refused:
        return refused


def sidebar(rows: int) -> None:
    """Draw the other settings; the weight and the row are folded."""
    with st.sidebar:
        widgets.segments("Rows come from", "bag")
        if setting("bag") == "documents":
            widgets.choice("Vectorizer", "counts")
        with st.expander("More"):
            if setting("bag") == "documents":
                widgets.switch("Leave out English stop words", "stop")
            widgets.text_lines("Linear.weight, one output a line", "linear", height=100)
            then = partial(_usual_header, "linear_header")
            widgets.uploader("Or upload it as a file", "linear_file", on_change=then)
            widgets.number("out_features", "outputs")
            widgets.number("seed", "bag_seed")
            widgets.choice("dtype", "bag_dtype")
            widgets.number(f"Row (0 to {rows - 1:,})", "row", max_value=rows - 1)
        reset()


def weight(columns: int) -> Own:
    """The weight of the settings, (outputs, columns): given, or random where none is.

    It is read or drawn again only if what it is made of has changed.

    Raises:
        Refused: it cannot be read.
    """
    with refusals_about("linear"):
        refuse_long("linear")
        call = weight_call(columns)
        read, *given = call
        is_drawn = read is _drawn_weight  # then every session shares it
        own: Own = read(*given) if is_drawn else cached("bag_weight", call, lambda: read(*given))
        check_weight(own.weight, columns)
        return own


def weight_call(columns: int) -> tuple[Any, ...]:
    """The function that makes the weight, and its arguments: equal calls give equal weights."""
    files, typed, dtype = widgets.uploaded("linear_file"), setting("linear"), setting("bag_dtype")
    if files or typed.strip():
        return _given_weight, files[0] if files else typed, setting("linear_header"), dtype
    return _drawn_weight, columns, setting("outputs"), setting("bag_seed"), dtype


def _given_weight(given: Any, header: str, dtype: str) -> Own:
    """The weight of a text or of a file."""
    reading = Reading(kind=LINEAR, header=header)
    if isinstance(given, str):
        own = parse_weights(given, reading)
    else:
        own = read_weights(given.name, given.getvalue(), reading)
    return own._replace(weight=own.weight.to(DTYPES[dtype].torch))


def _drawn_weight(columns: int, outputs: int, seed: int, dtype: str) -> Own:
    with refusals_about("outputs", instead_of=("rows", "dim")):
        drawn = table_of_weight(columns, outputs, seed, dtype)
        return Own(kept_layers(drawn).linear.weight.detach())


def weight_words() -> str:
    """The origin of the weight's numbers, as the picture says it."""
    if widgets.uploaded("linear_file"):
        return "from your file"
    if setting("linear").strip():
        return "as you typed it"
    return f"random (seed {setting('bag_seed')}): nothing is learnt yet"


def pressed() -> dict[int, float]:
    """The counts that were changed, by column: `0:3 2:12`; any whole number.

    Raises:
        Refused: the address has something else.
    """
    typed = setting("bag_edit")
    plain = plain_digits(typed)
    if not re.fullmatch(r"([0-9]{1,6}:-?[0-9]{1,7}(\s|$))*", plain):
        reason = "is not counts by column, such as 0:3 2:12: whole numbers of up to 7 digits"
        raise SETTINGS["bag_edit"].refuse(typed, reason)
    found = re.findall("([0-9]+):(-?[0-9]+)", plain)
    return {int(column): float(count) for column, count in found}
