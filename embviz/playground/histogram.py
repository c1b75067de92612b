"""The histogram of a table against the density that its init promises."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from embviz.fact.inits import Distribution, Promise
from embviz.picture.layout import lay_out, new_figure


def weight_histogram(
    weights: Distribution, own: Promise | None, linear: Promise, colours: list[str]
) -> go.Figure:
    """Bars of the numbers in the table, and lines of the promised densities.

    Args:
        weights: the numbers of the table.
        own: the promise of its init, drawn where it has a density.
        linear: the promise of nn.Linear's own init, for comparison.
        colours: of the bars, the promise and nn.Linear's promise.
    """
    span = max(abs(weights.low), abs(weights.high), 1e-12) * 1.15
    # Dense near zero, where nn.Linear's promise is narrow, with its corners exactly.
    corner = linear.std * 3**0.5
    x = np.unique(np.concatenate([np.linspace(-span, span, 801), [-corner, corner]]))
    figure = new_figure(
        go.Bar(
            x=(weights.edges[1:] + weights.edges[:-1]) / 2,
            y=weights.density,
            width=np.diff(weights.edges),
            name="the weights",
            marker={"color": colours[0], "line": {"width": 0}},
            opacity=0.55,
        )
    )
    lines = ((own, "promised", "solid"), (linear, "nn.Linear's start", "dash"))
    # nn.Linear's narrow box may be ten times as high: let it leave the picture.
    top = weights.density.max()
    for (promise, label, dash), colour in zip(lines, colours[1:], strict=True):
        if promise is None or promise.density is None:
            continue
        y = promise.density(x)
        if promise is own:
            top = max(top, y.max())
        style = {"color": colour, "width": 2, "dash": dash}
        figure.add_scatter(x=x, y=y, name=f"{label}: {promise.name}", mode="lines", line=style)
    lay_out(
        figure,
        title=_finding(weights, own, linear),
        height=340,
        bargap=0,
        xaxis={"title": "weight", "range": [-span, span]},
        yaxis={"title": "density", "range": [0, 1.25 * top]},
        margin={"l": 60, "r": 10, "t": 50, "b": 90},
        legend={"orientation": "h", "yanchor": "top", "y": -0.28, "x": 0},
    )
    return figure


def _finding(weights: Distribution, own: Promise | None, linear: Promise) -> str:
    against = "" if own is None else f" ({own.std:#.3g} promised)"
    times = weights.std / linear.std
    compared = f"{times:.3g} times" if not 0.995 < times < 1.005 else "just"
    return (
        f"Standard deviation {weights.std:#.3g}{against},<br>{compared} that of nn.Linear's start"
    )
