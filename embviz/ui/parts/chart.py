"""A chart with its words: what it shows, for those who do not see it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import TypeVar

import plotly.graph_objects as go
import streamlit as st

T = TypeVar("T")
MAX_NAMES = 8  # of curves that are read out


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure under a key that stays, with its title, axes and curves as `alt` text."""
    st.plotly_chart(figure, key=key, alt=words(figure))


def words(figure: go.Figure) -> str:
    """`title. y against x. Curves: a, b.`, without markup."""
    layout = figure.layout
    said = [_plain(layout.title.text or "Chart")]
    x, y = _plain(layout.xaxis.title.text or ""), _plain(layout.yaxis.title.text or "")
    if x and y:
        said.append(f"{y} against {x}")
    names = list(dict.fromkeys(_plain(trace.name) for trace in figure.data if trace.name))
    if names:
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        said.append(f"Curves: {', '.join(names[:MAX_NAMES])}{more}")
    return ". ".join(said) + "."


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", text)).strip().rstrip(".")


def thinned(points: Sequence[T], most: int) -> list[T]:
    """About `most` points at equal distances, and the last; at least one point is given."""
    every = max(1, len(points) // most)
    return [*points[:-1:every], points[-1]]
