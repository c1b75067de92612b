"""The colours of the theme in use, light or dark, from `.streamlit/config.toml`."""

from __future__ import annotations

import re
from functools import lru_cache

import streamlit as st

SHADES = "light", "dark"
# Words in the style sheets of the frame, and the theme options that have their colours.
COLOURS = {
    "PAGE_COLOUR": "backgroundColor",
    "BAR_COLOUR": "secondaryBackgroundColor",
    "INK_COLOUR": "textColor",
    "ACCENT_COLOUR": "primaryColor",
    "GREY_COLOUR": "grayTextColor",
    "GREEN_COLOUR": "greenTextColor",
    "BLUE_COLOUR": "blueTextColor",
    "HREF_COLOUR": "linkColor",
    "BORDER_COLOUR": "borderColor",
}


def chart_colours() -> list[str]:
    """The colours of lookup and matmul, a neutral one, and further ones."""
    return _option("chartCategoricalColors")


@lru_cache(8)  # The shell asks in each rerun, and making one takes 1 ms.
def style_sheet(css: str, **options: str) -> str:
    """CSS for `st.html`, where Streamlit sets no `--st-*` variables.

    Each of these words is the colour of a theme option, `light-dark(#a3242b, #ff9d9d)`: the browser
    chooses one.
    """
    for word, name in options.items():
        light, dark = (st.get_option(f"theme.{shade}.{name}") for shade in SHADES)
        css = re.sub(rf"\b{word}\b", f"light-dark({light}, {dark})", css)
    return f"<style>{css}</style>"


def both_chart_colours() -> list[list[str]]:
    """The `chart_colours` of the light and of the dark theme."""
    return [list(st.get_option(f"theme.{shade}.chartCategoricalColors")) for shade in SHADES]


def _option(name: str) -> list[str]:
    shade = "dark" if st.context.theme.type == "dark" else "light"
    return list(st.get_option(f"theme.{shade}.{name}"))
