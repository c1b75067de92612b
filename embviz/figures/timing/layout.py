"""The layout of the charts of timing runs: title, key, legend, margins and height.

Title and key wrap to a phone's width. No trace is added or moved here. Colours of text and grid are
left to the template; a report, which has no theme, sets them with `colour`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from embviz.figures.layout import lay_out
from embviz.figures.timing.curves import Plot

HEIGHT = {
    "time": 420,
    "speedup": 330,
    "memory": 330,
    "bandwidth": 360,
    "roofline": 360,
}  # px, with up to four legend entries
TITLE_WIDTH = 48  # characters of a line at 390 px
KEY_WIDTH = 54  # the same, in the smaller print below


def finish(
    figure: go.Figure,
    plot: Plot,
    chart: str,
    title: str,
    y_axis: dict[str, Any],
    x_axis: dict[str, Any] | None = None,
    key: Sequence[str] | None = None,
) -> go.Figure:
    """The same figure, with everything around its traces.

    Args:
        figure: its traces are complete.
        plot: of the horizontal axis, the note and the key.
        chart: a key of HEIGHT.
        title: plain text.
        y_axis: title, range and ticks of the vertical axis, which is logarithmic.
        x_axis: instead of the plot's.
        key: instead of the plot's.
    """
    broken = title_lines(escape(title, quote=False))
    key = _packed([*filter(None, [plot.note]), *(plot.key if key is None else key)])
    height = HEIGHT[chart] + 9 * max(0, name_once(figure) - 4) + 16 * len(key)
    lay_out(
        figure,
        title=_title(broken, key, height),
        height=height,
        hovermode="closest",
        margin={"l": 66, "r": 12, "t": 20 + 18 * len(broken) + 16 * len(key), "b": 40},
        legend={
            "orientation": "h",
            "yanchor": "top",
            "y": -0.2 if chart == "time" else -0.28,
            "x": 0,
            "xanchor": "left",
            "font": {"size": 12},
            "title": {"text": ""},
            "groupclick": "togglegroup",
            "tracegroupgap": 0,
        },
        xaxis={**(x_axis or plot.x_axis()), "zeroline": False},
        yaxis={**y_axis, "type": "log", "zeroline": False},
        hoverlabel={"align": "left"},
    )
    return figure


def colour(figure: go.Figure, text: str, grid: str) -> None:
    """Set the colours of titles, legend and ticks (`text`) and of the grid lines."""
    figure.update_layout(font_color=text, title_font_color=text, legend_font_color=text)
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickfont_color=text, title_font_color=text, gridcolor=grid)


def name_once(figure: go.Figure) -> int:
    """Show each name once in the legend; returns how many there are."""
    named: set[str] = set()
    for trace in figure.data:
        if trace.showlegend is not False:
            trace.showlegend = trace.name not in named
            named.add(trace.name)
    return len(named)


def _title(broken: list[str], key: list[str], height: int) -> dict[str, Any]:
    """The title with the key below it, its first line at a fixed distance from the top."""
    small = f'<span style="font-size:12px;font-weight:400">{"<br>".join(key)}</span>'
    return {
        "text": "<br>".join([*broken, *([small] if key else [])]),
        "font": {"size": 14},
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "pad": {"l": 8},
        "y": 1 - 20 / height,
        "yref": "container",
        "yanchor": "bottom",
    }


def title_lines(title: str) -> list[str]:
    """A title in lines, broken at commas where possible, and never before a unit."""
    lines = [""]
    for clause in re.split("(?<=, )", re.sub(r"(\d) (\D)", "\\1\xa0\\2", title)):
        if lines[-1] and len(lines[-1] + clause) > TITLE_WIDTH:
            lines.append("")
        lines[-1] += clause
    wrapped = [textwrap.wrap(line, TITLE_WIDTH, break_on_hyphens=False) for line in lines]
    return [line for part in wrapped for line in part]


def _packed(parts: list[str]) -> list[str]:
    """As many parts to a line as fit: on a phone every line makes the chart smaller."""
    lines: list[str] = []
    for part in parts:
        wrapped = textwrap.wrap(part, KEY_WIDTH)
        if lines and len(lines[-1]) + 3 + len(part) <= KEY_WIDTH:
            wrapped = [f"{lines.pop()}\xa0\xa0 {part}"]
        lines += wrapped
    return lines
