"""A plotly chart with a text for screen readers."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from embviz.picture.layout import alt_text, enlarged
from embviz.ui.state.address import setting


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure under this key, with `alt_text` for screen readers; larger on a projector."""
    shown = enlarged(figure) if setting("projector") else figure
    st.plotly_chart(shown, key=key, alt=alt_text(figure))
