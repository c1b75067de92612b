"""Numbers as coloured cells in a chart: vectors below each other, or attention."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.express as px
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.layout import MARGIN, TEMPLATE, lay_out, plain

WRITTEN = 16  # numbers of a row; up to so many, each cell says its own
TICKS = 32  # labels of an axis; with more, not every one is written


def heat_map(
    values: NDArray[np.float64],
    colours: Sequence[str],
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
    figure = px.imshow(
        values,
        range_color=(-most, most),
        color_continuous_scale=[*colours],
        aspect="auto",
        text_auto=".2f" if len(columns) <= WRITTEN else False,
        labels={"y": axes[0], "x": axes[1], "color": "value"},
        title=plain(title),
        height=110 + min(420, 34 * len(rows)),
        template=TEMPLATE,
    )
    figure.update_coloraxes(showscale=False)
    lay_out(figure, margin=MARGIN)
    for update, labels in ((figure.update_yaxes, rows), (figure.update_xaxes, columns)):
        places = [*range(0, len(labels), -(-len(labels) // TICKS))]
        update(tickvals=places, ticktext=[plain(labels[k]) for k in places], tickangle=0)
    return figure
