"""Inputs of the bag page: the rows, typed or uploaded, and the weight."""

from __future__ import annotations

from typing import Any

import streamlit as st
import torch

from embviz.bag.documents import KINDS, vectorize
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.bag.uploads import read_upload
from embviz.bag.weight import draw_weight
from embviz.core.dtypes import DTYPES
from embviz.core.refused import Refused
from embviz.core.weights import parse_weights, read_weights
from embviz.request.settings import SETTINGS
from embviz.ui.frame.sidebar import reset
from embviz.ui.parts import widgets
from embviz.ui.state.session import cached, go, setting

MATRIX_MB = 50
EXAMPLE_WORDS = 4  # that the example's weight is for
_MORE = "stop", "outputs", "bag_seed", "bag_dtype"
_KINDS_HELP = "".join(f"- `{name}`: {sentence}\n" for name, sentence in KINDS.items())


def source() -> None:
    """Draw the field of the documents or the matrix, or the uploader."""
    if setting("bag") == "file":
        kinds = "npz", "csv"
        label = "A .npz of scipy.sparse.save_npz, or a .csv"
        widgets.uploader(label, "bag_file", *kinds, megabytes=MATRIX_MB)
    elif setting("bag") == "matrix":
        widgets.text_lines("The matrix, one row a line", "x", height=100, **_anew("x"))
    else:
        widgets.text_lines("Documents, one a line", "docs", height=80, **_anew("docs"))


def sidebar(rows: int) -> None:
    """Draw the other settings; the weight and the row are folded."""
    with st.sidebar:
        widgets.segments("Rows come from", "bag", **_anew("bag"))
        if setting("bag") == "documents":
            widgets.choice("Vectorizer", "counts", **_anew("counts") | {"help": _KINDS_HELP})
        with st.expander("More", expanded=widgets.opens("bag_more", *_MORE)):
            if setting("bag") == "documents":
                widgets.switch("Leave out English stop words", "stop", **_anew("stop"))
            widgets.text_lines("Linear.weight, one output a line", "linear", height=100)
            widgets.uploader("Or a .npy of it", "linear_file", "npy", "npz", "csv")
            widgets.number("out_features", "outputs")
            widgets.number("seed", "bag_seed")
            widgets.choice("dtype", "bag_dtype")
            widgets.number(f"Row (0 to {rows - 1:,})", "row", most=rows - 1, **_anew("row"))
        st.button("Reset settings", on_click=reset, type="tertiary", icon=":material/undo:")


def _anew(name: str) -> dict[str, Any]:
    """Arguments of a widget whose change drops the counts that were pressed."""
    return {"args": (name, None, False, {"bag_edit": ""})}


def rows() -> Matrix | Refused:
    """The matrix of the settings, without pressed counts; read again only when they change."""
    given = tuple(setting(name) for name in ("bag", "x", "docs", "counts", "stop"))
    file = _file("bag_file")
    return cached("bag_read", (*given, file and file.file_id), lambda: _read(file, *given))


def _read(
    file: Any, source: str, typed: str, documents: str, kind: str, stop: bool
) -> Matrix | Refused:
    try:
        if source == "documents":
            return vectorize(documents, kind, stop)
        if source == "matrix":
            return parse_matrix(typed)
        if file is None:
            raise Refused("No file is chosen yet: give a .npz of a sparse matrix, or a .csv.")
        return read_upload(file.name, file.getvalue())
    except Refused as error:
        return error


def weight(columns: int) -> torch.Tensor:
    """The weight of the settings, (outputs, columns): given, or random where none is.

    The example's own fits four words; other rows get a random one.

    Raises:
        Refused: it cannot be read.
    """
    typed, dtype = setting("linear"), setting("bag_dtype")
    is_other = typed == SETTINGS["linear"].default and columns != EXAMPLE_WORDS
    if file := _file("linear_file"):
        table = read_weights(file.name, file.getvalue())
    elif is_other or not typed.strip():
        return draw_weight(columns, setting("outputs"), setting("bag_seed"), dtype)
    else:
        table = parse_weights(typed)
    return table.to(DTYPES[dtype].torch)


def _file(key: str) -> Any:
    return next(iter(widgets.uploaded(key)), None)


def offer_random() -> None:
    """Draw a button that replaces a weight that does not fit."""
    st.button("Use a random weight", on_click=go, args=({"linear": ""},))


def pressed() -> dict[int, float]:
    """The counts that were pressed, by column."""
    pairs = [one.split(":") for one in setting("bag_edit").split()]
    return {int(column): float(count) for column, count in pairs}
