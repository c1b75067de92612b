"""The chart of one word in several sentences, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.layout import lay_out, new_figure, plain

_DASHES = ("solid", "dash", "dot", "dashdot")


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
    figure = new_figure()
    places = [*range(len(cosines))]
    for k, name in enumerate(names):
        figure.add_scatter(
            x=places,
            y=cosines[:, k],
            name=name,
            mode="lines+markers",
            line={"color": colours[k % len(colours)], "dash": _DASHES[k % len(_DASHES)]},
            hovertemplate=f"{name}, %{{x}}: %{{y:.4f}}<extra></extra>",
        )
    layers = ["row", "+ place", *map(str, places[1:-1])]
    lay_out(
        figure,
        title=plain(title),
        height=380,
        margin={"l": 46, "r": 8, "t": 44, "b": 46},
        xaxis={"title": "layer", "tickvals": places, "ticktext": layers, "tickangle": 0},
        yaxis={"title": "cosine"},
        legend={"orientation": "h", "y": -0.25, "x": 0},
    )
    return figure
