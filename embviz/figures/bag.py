"""Charts of the bag of words: the share of each word, and the bytes of a dense matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from embviz.bag.memory import Forecast
from embviz.core.wording import format_bytes
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


def memory_figure(
    forecast: Sequence[Forecast], here: Forecast, colours: Sequence[str]
) -> go.Figure:
    """Bytes of a dense matrix and of CSR for a growing vocabulary.

    Args:
        forecast: sizes by columns.
        here: the same for the given matrix.
        colours: of CSR (lookup's) and of the dense matrix (matmul's).
    """
    points = sorted({*forecast, here}, key=lambda point: point.columns)
    figure = new_figure()
    dense, sparse = [one.dense_bytes for one in points], [one.csr_bytes for one in points]
    for name, sizes, colour in (("dense", dense, colours[1]), ("CSR", sparse, colours[0])):
        figure.add_bar(
            x=list(range(len(points))),
            y=sizes,
            name=name,
            marker={"color": colour},
            customdata=[[format_bytes(size)] for size in sizes],
            hovertemplate=f"{name}: %{{customdata[0]}}<extra></extra>",
        )
    largest = points[-1]
    ticks = [f"{one.columns:,}" + (" (yours)" if one == here else "") for one in points]
    low = min(dense + sparse)
    lay_out(
        figure,
        title=f"With {largest.columns:,} words: dense {format_bytes(largest.dense_bytes)},<br>"
        f"CSR {format_bytes(largest.csr_bytes)}",
        height=330,
        barmode="group",
        xaxis={"title": "columns (words)", "tickvals": list(range(len(points))), "ticktext": ticks},
        yaxis={
            "title": "bytes",
            "type": "log",
            "exponentformat": "SI",
            "dtick": 1,
            "range": [np.log10(max(1, low)) - 0.5, np.log10(largest.dense_bytes) + 0.3],
        },
        legend={"orientation": "h", "y": 1.02, "x": 1, "xanchor": "right", "yanchor": "bottom"},
        margin={"l": 60, "r": 10, "t": 60, "b": 60},
    )
    return figure
