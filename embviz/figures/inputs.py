"""The chart of a soft one-hot row: one bar for each share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from embviz.figures.layout import lay_out, new_figure, plain

_TICKS = 25


def shares_figure(
    shares: Sequence[float],
    labels: Sequence[str],
    names: Sequence[str],
    target: int,
    title: str,
    colours: Sequence[str],
) -> go.Figure:
    """The shares of the rows, and an arrow at the target.

    Args:
        shares: of the drawn rows, from 0 to 1.
        labels: what the axis shows under each, such as its character.
        names: what pointing at a bar shows, such as character and id.
        target: position of the target among them.
        title: the finding.
        colours: lookup's, of the target; matmul's, of the bars.
    """
    figure = new_figure(
        go.Bar(
            x=list(range(len(shares))),
            y=list(shares),
            marker={"color": colours[1], "line": {"width": 0}},
            customdata=[plain(name) for name in names],
            hovertemplate="%{customdata}: share %{y:.3g}<extra></extra>",
        )
    )
    ticks = list(range(0, len(labels), max(1, math.ceil(len(labels) / _TICKS))))
    lay_out(
        figure,
        title=title,
        height=300,
        bargap=0.15,
        margin={"l": 56, "r": 10, "t": 44, "b": 48},
        xaxis={
            "title": "row of the table",
            "tickvals": ticks,
            "ticktext": [plain(labels[tick]) for tick in ticks],
            "range": [-0.7, len(shares) - 0.3],
        },
        yaxis={"title": "share", "range": [0, 1.15], "tickformat": ".0%", "dtick": 0.25},
        annotations=[
            {
                "x": target,
                "y": shares[target],
                "text": f"target: {plain(names[target])}",
                "ax": 0,
                "ay": -24,
                "showarrow": True,
                "arrowhead": 2,
                "font": {"color": colours[0]},
                "arrowcolor": colours[0],
            }
        ],
    )
    return figure
