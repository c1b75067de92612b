"""Charts of context: cosines of a text's vectors, attention, and a word layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.grid import Grid, largest, numbers
from embviz.figures.layout import lay_out, new_figure

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
