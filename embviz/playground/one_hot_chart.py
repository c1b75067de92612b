"""A picture of the one-hot: a mark for each 1, nothing for the zeros."""

from __future__ import annotations

import plotly.graph_objects as go

from embviz.picture.layout import lay_out, new_figure
from embviz.text.wording import counted


def one_hot_picture(ids: list[int], rows: int, colour: str) -> go.Figure:
    """One mark for each token, at the column of its id.

    Args:
        ids: the ids drawn, in order.
        rows: V, the width of the one-hot.
        colour: of the marks.
    """
    figure = new_figure(
        go.Scatter(
            x=ids,
            y=list(range(len(ids))),
            mode="markers",
            marker={"color": colour, "size": 7, "symbol": "square"},
            hovertemplate="token %{y}: a 1 at column %{x}<extra></extra>",
        )
    )
    ones, zeros = counted(len(ids), "one"), counted(len(ids) * (rows - 1), "zero")
    lay_out(
        figure,
        title=f"A row for each token: {ones}, {zeros}",
        height=min(520, 150 + 14 * max(4, len(ids))),
        showlegend=False,
        xaxis={"title": "column (id)", "range": [-0.5, rows - 0.5]},
        yaxis={"title": "row (token)", "range": [len(ids) - 0.5, -0.5]},
        margin={"l": 60, "r": 10, "t": 50, "b": 50},
    )
    return figure
