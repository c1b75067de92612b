"""The common parts of charts: a new figure, its layout, labels, and its text for screen readers.

It avoids four slow ways of plotly: plotly express, which takes several times as long; a template of
colour scales, which is copied and checked for each figure; names such as `xaxis_title`; and
`update_layout`, which merges key by key.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

# Plotly asks for pandas while it makes a template, and fails on one that another thread is just
# importing.
import pandas  # noqa: F401
import plotly.graph_objects as go

MARGIN = {"l": 46, "r": 8, "t": 44, "b": 46}  # px
PROJECTED = 1.4  # Times as large are charts on a projector.
# Streamlit's theme for charts fills the layout of the template, if it is there and not empty. Its
# own template holds colours besides; the traces here have colours of their own.
TEMPLATE = go.layout.Template(
    layout={"hovermode": "closest"}, data={"scatter": [{"marker": {"line": {"width": 0}}}]}
)


def plain(text: str) -> str:
    """A label that plotly does not read as markup."""
    return escape(text, quote=False)


def new_figure(*traces: Any) -> go.Figure:
    """A figure with these traces and a small template."""
    return go.Figure(traces, layout={"template": TEMPLATE})


def lay_out(figure: go.Figure, **parts: Any) -> None:
    """Set these parts of the layout; each replaces what the figure had there.

    Args:
        figure: gets them.
        parts: by the names of the layout, such as `xaxis={"title": "step"}`.
    """
    for name, value in parts.items():
        figure.layout[name] = value


def enlarged(figure: go.Figure) -> go.Figure:
    """A copy of a figure for a projector: type, height, margins are `PROJECTED` times as large."""
    larger = go.Figure(figure)
    layout = larger.layout
    layout.height = round((layout.height or 450) * PROJECTED)
    margin = {side: size for side in "lrtb" if (size := layout.margin[side]) is not None}
    layout.margin = {side: round(size * PROJECTED) for side, size in (MARGIN | margin).items()}
    for font in (layout.font, layout.title.font, layout.legend.font):
        font.size = round((font.size or 13) * PROJECTED)
    for axis in (*larger.select_xaxes(), *larger.select_yaxes()):
        axis.tickfont.size = round((axis.tickfont.size or 12) * PROJECTED)
        axis.title.font.size = round((axis.title.font.size or 13) * PROJECTED)
    for annotation in larger.select_annotations():
        annotation.font.size = round((annotation.font.size or 12) * PROJECTED)
    return larger


def alt_text(figure: go.Figure) -> str:
    """`title. y against x.`, without markup; a title is the finding."""
    layout = figure.layout
    title, x, y = (_plain(part.title.text or "") for part in (layout, layout.xaxis, layout.yaxis))
    axes = f" {y} against {x}." if x and y else ""
    return f"{title or 'Chart'}.{axes}"


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", text)).strip().rstrip(".")
