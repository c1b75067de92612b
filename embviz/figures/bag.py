"""The chart of the bag of words: the share of each word in the output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from embviz.figures.layout import lay_out, new_figure, plain

WORDS = 10  # named in the chart; the rest is summed


def contribution_figure(
    words: Sequence[str], parts: npt.NDArray[np.float64], diverging: Sequence[str], neutral: str
) -> go.Figure:
    """Stacked bars of each word's share; they add up to the output.

    Args:
        words: W names, one at least.
        parts: (W, D), the share of each word in each output.
        diverging: colours from the most negative to the most positive.
        neutral: of the mark at the sum.
    """
    order = np.argsort(-np.abs(parts).sum(axis=1), kind="stable")
    named = [(words[k], parts[k]) for k in order[:WORDS]]
    if len(order) > WORDS:
        named.append((f"{len(order) - WORDS:,} more", parts[order[WORDS:]].sum(axis=0)))
    total = parts.sum(axis=0)
    outputs = list(range(parts.shape[1]))
    figure = new_figure()
    down, up = diverging[: len(diverging) // 2], diverging[len(diverging) // 2 :][::-1]
    for place, (word, adds) in enumerate(named):
        label = plain(word)
        shades = [(up if value >= 0 else down)[min(place, 3) % 4] for value in adds]
        figure.add_bar(
            x=outputs,
            y=adds,
            name=label,
            marker={"color": shades, "line": {"width": 1}},
            text=[label] * len(outputs),
            textposition="inside",
            insidetextanchor="middle",
            hovertemplate=f"{label} adds %{{y:.4f}} to output %{{x}}<extra></extra>",
        )
    figure.add_scatter(
        x=outputs,
        y=total,
        mode="markers",
        name="their sum: the output",
        marker={"symbol": "line-ew", "size": 60, "line": {"width": 4, "color": neutral}},
        hovertemplate="output %{x}: %{y:.4f}<extra></extra>",
    )
    top = int(np.argmax(np.abs(parts).sum(axis=1)))
    lay_out(
        figure,
        title=f"{plain(words[top])} pushes hardest;<br>the line across a bar is the output",
        barmode="relative",
        height=330,
        showlegend=False,
        bargap=0.35,
        uniformtext={"minsize": 9, "mode": "hide"},
        xaxis={"title": "output", "tickmode": "array", "tickvals": outputs},
        yaxis={"title": "what each adds", "zeroline": True},
        margin={"l": 60, "r": 10, "t": 60, "b": 45},
    )
    return figure
