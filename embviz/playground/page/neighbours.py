"""The panel *nearest*: the rows that point most nearly in the direction of the selected one's."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs
from embviz.fact.nearest import cosine, nearest
from embviz.fact.routes import BothRoutes
from embviz.text.markdown import literal
from embviz.ui.state.address import setting

OTHERS = 20  # Other tokens of the text that are compared with the selected one.


def draw(both: BothRoutes, given: Inputs) -> None:
    """The neighbours of the selected token, and how near the other tokens of the text are."""
    ids = both.ids.flatten().tolist()
    if not ids:
        st.caption("Type something: its tokens have rows with neighbours.")
        return
    token = ids[min(int(setting("token")), len(ids) - 1)]
    weight = both.layers.embedding.weight
    (near,) = nearest(weight, [token])
    if near is None:
        st.info(f"Row {token:,} has no direction: all of its numbers are 0, or one is not finite.")
        return
    name = literal(_name(given, token))
    names = ", ".join(literal(_name(given, neighbour.id)) for neighbour in near) or "no other row"
    st.markdown(
        f"The rows nearest to row {token:,} ({name}), by the cosine of both: "
        f"**{names}**. {_meaning(both)} A column alone means nothing; directions of rows do, once "
        "they are trained."
    )
    st.dataframe(
        _frame(given, [(neighbour.id, neighbour.cosine) for neighbour in near]),
        hide_index=True,
        width="content",
        column_config=_columns(),
        alt="Rows and their cosines, the nearest first",
    )
    _others(both, given, token, ids)


def _others(both: BothRoutes, given: Inputs, token: int, ids: list[int]) -> None:
    """The cosine of the selected token with each other one of the text, equal ones once."""
    others = [other for other in dict.fromkeys(ids) if other != token]
    if not others:
        return
    weight = both.layers.embedding.weight
    near = [(other, cosine(weight, token, other)) for other in others[:OTHERS]]
    said = f"Row {token:,} and each other row of the text, in its order"
    if len(others) > OTHERS:
        said = f"Row {token:,} and the first {OTHERS} of {len(others):,} other rows of the text"
    st.markdown(f"{said}:")
    name = _name(given, token)
    frame = _frame(given, near).rename(columns={"token": "tokens"})
    frame["tokens"] = [f"{name} and {other}" for other in frame["tokens"]]
    st.dataframe(
        frame,
        hide_index=True,
        width="content",
        column_config=_columns(),
        alt="The selected token with each other one, and the cosine of both rows",
    )
    if any(value is None for _, value in near):
        st.caption("None: all numbers of that row are 0, or one is not finite.")


def _meaning(both: BothRoutes) -> str:
    """The meaning of the neighbours: there is one only where the table was trained."""
    if both.table.init == "trained":
        return "Training has put words that are used alike near each other."
    if INITS[both.table.init].draw:
        return "The numbers are random: these neighbours mean nothing."
    return "Where your numbers were trained, neighbours are used alike."


def _name(given: Inputs, token: int) -> str:
    return given.label(token) or f"row {token:,}"


def _frame(given: Inputs, near: list[tuple[int, float | None]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "row": [row for row, _ in near],
            "token": [_name(given, row) for row, _ in near],
            "cosine": [value for _, value in near],
        }
    )


def _columns() -> Any:
    return {
        "cosine": st.column_config.ProgressColumn(
            "cosine", format="%.3f", min_value=0.0, max_value=1.0
        )
    }
