"""A plotly chart with a text for screen readers."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from embviz.figures.layout import alt_text


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure under this key, with `alt_text` for screen readers."""
    st.plotly_chart(figure, key=key, alt=alt_text(figure))
