"""Inputs of the bag page: a matrix edited in place, documents or a file; and the weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from embviz.bag.documents import KINDS, StopWords, vectorize
from embviz.bag.layers import BagLayers, check_weight, draw_weight, tie_weight
from embviz.bag.matrix import Matrix, MatrixError, Row, parse_matrix
from embviz.bag.uploads import read_upload
from embviz.core.dtypes import DTYPES
from embviz.core.weights import parse_weights, read_weights
from embviz.request.parameters import DEFAULTS, defaults_of
from embviz.ui.frame.body import change_all
from embviz.ui.parts.widgets import (
    BOUND,
    choice,
    not_default,
    number,
    opens,
    segments,
    switch,
    text_lines,
    uploaded,
    uploader,
)
from embviz.ui.state.session import cached, change, setting, state

EDITED = 50  # rows and columns that the editor takes
_MORE = ("stop", "linear", "outputs", "bag_seed", "bag_dtype")
MATRIX_MB = 50
_KINDS_HELP = "".join(f"- `{name}`: {sentence}\n" for name, sentence in KINDS.items())
_LINEAR_HELP = "Linear.weight, one output a line: numbers with spaces or commas, or nested lists."


@dataclass(frozen=True)
class Bag:
    """A matrix, its chosen row, and the layers."""

    matrix: Matrix
    row: Row
    layers: BagLayers


def settings(matrix: Matrix | None) -> None:
    """Draw the sidebar: the source of the rows, and under *More* the weight and the row.

    *More* opens by itself where one of its settings was chosen; a random weight is also chosen by
    the page.
    """
    state().setdefault("bag_more", not_default("start"))
    more = opens("bag_more", *_MORE)
    _fit_weight(matrix)
    with st.sidebar:
        segments("Rows come from", "bag", on_change=_change_source)
        if setting("bag") == "matrix":
            text_lines("The matrix as text, one row a line", "x", height=90)
        else:
            if setting("bag") == "documents":
                text_lines("Documents, one a line", "docs", height=110)
            choice("Vectorizer", "counts", help=_KINDS_HELP)
        with st.expander("More", expanded=more):
            _more(matrix)
        st.button("Reset settings", on_click=_reset, type="tertiary", icon=":material/undo:")


def _more(matrix: Matrix | None) -> None:
    if setting("bag") != "matrix":
        switch("Leave out English stop words", "stop")
    segments("Linear.weight", "start", on_change=_choose_weight)
    if setting("start") == "own":
        text_lines("Linear.weight, one output a line", "linear", height=90, help=_LINEAR_HELP)
        uploader("Or a .npy of it", "linear_file", "npy", "npz", "csv")
    else:
        left, right = st.columns(2, gap="small")
        with left:
            number("out_features", "outputs", "How many numbers nn.Linear makes of a row.")
        with right:
            number("seed", "bag_seed", "Start of the random draw of nn.Linear's weight.")
    choice("dtype", "bag_dtype")
    if matrix is not None:
        rows = matrix.shape[0]
        if setting("row") >= rows:
            change({"row": rows - 1})
        st.number_input(f"Row (0 to {rows - 1:,})", 0, rows - 1, 0, 1, key="row", **BOUND)


def source() -> None:
    """Draw, in the page, the editor of the matrix or the uploader of a file."""
    if setting("bag") == "matrix":
        _edit_matrix()
    elif setting("bag") == "file":
        uploader(
            "A sparse matrix (.npz, as scipy.sparse.save_npz writes it), or documents "
            "(.txt, one a line)",
            "bag_file",
            "npz",
            "txt",
            megabytes=MATRIX_MB,
        )


def read() -> tuple[Matrix | None, str]:
    """The matrix, or None and the reason; read again only when its source has changed."""
    file = next(iter(uploaded("bag_file")), None)
    made_of = (
        *(setting(name) for name in ("bag", "x", "docs", "counts", "stop")),
        None if file is None else file.file_id,
    )

    def make() -> tuple[Matrix | None, str]:
        try:
            return _matrix(), ""
        except MatrixError as error:
            return None, str(error)

    return cached("bag_read", made_of, make)


def chosen_row(matrix: Matrix) -> Row:
    """The chosen row; one beyond the matrix is the last."""
    return matrix.row(min(setting("row"), matrix.shape[0] - 1))


def choose_row(row: int) -> None:
    """Take this row, in a callback."""
    change({"row": row})


def layers(matrix: Matrix) -> BagLayers:
    """The layers of Linear.weight, (outputs, columns).

    Raises:
        Refused: it does not fit the matrix.
    """
    dtype = DTYPES[setting("bag_dtype")].torch
    columns = matrix.shape[1]
    if setting("start") == "random":
        return tie_weight(draw_weight(columns, setting("outputs"), setting("bag_seed"), dtype))
    file = next(iter(uploaded("linear_file")), None)
    table = (
        parse_weights(setting("linear"))
        if file is None
        else read_weights(file.name, file.getvalue())
    )
    weight = table.to(dtype)
    check_weight(weight, columns)
    return tie_weight(weight)


def _stop_words() -> StopWords:
    return "english" if setting("stop") else None


def offer_random() -> None:
    """Draw a button that replaces a weight that does not fit."""
    st.button("Use a random weight", on_click=change, args=({"start": "random"},))


def _edit_matrix() -> None:
    """Draw the matrix as a table to edit; edits go into `x`, which is part of the link."""
    memory = state().setdefault("bag", {"version": 0, "text": None})
    text = setting("x")
    if text != memory["text"]:  # changed by the link, the text field or a reset
        memory |= {"frame": _frame(text), "version": memory["version"] + 1, "text": text}
    if (frame := memory["frame"]) is None:
        return
    key = f"x_{memory['version']}"
    # The line keeps the table's toolbar, which appears above the table, off the headline.
    st.caption("Change a cell:")
    # The frame stays the same during edits, because a new one would take the focus away.
    st.data_editor(frame, key=key, num_rows="dynamic", on_change=_take_edits, args=(key,))


def _take_edits(key: str) -> None:
    """Write the edits into `x`, in a callback, so that the link changes too."""
    memory = state()["bag"]
    try:
        written = _edited(memory["frame"].copy(), st.session_state[key])
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # forged
        memory["text"] = None  # so that the next run makes a new table
        return
    memory["text"] = st.session_state["x"] = written


def _edited(frame: pd.DataFrame, edits: Any) -> str:
    for row, cells in edits["edited_rows"].items():
        for column, value in cells.items():
            frame.loc[int(row), column] = value
    frame = frame.drop(index=edits["deleted_rows"])
    rows = frame.fillna(0).to_numpy(dtype=float).tolist()
    rows += [[new.get(column) or 0 for column in frame.columns] for new in edits["added_rows"]]
    return "\n".join(" ".join(_shortest(value or 0.0) for value in row) for row in rows)


def _shortest(value: float) -> str:
    """The fewest digits that read back as the same number; `2` for 2.0."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _frame(text: str) -> pd.DataFrame | None:
    """The matrix as a table, or None if it cannot be read or is too large to edit."""
    try:
        matrix = parse_matrix(text)
    except MatrixError:
        return None
    if max(matrix.shape) > EDITED:
        return None
    dense: npt.NDArray[np.float64] = matrix.csr.toarray().astype(float)
    return pd.DataFrame(dense, columns=[str(k) for k in range(matrix.shape[1])])


