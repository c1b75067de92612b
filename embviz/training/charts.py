"""Charts of training: losses with the routes' difference, and the map of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.picture.layout import lay_out, new_figure, plain
from embviz.text.wording import visible
from embviz.training.sizes import DIMS, Sizes
from embviz.training.training import Point
from embviz.training.writing import Frame, Writing

_MAP = np.array([420, 330])  # px between the outermost rows, in a window of 1,280 px
# What the labels of characters without ink stand for.
_MARKS = {" ": "a space", "\n": "a line break", "\t": "a tab"}
_FEW = 120  # labels that can be large without hiding each other


def training_figure(
    points: Sequence[Point], colours: Sequence[str], limit: float | None = None, start: str = ""
) -> go.Figure:
    """Both routes' losses; below them the largest |difference| of their weights, if there is one.

    Args:
        points: one or more of the history.
        colours: lookup's, matmul's, a neutral one.
        limit: a line, the bigram limit.
        start: what the numbers are at the start, in a few words.
    """
    steps, lookup, matmul, apart, _ = zip(*points, strict=True)
    lookup_line = {"color": colours[0], "width": 4}
    # The second line is dashed, because it lies on the first.
    matmul_line = {"color": colours[1], "width": 2, "dash": "dash"}
    figure, mode = new_figure(), "lines" if len(points) > 1 else "markers"
    figure.add_scatter(x=steps, y=lookup, name="nn.Embedding (lookup)", mode=mode, line=lookup_line)
    figure.add_scatter(x=steps, y=matmul, name="nn.Linear (matmul)", mode=mode, line=matmul_line)
    if limit is not None:
        line = {"color": colours[2], "dash": "dot"}
        figure.add_hline(
            limit,
            line=line,
            annotation_text=f"limit {limit:.3f}",
            annotation_position="bottom right",
        )
    lay_out(
        figure,
        title=f"Loss {lookup[0]:.3g}"
        + (f" ({start})" if start else "")
        + (f" → {lookup[-1]:.3g}" if len(points) > 1 else ""),
        height=434,
        margin={"l": 64, "r": 10, "t": 44, "b": 88},
        # Above the chart its two lines on a phone would stand on the title.
        legend={"orientation": "h", "yanchor": "top", "y": -0.17, "x": 0},
        xaxis={"title": "step", "rangemode": "tozero"},
        yaxis={"title": "loss of the whole text", "rangemode": "tozero"},
    )
    if most := max(apart):
        _add_apart(figure, steps, apart, most, colours[2])
    return figure


def _add_apart(
    figure: go.Figure, steps: Sequence[int], apart: Sequence[float], most: float, colour: str
) -> None:
    """The difference of both weights, below the losses; the chart is as high as without it."""
    figure.add_scatter(
        x=steps, y=apart, mode="lines+markers", marker_size=4, showlegend=False, yaxis="y2"
    )
    figure.data[-1].line.color = colour
    figure.layout.xaxis.anchor = "y2"
    figure.layout.yaxis.domain = [0.45, 1]
    lay_out(
        figure,
        yaxis2={
            "title": "weights apart",
            "domain": [0, 0.35],
            "range": [-0.1 * most, 1.1 * most],
            "nticks": 4,
            "exponentformat": "power",
        },
    )


def sizes_figure(sizes: Sizes, colours: Sequence[str]) -> go.Figure:
    """The loss against D, at the last step and at the first measured one.

    The axis of the loss ends at its value after the first measured steps, so that it stays as it is
    while the models train.

    Args:
        sizes: the models.
        colours: lookup's, matmul's, a neutral one.
    """
    figure, last, places = new_figure(), sizes.points[-1], [*range(len(DIMS))]
    first = sizes.points[:2][-1]
    if last is not first:
        figure.add_scatter(
            x=places,
            y=first.losses,
            name=f"step {first.step:,}",
            mode="lines+markers",
            line={"color": colours[2], "width": 1, "dash": "dot"},
            marker={"size": 4},
        )
        figure.add_annotation(
            x=places[0],
            y=first.losses[0],
            text=f"step {first.step:,}",
            showarrow=False,
            xanchor="left",
            xshift=8,
            yshift=8,
        )
    figure.add_scatter(
        x=places,
        y=last.losses,
        name=f"step {last.step:,}",
        mode="lines+markers+text",
        line={"color": colours[0], "width": 4},
        marker={"size": 10},
        text=[f"{loss:.2f}" for loss in last.losses],
        textposition="top center",
        textfont={"size": 14, "color": colours[0]},
    )
    top = max(first.losses)
    figure.add_hline(
        sizes.limit,
        line={"color": colours[2], "dash": "dash"},
        annotation_text=f"{sizes.limit:.2f}: least loss of a model that sees one character",
        annotation_position="bottom right",
    )
    room = 0.12 * (top - sizes.limit)
    lay_out(
        figure,
        title=_sizes_title(sizes),
        height=400,
        showlegend=False,
        margin={"l": 64, "r": 16, "t": 50, "b": 62},
        xaxis={
            "title": "D, and the numbers of its table",
            "tickvals": places,
            "ticktext": [f"<b>{dim}</b><br>{sizes.rows * dim:,}" for dim in DIMS],
            "range": [-0.55, len(DIMS) - 0.5],
        },
        yaxis={"title": "loss", "range": [sizes.limit - 1.2 * room, top + room]},
    )
    return figure


def _sizes_title(sizes: Sizes) -> str:
    last = sizes.points[-1]
    title = f"Step {last.step:,}: loss {last.losses[0]:.2f} with D = {DIMS[0]}, "
    return f"{title}{last.losses[-1]:.2f} with D = {DIMS[-1]}"


def map_figure(writing: Writing, frame: Frame, colours: Sequence[str]) -> go.Figure:
    """The rows on a plane, each drawn as its character or piece, coloured by kind.

    A label that would cover an earlier one is a ring. A hover names the nearest rows.
    """
    names = [writing.vocabulary.label(token) for token in writing.shown]
    size = 14 if len(names) <= _FEW else 11
    fits, labels = without_overlap(frame.points, names, size), [*map(plain, names)]
    kinds = np.array([*writing.shown.values()])
    says = [
        f"{label} ({kind}); nearest: {' '.join(labels[k] for k in others)}"
        for label, kind, others in zip(labels, kinds, frame.near, strict=True)
    ]
    texts = np.where(fits, labels, "◦")
    figure = new_figure(
        *(
            go.Scatter(
                x=frame.points[kinds == kind, 0],
                y=frame.points[kinds == kind, 1],
                text=texts[kinds == kind],
                hovertext=np.array(says)[kinds == kind],
                hovertemplate="%{hovertext}<extra></extra>",
                mode="text",
                textfont={"color": colour, "size": size},
                name=str(kind),
                showlegend=True,
            )
            for kind, colour in zip(dict.fromkeys(kinds), cycle(colours), strict=False)
        )
    )
    marks = [f"{visible(mark)} {name}" for mark, name in _MARKS.items() if visible(mark) in texts]
    if not all(fits):
        marks.append("◦ a row with no room for its name")
    title = f"Step {frame.step:,}: each mark is a row<br><sup>{'; '.join(marks)}</sup>"
    lay_out(
        figure,
        title=title,
        height=410,
        margin={"l": 10, "r": 10, "t": 60, "b": 60},
        legend={
            "orientation": "h",
            "yref": "container",
            "y": 0.02,
            "yanchor": "bottom",
            "title": "",
        },
        xaxis={"showticklabels": False},
        yaxis={"showticklabels": False, "showgrid": False, "zeroline": False},
    )
    return figure


def without_overlap(points: NDArray[np.float64], labels: Sequence[str], size: int) -> list[bool]:
    """Whether each label covers no earlier one, in a chart that is `_MAP` px large.

    Args:
        points: (V, 2).
        labels: V texts.
        size: px of the letters.
    """
    spread = np.ptp(points, axis=0)
    px_at = points / np.where(spread > 0, spread, 1) * _MAP
    half = np.array([[len(label) * 0.6 * size / 2 + 1, 0.6 * size] for label in labels])
    fits = np.zeros(len(labels), dtype=bool)
    for k in range(len(labels)):
        covers = np.abs(px_at[fits] - px_at[k]) < half[fits] + half[k]
        fits[k] = not covers.all(axis=1).any()
    return fits.tolist()
