"""The chart of one word in several sentences, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.layout import MARGIN, TEMPLATE, lay_out, plain


def layers_figure(
    cosines: NDArray[np.float64], names: Sequence[str], title: str, colours: Sequence[str]
) -> go.Figure:
    """The cosine of one word in two sentences, layer by layer.

    Args:
        cosines: (L, P), one column for each pair of sentences.
        names: P pairs, such as `1 and 2`.
        title: the finding.
        colours: of the pairs, repeated in order.
    """
    layers = ["row", "+ place", *map(str, range(1, len(cosines) - 1))]
    figure = px.line(
        pd.DataFrame(cosines, layers, names),
        markers=True,
        symbol="variable",
        title=plain(title),
        labels={"index": "layer", "value": "cosine", "variable": "sentences"},
        color_discrete_sequence=[*colours],
        template=TEMPLATE,
    )
    figure.update_xaxes(type="category")  # else the first two are no numbers, and are left out
    lay_out(figure, height=360, margin=MARGIN, showlegend=len(names) > 1)
    return figure
