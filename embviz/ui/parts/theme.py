"""The colours of the theme in use, light or dark, from `.streamlit/config.toml`."""

from __future__ import annotations

import streamlit as st


def chart_colours() -> list[str]:
    """The colours of lookup and matmul, a neutral one, and further ones."""
    return _option("chartCategoricalColors")


def diverging_colours() -> list[str]:
    """The colours of values, from most negative to most positive."""
    return _option("chartDivergingColors")


def css_colour(name: str) -> str:
    """A theme option as a CSS colour for `st.html`, where Streamlit sets no `--st-*` variables.

    The browser chooses the light or the dark value: `light-dark(#a3242b, #ff9d9d)`.
    """
    light, dark = (st.get_option(f"theme.{shade}.{name}") for shade in ("light", "dark"))
    return f"light-dark({light}, {dark})"


def style_sheet(css: str, **options: str) -> str:
    """CSS for `st.html` in which each of these words is the colour of a theme option."""
    for word, name in options.items():
        css = css.replace(word, css_colour(name))
    return f"<style>{css}</style>"


def _option(name: str) -> list[str]:
    shade = "dark" if st.context.theme.type == "dark" else "light"
    return list(st.get_option(f"theme.{shade}.{name}"))
