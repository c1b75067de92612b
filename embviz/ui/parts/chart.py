"""A plotly chart with a text for screen readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import TypeVar

import plotly.graph_objects as go
import streamlit as st

T = TypeVar("T")
MAX_NAMES = 8  # curves that the text names


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure under this key, with `alt_text` for screen readers."""
    st.plotly_chart(figure, key=key, alt=alt_text(figure))


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
