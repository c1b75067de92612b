"""The panel *nearest*: the rows that point most nearly in the direction of the selected one's."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from embviz.fact.inits import INITS
from embviz.fact.nearest import NEIGHBOURS, cosine, nearest
from embviz.fact.routes import BothRoutes
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.ui.state.session import setting


def draw(both: BothRoutes, given: Inputs) -> None:
    """The neighbours of the selected token, and how near the other tokens of the text are."""
    ids = both.ids.flatten().tolist()
    if not ids:
        st.caption("Type something: its tokens have rows with neighbours.")
        return
    token = ids[min(int(setting("token")), len(ids) - 1)]
    weight = both.layers.embedding.weight
    (found,) = nearest(weight, [token])
    if found is None:
        st.info(f"Row {token:,} has no direction: all of its numbers are 0, or one is not finite.")
        return
    name = literal(_name(given, token))
    said = ", ".join(literal(_name(given, one.id)) for one in found) or "no other row"
    st.markdown(
        f"The rows nearest to row {token:,} ({name}), by the cosine of both: "
        f"**{said}**. {_meaning(both)} A column alone means nothing; directions of rows do, once "
        "they are trained."
    )
    st.dataframe(
        _frame(given, [(one.id, one.cosine) for one in found]),
        hide_index=True,
        width="content",
        column_config=_columns(),
        alt="Rows and their cosines, the nearest first",
    )
    others = [one for one in dict.fromkeys(ids) if one != token][:NEIGHBOURS]
    near = [(one, cosine(weight, token, one)) for one in others]
    if near:
        st.markdown("The other tokens of the text, in their order:")
        st.dataframe(
            _frame(given, near),
            hide_index=True,
            width="content",
            column_config=_columns(),
            alt="Rows of the other tokens and their cosines",
        )


def _meaning(both: BothRoutes) -> str:
    """What the neighbours say: something only where the table was trained."""
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
            "row": [one for one, _ in near],
            "token": [_name(given, one) for one, _ in near],
            "cosine": [value for _, value in near],
        }
    )


def _columns() -> Any:
    return {
        "cosine": st.column_config.ProgressColumn(
            "cosine", format="%.3f", min_value=0.0, max_value=1.0
        )
    }
