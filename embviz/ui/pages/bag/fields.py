"""Fields of the bag page: the rows, typed or uploaded, and the weight."""

from __future__ import annotations

import re

import streamlit as st
import torch

from embviz.bag.documents import vectorize
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.bag.uploads import read_upload
from embviz.bag.weight import draw_weight
from embviz.core.digits import plain_digits
from embviz.core.dtypes import DTYPES
from embviz.core.weights import LINEAR, parse_weights, read_weights
from embviz.request.settings import SETTINGS
from embviz.ui.frame.sidebar import reset
from embviz.ui.parts import widgets
from embviz.ui.state.session import cached, setting

MATRIX_MB = 50


def rows() -> Matrix | None:
    """Draw the field of the rows, and read it again where it has changed; None before an upload.

    Raises:
        Refused: it cannot be read.
    """
    if setting("bag") == "documents":
        widgets.text_lines("Documents, one a line", "docs", height=80)
        given = setting("docs"), setting("counts"), setting("stop")
        return cached("bag_read", given, lambda: vectorize(*given))
    if setting("bag") == "matrix":
        widgets.text_lines("The matrix, one row a line", "x", height=100)
        return cached("bag_read", setting("x"), lambda: parse_matrix(setting("x")))
    label = "A .npz of scipy.sparse.save_npz, or a .csv"
    widgets.uploader(label, "bag_file", "npz", "csv", megabytes=MATRIX_MB)
    if not (files := widgets.uploaded("bag_file")):
        st.info("Choose a file of counts: its rows are drawn here.")
        return None
    name, content = files[0].name, files[0].getvalue()
    return cached("bag_read", files[0].file_id, lambda: read_upload(name, content))


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
            widgets.uploader("Or a .npy of it", "linear_file", "npy", "npz", "csv")
            widgets.number("out_features", "outputs")
            widgets.number("seed", "bag_seed")
            widgets.choice("dtype", "bag_dtype")
            widgets.number(f"Row (0 to {rows - 1:,})", "row", max_value=rows - 1)
        reset()


def weight(columns: int) -> torch.Tensor:
    """The weight of the settings, (outputs, columns): given, or random where none is.

    It is read or drawn again only if what it is made of has changed.

    Raises:
        Refused: it cannot be read.
    """
    made_of = weight_settings(columns)
    files, typed, dtype = widgets.uploaded("linear_file"), setting("linear"), setting("bag_dtype")

    def made() -> torch.Tensor:
        if files:
            table = read_weights(files[0].name, files[0].getvalue(), kind=LINEAR)
        elif typed.strip():
            table = parse_weights(typed, kind=LINEAR)
        else:
            return draw_weight(columns, setting("outputs"), setting("bag_seed"), dtype)
        return table.to(DTYPES[dtype].torch)

    return cached("bag_weight", made_of, made)


def weight_settings(columns: int) -> tuple[object, ...]:
    """The settings, or the file, of the weight: equal ones give equal weights."""
    dtype = setting("bag_dtype")
    if files := widgets.uploaded("linear_file"):
        return files[0].file_id, dtype
    if (typed := setting("linear")).strip():
        return typed, dtype
    return columns, setting("outputs"), setting("bag_seed"), dtype


def pressed() -> dict[int, float]:
    """The counts that were pressed, by column: `0:3 2:1`.

    Raises:
        Refused: the address has something else.
    """
    typed = setting("bag_edit")
    plain = plain_digits(typed)
    if not re.fullmatch(r"([0-9]{1,6}:[0-9](\s|$))*", plain):
        raise SETTINGS["bag_edit"].refuse(typed, "is not counts by column, such as 0:3 2:1")
    return {int(column): float(count) for column, count in re.findall("([0-9]+):([0-9])", plain)}
