"""The histogram of a table against the density that its init promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import NDArray

from embviz.fact.inits import Promise
from embviz.picture.layout import lay_out, new_figure

BINS = 60  # Bars of the histogram.


def weight_histogram(
    values: NDArray[Any], own: Promise | None, linear: Promise, colours: list[str]
) -> go.Figure:
    """Bars of the numbers in the table, and lines of the promised densities.

    Args:
        values: the numbers of the table, finite.
        own: the promise of its init, drawn where it has a density.
        linear: the promise of nn.Linear's own init, for comparison.
        colours: of the bars, the promise and nn.Linear's promise.
    """
    low, high = float(values.min()), float(values.max())
    # The bins need a width, even if all numbers are equal.
    edges = np.linspace(low, max(high, low + (1e-6 * max(-low, high) or 1e-6)), BINS + 1)
    density, _ = np.histogram(values, edges, density=True)
    std = float(torch.from_numpy(values).std(correction=0))  # numpy's takes memory for a copy
    span = max(abs(low), abs(high), 1e-12) * 1.15
    # Dense near zero, where nn.Linear's promise is narrow, with its corners exactly.
    corner = linear.std * 3**0.5
    x = np.unique(np.concatenate([np.linspace(-span, span, 801), [-corner, corner]]))
    figure = new_figure(
        go.Bar(
            x=(edges[1:] + edges[:-1]) / 2,
            y=density,
            width=np.diff(edges),
            name="the weights",
            marker={"color": colours[0], "line": {"width": 0}},
            opacity=0.55,
        )
    )
    lines = ((own, "promised", "solid"), (linear, "nn.Linear's start", "dash"))
    # nn.Linear's narrow box may be ten times as high: let it leave the picture.
    top = density.max()
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
        title=_finding(std, own, linear),
        height=340,
        bargap=0,
        xaxis={"title": "weight", "range": [-span, span]},
        yaxis={"title": "density", "range": [0, 1.25 * top]},
        margin={"l": 60, "r": 10, "t": 50, "b": 90},
        legend={"orientation": "h", "yanchor": "top", "y": -0.28, "x": 0},
    )
    return figure


def _finding(std: float, own: Promise | None, linear: Promise) -> str:
    against = "" if own is None else f" ({own.std:#.3g} promised)"
    times = std / linear.std
    compared = f"{times:.3g} times" if not 0.995 < times < 1.005 else "just"
    return f"Standard deviation {std:#.3g}{against},<br>{compared} that of nn.Linear's start"
