"""Charts of context: cosines of a text's vectors, attention, and vectors by what follows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.grid import Grid, largest, numbers
from embviz.figures.layout import LEGEND_ABOVE, lay_out, new_figure, plain

MAX_TICKS = 26  # characters that an axis can name
WRITTEN = 8  # up to so many rows, cells show their numbers
_MARGIN = {"l": 46, "r": 8, "t": 44, "b": 46}


def similarity_grid(
    cosines: NDArray[np.float64], labels: Sequence[str], title: str, of: str = "position"
) -> Grid:
    """The cosine of every two vectors; 1 and -1 have the two strongest colours.

    Args:
        cosines: (N, N).
        labels: N names, such as the characters of a text.
        title: the finding.
        of: the name of both axes.
    """
    cell = "{i} and {j}: {row}, {column}\ncosine {value}"
    return _square(cosines, labels, title, (of, of), (-1.0, 1.0), cell)


def attention_grid(weights: NDArray[np.float64], labels: Sequence[str], title: str) -> Grid:
    """The attention: one line for each position, whose weights sum to 1.

    Args:
        weights: (N, N).
        labels: N characters.
        title: the finding.
    """
    cell = "{i} {row} looks at {j} {column}:\nweight {value}"
    return _square(weights, labels, title, ("looks", "is looked at"), (0.0, largest(weights)), cell)


def _square(
    values: NDArray[np.float64],
    labels: Sequence[str],
    title: str,
    axes: tuple[str, str],
    ends: tuple[float, float],
    cell: str,
) -> Grid:
    count = len(labels)
    return Grid(
        title,
        values,
        labels,
        labels,
        axes,
        ends,
        cell,
        digits=4,
        written=2 if count <= WRITTEN else None,
        ticks=None if count <= MAX_TICKS else numbers(count),
    )


def steps_grid(vectors: NDArray[np.float64], names: Sequence[str], title: str) -> Grid:
    """One character's vectors in the stack: a line for each step.

    Args:
        vectors: (S, D).
        names: S steps.
        title: the finding.
    """
    limit = largest(vectors)
    dims = numbers(vectors.shape[1])
    cell = "{row}, dimension {column}: {value}"
    return Grid(title, vectors, names, dims, ("", "dimension"), (-limit, limit), cell, row_px=34)


def learning_figure(
    steps: Sequence[int],
    losses: Sequence[float],
    held_out: Sequence[tuple[int, float]],
    bigram: float,
    title: str,
    colours: Sequence[str],
) -> go.Figure:
    """The small transformer's loss on its batches and on the held-out text.

    Args:
        steps: of each training loss.
        losses: of the batches, nats a character.
        held_out: steps and losses on the held-out text.
        bigram: the bigram model's loss on that text.
        title: the finding.
        colours: the transformer's, another one, a neutral one.
    """
    figure = new_figure()
    figure.add_scatter(
        x=list(steps),
        y=list(losses),
        mode="lines",
        name="batches",
        line={"color": colours[2], "width": 1},
        opacity=0.6,
    )
    figure.add_scatter(
        x=[step for step, _ in held_out],
        y=[loss for _, loss in held_out],
        mode="lines+markers",
        name="held-out text",
        line={"color": colours[0], "width": 2},
    )
    figure.add_hline(
        y=bigram,
        line={"color": colours[1], "dash": "dot"},
        annotation_text=f"bigram model, held-out: {bigram:.3f}",
        annotation_position="bottom right",
    )
    lay_out(
        figure,
        title=title,
        height=360,
        margin=_MARGIN,
        xaxis={"title": "step"},
        yaxis={"title": "loss, nats a character"},
        legend=LEGEND_ABOVE,
    )
    return figure


def places_figure(
    points: NDArray[np.float64],
    groups: Sequence[str],
    words: Sequence[str],
    title: str,
    colours: Sequence[str],
) -> go.Figure:
    """One letter at many places: a point for each place, marked by what follows.

    Args:
        points: (N, 2).
        groups: N names, the next character.
        words: N texts around the places.
        title: the finding.
        colours: of the groups, repeated in order.
    """
    symbols = ("circle", "square", "diamond", "cross", "x", "triangle-up")
    figure = new_figure()
    for place, group in enumerate(dict.fromkeys(groups)):
        chosen = [k for k, one in enumerate(groups) if one == group]
        figure.add_scatter(
            x=points[chosen, 0],
            y=points[chosen, 1],
            mode="markers",
            name=plain(group),
            marker={
                "color": colours[place % len(colours)],
                "symbol": symbols[place % len(symbols)],
                "size": 9,
            },
            customdata=[plain(words[k]) for k in chosen],
            hovertemplate="%{customdata}<extra></extra>",
        )
    lay_out(
        figure,
        title=title,
        height=360,
        margin=_MARGIN,
        xaxis={"title": "first axis"},
        yaxis={"title": "second axis"},
        legend={"orientation": "h", "y": -0.2, "x": 0, "title": {"text": "before: "}},
    )
    return figure


def layers_figure(
    cosines: NDArray[np.float64], names: Sequence[str], title: str, colours: Sequence[str]
) -> go.Figure:
    """The cosine of one word in every two sentences, layer by layer.

    Args:
        cosines: (L, P), one column for each pair.
        names: P pairs, such as `1 and 2`.
        title: the finding.
        colours: of the pairs, repeated in order.
    """
    dashes = ("solid", "dash", "dot", "dashdot")
    figure = new_figure()
    layers = ["row", "+ place", *map(str, range(1, len(cosines) - 1))]
    for place, name in enumerate(names):
        figure.add_scatter(
            x=list(range(len(cosines))),
            y=cosines[:, place],
            name=name,
            mode="lines+markers",
            line={
                "color": colours[place % len(colours)],
                "dash": dashes[place // len(colours) % len(dashes)],
            },
            hovertemplate=f"{name}, %{{x}}: %{{y:.4f}}<extra></extra>",
        )
    lay_out(
        figure,
        title=title,
        height=380,
        margin=_MARGIN,
        xaxis={
            "title": "layer",
            "tickvals": list(range(len(cosines))),
            "ticktext": layers,
            "tickangle": 0,
        },
        yaxis={"title": "cosine"},
        legend={"orientation": "h", "y": -0.25, "x": 0},
    )
    return figure
