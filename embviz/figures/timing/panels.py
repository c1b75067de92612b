"""Small multiples: one sweep on more machines than a chart has dashes, in a panel for each machine.

All panels have the axes, the title and the legend that one chart of all machines would have.
Nothing is compared here.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from html import escape
from typing import Any

import plotly.graph_objects as go

from embviz.figures.layout import lay_out, new_figure
from embviz.figures.timing.curves import DASHES, Plot
from embviz.figures.timing.layout import name_once

WIDE, FEW, MANY = 8, 2, 4  # up to so many machines the panels are in two columns, else in four
PANEL, NAME = 200, 54  # px of a panel with the name above it, and of the name and the ticks
ABOVE = 16  # px between the title and the first names
BELOW = 60  # px between the lowest panel and the legend: ticks and the title of the axis


def in_panels(plot: Plot, draw: Callable[[Plot], go.Figure]) -> go.Figure:
    """`draw(plot)`, or a panel for each machine where they are too many for one chart."""
    if len(plot.machines) <= len(DASHES):
        return draw(plot)
    names, found = plot.machines, {run.name: run for run in plot.runs}
    plots = [
        Plot([found[one]] if one in found else [], plot.colours, plot.planned, machines=[one])
        for one in names
    ]
    together = copy(plot)
    together.key = max((one.key for one in plots), key=len)
    whole, figure = draw(together), new_figure()
    columns = FEW if len(names) <= WIDE else MANY
    rows = -(-len(names) // columns)
    axes, notes = dict[str, Any](), []
    for place, name in enumerate(names):
        row, column = divmod(place, columns)
        number = str(place + 1) if place else ""
        axes_of = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        # Without any trace plotly would not draw the axes of a machine that waits.
        figure.add_scatter(x=[None], y=[None], showlegend=False, **axes_of)
        for trace in draw(plots[place]).data:
            figure.add_trace(trace.update(**axes_of))
        left, top = column / columns, 1 - row / rows
        place_x = {"domain": [left, left + 0.9 / columns], "anchor": f"y{number}"}
        place_y = {"domain": [top - (1 - NAME / PANEL) / rows, top], "anchor": f"x{number}"}
        lowest = place + columns >= len(names)
        axes[f"xaxis{number}"] = _axis(whole.layout.xaxis, lowest and not column, True) | place_x
        axes[f"yaxis{number}"] = _axis(whole.layout.yaxis, not column, not column) | place_y
        notes.append(_note(plot, name, name in found, left, top))
    area, given = rows * PANEL, whole.layout
    margin = given.margin.to_plotly_json() | {"t": given.margin.t + ABOVE}
    height = area + margin["t"] + margin["b"] + 9 * max(0, name_once(figure) - 4)
    lay_out(
        figure,
        title=given.title,
        hovermode=given.hovermode,
        hoverlabel=given.hoverlabel,
        margin=margin,
        legend=given.legend.to_plotly_json() | {"y": (NAME / rows - BELOW) / area},
        annotations=notes,
        height=height,
        **axes,
    )
    figure.layout.title.y = 1 - (1 - given.title.y) * given.height / height
    return figure


def _axis(given: Any, titled: bool, ticks: bool) -> dict[str, Any]:
    axis: dict[str, Any] = given.to_plotly_json() | {"showticklabels": ticks}
    return axis if titled else axis | {"title": {"text": ""}}


def _note(plot: Plot, name: str, measured: bool, left: float, top: float) -> dict[str, Any]:
    """The machine's name above its panel."""
    without = "" if measured or plot.live else ": no times"
    return {
        "text": f"<b>{escape(name, quote=False)}</b>{without}",
        "x": left,
        "y": top,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }
