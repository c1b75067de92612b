"""Numbers as coloured cells in a chart: vectors below each other, attention, cosines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.layout import lay_out, new_figure, plain

WRITTEN = 16  # numbers of a row; up to so many, each cell says its own
TICKS = 32  # labels of an axis; with more, not every one is written


def heat_map(
    values: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    colours: Sequence[str],
    axes: tuple[str, str] = ("", ""),
) -> go.Figure:
    """A chart of cells, the first row on top.

    Args:
        values: (R, C).
        rows: R labels.
        columns: C labels; two may be the same.
        title: the finding.
        colours: from the most negative value to the most positive; 0 is in the middle.
        axes: names of the rows and of the columns.
    """
    count, wide = values.shape
    most = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    figure = new_figure(
        go.Heatmap(
            z=values,
            zmin=-most,
            zmax=most,
            colorscale=[*colours],
            xgap=1,
            ygap=1,
            texttemplate="%{z:.2f}" if wide <= WRITTEN else None,
            hovertext=[[plain(f"{row}, {column}") for column in columns] for row in rows],
            hovertemplate="%{hovertext}: %{z:.4f}<extra></extra>",
            showscale=False,
        )
    )
    lay_out(
        figure,
        title=plain(title),
        height=110 + min(420, 34 * count),
        margin={"l": 8, "r": 8, "t": 44, "b": 46},
        xaxis=_axis(columns, axes[1]) | {"tickangle": 0},
        yaxis=_axis(rows, axes[0]) | {"autorange": "reversed"},
    )
    return figure


def _axis(labels: Sequence[str], name: str) -> dict[str, object]:
    every = -(-len(labels) // TICKS)
    places = [*range(0, len(labels), every)]
    texts = [plain(labels[k]) for k in places]
    return {
        "title": name,
        "tickvals": places,
        "ticktext": texts,
        "showgrid": False,
        "automargin": True,
    }
