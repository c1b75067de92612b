"""The histogram of a table against the density that its start promises."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from embviz.core.distribution import Distribution, Promise
from embviz.figures.layout import lay_out


def weight_histogram(
    found: Distribution, own: Promise | None, linear: Promise, colours: list[str]
) -> go.Figure:
    """Bars of what is in the table, and lines of what was promised.

    Args:
        found: what is in the table.
        own: the promise of its start, drawn where it has a density.
        linear: the promise of nn.Linear's own start, for comparison.
        colours: of the bars, the promise and nn.Linear's promise.
    """
    span = max(abs(found.low), abs(found.high), 1e-12) * 1.15
    # Dense near zero, where nn.Linear's promise is narrow, with its corners exactly.
    x = np.unique(
        np.concatenate(
            [
                np.linspace(-span, span, 801),
                [-linear.std * 3**0.5, linear.std * 3**0.5],
            ]
        )
    )
    centres = (found.edges[1:] + found.edges[:-1]) / 2
    figure = go.Figure(
        go.Bar(
            x=centres,
            y=found.density,
            width=np.diff(found.edges),
            name="the weights",
            marker={"color": colours[0], "line": {"width": 0}},
            opacity=0.55,
        )
    )
    if own is not None and own.name != "whole numbers 0 to 9":
        figure.add_scatter(
            x=x,
            y=own.density(x),
            name=f"promised: {own.name}",
            mode="lines",
            line={"color": colours[1], "width": 2},
        )
    figure.add_scatter(
        x=x,
        y=linear.density(x),
        name=f"nn.Linear's start: {linear.name}",
        mode="lines",
        line={"color": colours[2], "width": 2, "dash": "dash"},
    )
    # nn.Linear's narrow box may be ten times as high: let it leave the picture.
    top = max(found.density.max(), 0 if own is None else own.density(x).max())
    lay_out(
        figure,
        title=_finding(found, own, linear),
        height=340,
        bargap=0,
        xaxis_title="weight",
        yaxis_title="density",
        yaxis_range=[0, 1.25 * top],
        xaxis_range=[-span, span],
        margin={"l": 60, "r": 10, "t": 50, "b": 90},
        legend={"orientation": "h", "yanchor": "top", "y": -0.22, "x": 0},
    )
    return figure


def _finding(found: Distribution, own: Promise | None, linear: Promise) -> str:
    against = "" if own is None else f" ({own.std:#.3g} promised)"
    times = found.std / linear.std
    compared = f"{times:.3g} times" if not 0.995 < times < 1.005 else "just"
    return f"Standard deviation {found.std:#.3g}{against},<br>{compared} that of nn.Linear's start"
