"""A plotly chart with a text for screen readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any, TypeVar

import plotly.graph_objects as go
import streamlit as st

from embviz.request.markdown import literal

T = TypeVar("T")
MAX_NAMES = 8  # curves that the text names


def chart(figure: go.Figure, key: str, picks: bool = False) -> None:
    """Draw a figure, with `alt_text` for screen readers.

    Args:
        figure: the chart.
        key: its name.
        picks: whether the numbers of a point that is clicked or tapped stand below the chart.
    """
    more: dict[str, Any] = {"on_select": "rerun", "selection_mode": "points"} if picks else {}
    event: Any = st.plotly_chart(figure, key=key, alt=alt_text(figure), **more)
    if picks:
        said = picked(figure, event["selection"].get("points", ()))
        st.caption(literal(said) if said else "Press a point.")


def picked(figure: go.Figure, points: Sequence[Any]) -> str:
    """What a hover says of the first point that was clicked; empty where it is no longer there."""
    try:
        point = points[0]
        trace = figure.data[point["curve_number"]]
        place = point["point_index"]
        for texts in (trace.hovertext, trace.customdata):
            if texts is not None and not isinstance(texts, str):
                return "; ".join(map(_plain, str(texts[place]).split("<br>")))
        name = f"{_plain(trace.name)}: " if trace.name else ""
        return f"{name}{_written(trace.x[place])}, {_written(trace.y[place])}"
    except (LookupError, TypeError):  # a forged message, or another chart than the clicked one
        return ""


def _written(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:,.6g}"


def alt_text(figure: go.Figure) -> str:
    """`title. y against x. Curves: a, b.`, without markup."""
    layout = figure.layout
    parts = [_plain(layout.title.text or "Chart")]
    x, y = _plain(layout.xaxis.title.text or ""), _plain(layout.yaxis.title.text or "")
    if x and y:
        parts.append(f"{y} against {x}")
    names = list(dict.fromkeys(_plain(trace.name) for trace in figure.data if trace.name))
    if names:
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        parts.append(f"Curves: {', '.join(names[:MAX_NAMES])}{more}")
    return ". ".join(parts) + "."


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", text)).strip().rstrip(".")


def thinned(points: Sequence[T], most: int) -> list[T]:
    """About `most` points at equal distances, and the last; at least one point is given."""
    every = max(1, len(points) // most)
    return [*points[:-1:every], points[-1]]
