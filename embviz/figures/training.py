"""Charts of training: gradients, losses, the routes' difference, and how far rows move."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.grid import Grid, numbers
from embviz.figures.layout import LEGEND_ABOVE, lay_out, new_figure, plain
from embviz.training.lockstep import Point
from embviz.training.model import Record

_MARGIN = {"l": 64, "r": 10, "t": 50, "b": 48}
_SPACE_HIGH = 380
_SPACE = np.array([380, 220])  # px between the outermost rows, in a window of 1,280 px
_FEW = 120  # labels that can be large without hiding each other


def gradient_grid(
    gradient: NDArray[np.float64], labels: Sequence[str], title: str, limit: float
) -> Grid:
    """The gradient of the looked-up rows as coloured cells.

    Args:
        gradient: (T, D), one line for each looked-up row.
        labels: T names of these rows.
        title: names the gradient.
        limit: |value| of the strongest colour, the same in grids to be compared.
    """
    return Grid(
        title,
        gradient,
        labels,
        numbers(gradient.shape[1]),
        ("row", "dimension"),
        (-limit, limit),
        "row {row}, dimension {column}: {value}",
        row_px=max(9, min(18, 390 // max(1, len(labels)))),
    )


def loss_figure(
    points: Sequence[Point] | Sequence[Record],
    apart: float,
    colours: Sequence[str],
    limit: tuple[str, float] | None = None,
) -> go.Figure:
    """Both routes' losses; the second line is dashed, because it lies on the first.

    Args:
        points: one or more of the steps.
        apart: largest |difference| of the losses over all steps, also those not among `points`.
        colours: lookup's, matmul's, a neutral one.
        limit: name and height of a line, such as the bigram entropy.
    """
    steps = [point.step for point in points]
    lookup = [point.loss_embedding for point in points]
    matmul = [point.loss_linear for point in points]
    figure = new_figure()
    mode = "lines" if len(points) > 1 else "markers"
    figure.add_scatter(
        x=steps, y=lookup, name="nn.Embedding", mode=mode, line={"color": colours[0], "width": 4}
    )
    figure.add_scatter(
        x=steps,
        y=matmul,
        name="one-hot × nn.Linear",
        mode=mode,
        line={"color": colours[1], "width": 2, "dash": "dash"},
    )
    if limit is not None:
        figure.add_hline(
            y=limit[1],
            line={"color": colours[2], "dash": "dot"},
            annotation_text=limit[0],
            annotation_position="bottom right",
        )
    lay_out(
        figure,
        title=_loss_title(lookup, apart),
        height=320,
        margin=_MARGIN,
        xaxis={"title": "step"},
        yaxis={"title": "loss", "rangemode": "tozero"},
        legend=LEGEND_ABOVE,
    )
    return figure


def difference_figure(points: Sequence[Point], title: str, colour: str) -> go.Figure:
    """Max |difference| of the two weights after each step, on a log axis with a place for 0.

    Args:
        points: the steps.
        title: the finding.
        colour: of the line.
    """
    found = [point.max_abs_weight_difference for point in points]
    powers = [math.log10(one) for one in found if one > 0]
    low, high = min([-8, *map(math.floor, powers)]), max([-6, *map(math.ceil, powers)])
    zero = 10.0 ** (low - 1)  # where the axis says 0: no difference is drawn there
    figure = new_figure()
    figure.add_scatter(
        x=[point.step for point in points],
        y=[one or zero for one in found],
        mode="lines+markers",
        line={"color": colour},
        marker={"size": 4},
        customdata=found,
        hovertemplate="step %{x}: %{customdata:.3g}<extra></extra>",
    )
    ticks = range(low, high + 1, max(1, (high - low) // 5))
    lay_out(
        figure,
        title=title,
        height=320,
        margin=_MARGIN,
        xaxis={"title": "step", "rangemode": "tozero"},
        yaxis={
            "title": "max |difference|",
            "type": "log",
            "tickvals": [zero, *(10.0**power for power in ticks)],
            "ticktext": ["0", *(f"10<sup>{power}</sup>" for power in ticks)],
            "range": [low - 1.3, high + 0.3],
        },
    )
    return figure


def drift_figure(
    lookups: Sequence[int],
    distance: Sequence[float],
    labels: Sequence[str],
    title: str,
    colours: Sequence[str],
) -> go.Figure:
    """Rows by how often they were looked up and how far they moved.

    Args:
        lookups: times each row was looked up.
        distance: how far each row moved.
        labels: the rows' names.
        title: the finding.
        colours: of looked-up rows, unused, and of rows never looked up.
    """
    figure = new_figure()
    seen = [count > 0 for count in lookups]
    for name, wanted, colour, mark in (
        ("looked up", True, colours[0], "circle"),
        ("never looked up", False, colours[2], "x"),
    ):
        chosen = [k for k, one in enumerate(seen) if one is wanted]
        figure.add_scatter(
            x=[lookups[k] for k in chosen],
            y=[distance[k] for k in chosen],
            mode="markers",
            name=f"{name} ({len(chosen):,})",
            cliponaxis=False,  # a mark at 0 is drawn whole
            marker={"color": colour, "symbol": mark, "size": 8},
            customdata=[plain(labels[k]) for k in chosen],
            hovertemplate="%{customdata}: %{x} lookups, moved %{y:.4g}<extra></extra>",
        )
    lay_out(
        figure,
        title=title,
        height=260,
        margin=_MARGIN,
        xaxis={"title": "times looked up"},
        yaxis={"title": "distance travelled", "rangemode": "tozero"},
        legend=LEGEND_ABOVE,
    )
    return figure


def moved_figure(moved: Sequence[float], last_lookup: int, title: str, colour: str) -> go.Figure:
    """How far a row moved in each step, and its last lookup.

    Args:
        moved: for each step.
        last_lookup: the last step that looked the row up.
        title: the finding.
        colour: of the line.
    """
    figure = new_figure()
    figure.add_scatter(
        x=list(range(1, len(moved) + 1)),
        y=list(moved),
        mode="lines+markers",
        line={"color": colour},
        marker={"size": 4},
        showlegend=False,
        hovertemplate="step %{x}: moved %{y:.4g}<extra></extra>",
    )
    figure.add_vline(
        x=last_lookup + 0.5, line={"color": colour, "dash": "dot"}, annotation_text="last lookup"
    )
    lay_out(
        figure,
        title=title,
        height=260,
        margin=_MARGIN,
        xaxis={"title": "step"},
        yaxis={"title": "moved in this step", "rangemode": "tozero"},
    )
    return figure


def space_figure(
    points: NDArray[np.float64],
    labels: Sequence[str],
    groups: Sequence[str],
    explained: Sequence[float],
    colours: Sequence[str],
) -> go.Figure:
    """The table's rows in two or three dimensions, each drawn as its character or piece.

    In two dimensions a label that would cover an earlier one is a dot.

    Args:
        points: (V, 2) or (V, 3).
        labels: V visible characters or pieces.
        groups: V names, such as vowel or digit.
        explained: share of the variance along each axis.
        colours: one for each group.
    """
    flat, size = points.shape[1] == 2, 15 if len(labels) <= _FEW else 11
    fits = without_overlap(points, labels, size) if flat else [True] * len(labels)
    figure = new_figure()
    for place, group in enumerate(dict.fromkeys(groups)):
        chosen = [k for k, one in enumerate(groups) if one == group]
        places = {axis: points[chosen, k] for k, axis in enumerate("xyz"[: points.shape[1]])}
        # The text of a chart in 3-D is no markup, and would show `&lt;`.
        shown = [(plain(labels[k]) if flat else labels[k]) if fits[k] else "·" for k in chosen]
        drawn = (go.Scatter if flat else go.Scatter3d)(
            **places,
            mode="text",
            text=shown,
            name=group,
            customdata=[[k, plain(labels[k])] for k in chosen],
            textfont={"color": colours[place % len(colours)], "size": size},
            hovertemplate=f"%{{customdata[1]}} ({group})<extra></extra>",
        )
        figure.add_trace(drawn)
    share, hidden = sum(explained), len(labels) - sum(fits)
    dots = f"; {hidden} labels are dots" if hidden else ""
    lay_out(
        figure,
        title=f"{points.shape[1]} axes: {share:.0%} of the spread{dots}",
        height=_SPACE_HIGH,
        margin={"l": 50, "r": 10, "t": 50, "b": 40},
        legend={"orientation": "h", "y": -0.2, "x": 0},
    )
    if flat:
        figure.update_xaxes(title=f"first axis ({explained[0]:.0%})")
        figure.update_yaxes(title=f"second axis ({explained[1]:.0%})")
    return figure


def without_overlap(points: NDArray[np.float64], labels: Sequence[str], size: int) -> list[bool]:
    """For each label, whether it covers no earlier one where the chart is `_SPACE` px large.

    Args:
        points: (V, 2).
        labels: V texts.
        size: px of the letters.
    """
    spread = points.max(axis=0) - points.min(axis=0)
    px = points / np.where(spread > 0, spread, 1) * _SPACE
    half = np.array([[len(label) * 0.6 * size / 2 + 1, 0.6 * size] for label in labels])
    drawn: list[int] = []
    for k in range(len(labels)):
        covers = np.abs(px[drawn] - px[k]) < half[drawn] + half[k]
        if not covers.all(axis=1).any():
            drawn.append(k)
    kept = set(drawn)
    return [k in kept for k in range(len(labels))]


def _loss_title(lookup: Sequence[float], apart: float) -> str:
    same = "on both routes, to the bit" if apart == 0 else f"routes up to {apart:.1g} apart"
    falls = f" → {lookup[-1]:.3g}" if len(lookup) > 1 else ""
    return f"Loss {lookup[0]:.3g}{falls}, {same}"
