"""The bar of the tour: the sentence of a stop above its page, and the ways on.

*Back* and *Next* are links, so each stop is an entry of the browser's history. *Leave* changes the
setting `tour` alone: the page stays as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import streamlit as st

from embviz.settings.pages import SETTINGS
from embviz.settings.tour import MINUTES, STOPS
from embviz.ui.elements.theme import COLOURS, style_sheet
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go
from embviz.ui.state.session import session

PRESS = "tour_press"  # Key of the link that begins the tour, or goes on with it.
CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def draw() -> None:
    """Draw the bar of the stop that the address names, if it is one of the page shown."""
    number, last = setting("tour"), len(STOPS)
    if STOPS[number - 1].page != session().page:
        return
    st.html(style_sheet(CSS, **COLOURS))
    with st.container(key="tour", horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(key="tour_number", width="content"):
            st.markdown(f"{number} of {last}")
        with st.container(key="tour_sentence"):
            st.markdown(STOPS[number - 1].sentence)
        with st.container(
            key="tour_ways",
            horizontal=True,
            width="content",
            vertical_alignment="center",
            gap="xsmall",
        ):
            if number > 1:
                _link(number - 1, "Back", icon=":material/arrow_back:")
            if number < last:
                with st.container(key=PRESS, width="content"):
                    _link(
                        number + 1, "Next", icon=":material/arrow_forward:", icon_position="right"
                    )
            _leave("tertiary" if number < last else "primary")


def start() -> None:
    """Draw the press that begins the tour; none within it."""
    if not setting("tour"):
        with st.container(key=PRESS, width="content"):
            _link(1, f"Start here, {MINUTES} minutes")


def _link(number: int, label: str, **more: Any) -> None:
    """Draw a link to the stop with this number, counted from 1."""
    stop = STOPS[number - 1]
    named = {**stop.settings, "tour": number}
    if setting("projector"):
        named["projector"] = True
    query = {name: SETTINGS[name].written(value) for name, value in named.items()}
    st.page_link(session().pages[stop.page], label=label, query_params=query, **more)


def _leave(kind: Literal["primary", "tertiary"]) -> None:
    st.button("Leave", key="leave_tour", on_click=go, args=({"tour": 0},), type=kind)
