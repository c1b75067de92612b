"""The theme's colours for charts: from `.streamlit/config.toml`, for light or dark."""

from __future__ import annotations

import streamlit as st


def chart_colours() -> list[str]:
    """Lookup's colour, matmul's, a neutral one, and further ones, for the theme in use."""
    shade = "dark" if st.context.theme.type == "dark" else "light"
    colours: list[str] = st.get_option(f"theme.{shade}.chartCategoricalColors")
    return colours


def diverging_colours() -> list[str]:
    """The colours of values, from the most negative to the most positive."""
    shade = "dark" if st.context.theme.type == "dark" else "light"
    colours: list[str] = st.get_option(f"theme.{shade}.chartDivergingColors")
    return colours


def ground() -> str:
    """The colour of the page itself."""
    shade = "dark" if st.context.theme.type == "dark" else "light"
    colour: str = st.get_option(f"theme.{shade}.backgroundColor")
    return colour