def _matrix() -> Matrix:
    if setting("bag") == "matrix":
        return parse_matrix(setting("x"))
    if setting("bag") == "documents":
        return vectorize(setting("docs"), setting("counts"), _stop_words())
    file = next(iter(uploaded("bag_file")), None)
    if file is None:
        raise MatrixError("no file is chosen yet: give a .npz of a sparse matrix, or a .txt.")
    return read_upload(file.name, file.getvalue(), setting("counts"), _stop_words())


def _fit_weight(matrix: Matrix | None) -> None:
    """Choose a random weight where documents or a file do not fit the default one.

    Not where the user has chosen to give the weight.
    """
    given = setting("linear") != DEFAULTS["linear"] or bool(uploaded("linear_file"))
    if matrix is None or given or setting("bag") == "matrix" or state().get("own_weight"):
        return
    fits = parse_weights(DEFAULTS["linear"]).shape[1] == matrix.shape[1]
    if setting("start") == "own" and not fits:
        change({"start": "random"})


def _change_source() -> None:
    """Start with the default weight, or a random one where the weight was given for other rows."""
    state()["own_weight"] = False
    given = setting("linear") != DEFAULTS["linear"]
    change({"start": "random" if given else "own", "row": 0})


def _choose_weight() -> None:
    state()["own_weight"] = setting("start") == "own"


def _reset() -> None:
    defaults = defaults_of("bag_of_words")
    state()["own_weight"] = False
    del defaults["bag_panel"]  # which part is shown is no setting of the row
    change_all(defaults)
