"""The panel *nearest*: the rows that point most nearly in the direction of the selected one's."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs
from embviz.fact.nearest import nearest
from embviz.fact.routes import BothRoutes
from embviz.text.markdown import literal
from embviz.text.wording import isolate
from embviz.ui.state.address import setting


def draw(both: BothRoutes, given: Inputs) -> None:
    """The neighbours of the selected token."""
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
    rows = token, *(neighbour.id for neighbour in near)
    name, *others = (literal(isolate(_name(given, row))) for row in rows)
    names = ", ".join(others) or "no other row"
    st.markdown(
        f"The rows nearest to row {token:,} ({name}), by the cosine of both: "
        f"**{names}**. {_meaning(both)} A column alone means nothing; directions of rows do, once "
        "they are trained."
    )
    st.dataframe(
        pd.DataFrame(
            {
                "row": [neighbour.id for neighbour in near],
                "token": [_name(given, neighbour.id) for neighbour in near],
                "cosine": [neighbour.cosine for neighbour in near],
            }
        ),
        hide_index=True,
        width="content",
        column_config={
            "cosine": st.column_config.ProgressColumn(format="%.3f", min_value=0.0, max_value=1.0)
        },
        alt="Rows and their cosines, the nearest first",
    )


def _meaning(both: BothRoutes) -> str:
    """The meaning of the neighbours: there is one only where the table was trained."""
    if both.table.init == "trained":
        return "Training has put words that are used alike near each other."
    if INITS[both.table.init].draw:
        return "The numbers are random: these neighbours mean nothing."
    return "Where your numbers were trained, neighbours are used alike."


def _name(given: Inputs, token: int) -> str:
    return given.label(token) or f"row {token:,}"
