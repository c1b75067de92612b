"""A plotly chart with a text for screen readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import TypeVar

import plotly.graph_objects as go
import streamlit as st

T = TypeVar("T")


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure under this key, with `alt_text` for screen readers."""
    st.plotly_chart(figure, key=key, alt=alt_text(figure))


def alt_text(figure: go.Figure) -> str:
    """`title. y against x.`, without markup; a title is the finding."""
    layout = figure.layout
    title, x, y = (_plain(one.title.text or "") for one in (layout, layout.xaxis, layout.yaxis))
    return f"{title or 'Chart'}." + f" {y} against {x}." * bool(x and y)


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", text)).strip().rstrip(".")


def thinned(points: Sequence[T], most: int) -> list[T]:
    """About `most` points at equal distances, and the last; at least one point is given."""
    every = max(1, len(points) // most)
    return [*points[:-1:every], points[-1]]
