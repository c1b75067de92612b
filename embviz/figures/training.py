"""Charts of training: losses with the routes' difference, and the map of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.layout import LEGEND_ABOVE, lay_out, new_figure, plain
from embviz.training.space import nearest
from embviz.training.training import Point
from embviz.training.writing import Frame, Writing

_MARGIN = {"l": 64, "r": 10, "t": 50, "b": 48}
_MAP_HIGH = 460
_MAP = np.array([420, 330])  # px between the outermost rows, in a window of 1,280 px
_FEW = 120  # labels that can be large without hiding each other


def training_figure(
    points: Sequence[Point], colours: Sequence[str], limit: float | None = None
) -> go.Figure:
    """Both routes' losses, and below them the largest |difference| of their weights.

    Args:
        points: one or more of the history.
        colours: lookup's, matmul's, a neutral one.
        limit: a line, the bigram limit.
    """
    steps = [point.step for point in points]
    apart = [point.max_abs_weight_difference for point in points]
    figure = new_figure()
    mode = "lines" if len(points) > 1 else "markers"
    # The second line is dashed, because it lies on the first.
    for name, losses, colour, dash in (
        ("nn.Embedding", [point.loss_embedding for point in points], colours[0], "solid"),
        ("one-hot × nn.Linear", [point.loss_linear for point in points], colours[1], "dash"),
    ):
        line = {"color": colour, "width": 4 if dash == "solid" else 2, "dash": dash}
        figure.add_scatter(x=steps, y=losses, name=name, mode=mode, line=line)
    if limit is not None:
        line = {"color": colours[2], "dash": "dot"}
        figure.add_hline(limit, line=line, annotation_text=f"limit {limit:.3f}")
    powers = [math.log10(one) for one in apart if one > 0]
    low, high = min([-8, *map(math.floor, powers)]), max([-6, *map(math.ceil, powers)])
    zero = 10.0 ** (low - 1)  # where the axis says 0: no difference is drawn there
    figure.add_scatter(
        x=steps,
        y=[one or zero for one in apart],
        customdata=apart,
        mode="lines+markers",
        line={"color": colours[2]},
        marker={"size": 4},
        hovertemplate="step %{x}: %{customdata:.3g}<extra></extra>",
        showlegend=False,
        yaxis="y2",
    )
    first, last = points[0].loss_embedding, points[-1].loss_embedding
    ticks = range(low, high + 1, max(1, (high - low) // 4))
    lay_out(
        figure,
        title=f"Loss {first:.3g}" + (f" → {last:.3g}" if len(points) > 1 else ""),
        height=400,
        margin=_MARGIN,
        legend=LEGEND_ABOVE,
        xaxis={"title": "step", "anchor": "y2", "rangemode": "tozero"},
        yaxis={"title": "loss", "rangemode": "tozero", "domain": [0.45, 1]},
        yaxis2={
            "title": "weights apart",
            "domain": [0, 0.35],
            "type": "log",
            "tickvals": [zero, *(10.0**power for power in ticks)],
            "ticktext": ["0", *(f"10<sup>{power}</sup>" for power in ticks)],
            "range": [low - 1.5, high + 0.5],
        },
    )
    return figure


def map_figure(writing: Writing, frame: Frame, colours: Sequence[str]) -> go.Figure:
    """The rows on a plane, each drawn as its character or piece, coloured by kind.

    A label that would cover an earlier one is a dot. A hover names the nearest rows.
    """
    labels = [writing.symbols.label(token) for token in writing.shown]
    size = 14 if len(labels) <= _FEW else 11
    fits = without_overlap(frame.points, labels, size)
    near = nearest(frame.rows, 3)
    figure, names = new_figure(), [*writing.shown.values()]
    for place, kind in enumerate(dict.fromkeys(names)):
        chosen = [k for k, one in enumerate(names) if one == kind]
        figure.add_scatter(
            x=frame.points[chosen, 0],
            y=frame.points[chosen, 1],
            mode="text",
            text=[plain(labels[k]) if fits[k] else "·" for k in chosen],
            name=kind,
            customdata=[
                f"{plain(labels[k])} ({kind}); nearest: "
                + " ".join(plain(labels[one]) for one in near[k])
                for k in chosen
            ],
            textfont={"color": colours[place % len(colours)], "size": size},
            hovertemplate="%{customdata}<extra></extra>",
        )
    lay_out(
        figure,
        title=f"Step {frame.step:,}: {frame.spread:.0%} of the spread is in this plane",
        height=_MAP_HIGH,
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "y": -0.02, "x": 0, "yanchor": "top"},
        xaxis={"showticklabels": False},
        yaxis={"showticklabels": False},
    )
    return figure


def without_overlap(points: NDArray[np.float64], labels: Sequence[str], size: int) -> list[bool]:
    """For each label, whether it covers no earlier one where the chart is `_MAP` px large.

    Args:
        points: (V, 2).
        labels: V texts.
        size: px of the letters.
    """
    spread = points.max(axis=0) - points.min(axis=0)
    px = points / np.where(spread > 0, spread, 1) * _MAP
    half = np.array([[len(label) * 0.6 * size / 2 + 1, 0.6 * size] for label in labels])
    drawn: list[int] = []
    for k in range(len(labels)):
        covers = np.abs(px[drawn] - px[k]) < half[drawn] + half[k]
        if not covers.all(axis=1).any():
            drawn.append(k)
    kept = set(drawn)
    return [k in kept for k in range(len(labels))]
