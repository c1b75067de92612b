"""Numbers as coloured cells in a chart: vectors below each other, or attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.picture.layout import MARGIN, lay_out, new_figure, plain, wrapped

WRITTEN = 16  # numbers of a row; up to so many, each cell that has room says its own
TICKS = 32  # labels of an axis; with more, not every one is written


def heat_map(
    values: NDArray[np.float64],
    colours: Sequence[str],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    axes: tuple[str, str],
    most: float = 0.0,
) -> go.Figure:
    """A chart of cells, the first row on top.

    Args:
        values: (R, C).
        colours: from the most negative value to the most positive; 0 is in the middle.
        rows: R labels.
        columns: C labels; two may be the same.
        title: the finding.
        axes: names of the rows and of the columns.
        most: value of the last colour; 0 takes the largest |value|.
    """
    most = most or float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    cells = go.Heatmap(
        z=values,
        zmin=-most,
        zmax=most,
        colorscale=[*colours],
        showscale=False,
        texttemplate="%{z:.2f}" if len(columns) <= WRITTEN else None,
        hovertemplate=f"{axes[1]}: %{{x}}<br>{axes[0]}: %{{y}}<br>value: %{{z}}<extra></extra>",
    )
    figure = new_figure(cells)
    lay_out(
        figure,
        title=wrapped(title),
        height=120 + min(420, 34 * len(rows)),
        margin=MARGIN | {"t": 54},  # for a title of two lines
        xaxis=_axis(axes[1], columns),
        yaxis=_axis(axes[0], rows) | {"autorange": "reversed"},
    )
    return figure


def _axis(title: str, labels: Sequence[str]) -> dict[str, Any]:
    places = [*range(0, len(labels), -(-len(labels) // TICKS))]
    texts = [plain(labels[k]) for k in places]
    return {"title": title, "tickvals": places, "ticktext": texts, "tickangle": 0}
