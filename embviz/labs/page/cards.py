"""The labs to choose from, each a card that starts it or goes on."""

from collections.abc import Callable, Mapping
from secrets import randbelow
from typing import Any

import streamlit as st

from embviz.labs.catalogue import LABS
from embviz.labs.page import looks
from embviz.labs.settings import PAGE
from embviz.ui.elements.links import browser_title
from embviz.ui.state.address import usual
from embviz.ui.state.changes import go
from embviz.ui.state.session import session

ALL = "all"  # no lab: the cards


def remember(lab: str, to: Mapping[str, Any], answered: int) -> None:
    """Keep for a lab's card the settings that lead back, and how many steps have an answer."""
    session().own.setdefault("labs_begun", {})[lab] = to, answered


def draw(above: Callable[[], None]) -> None:
    """The headline, then what `above` draws, and all labs."""
    browser_title()
    st.markdown("# Predict, try, explain: every answer is checked by computing it.")
    above()
    draw_cards()


def draw_cards() -> None:
    """All labs, two beside each other."""
    for place, (name, lab) in enumerate(LABS.items()):
        if not place % 2:  # row by row: a phone shows them in the same order
            columns = st.columns(2)
        with (
            columns[place % 2],
            st.container(border=True, horizontal=True, vertical_alignment="center", gap="medium"),
        ):
            looks.sign(lab.sign)
            with st.container(gap="small"):
                st.markdown(f"## {lab.title}\n{lab.about}")
                _ways(name)


def _ways(name: str) -> None:
    """Draw a lab's length, or how much of it this tab has done, and the buttons into it."""
    lab = LABS[name]
    to, answered = session().own.get("labs_begun", {}).get(name, ({}, 0))
    if not answered:
        st.markdown(f":gray[{len(lab.steps)} steps · {lab.minutes} minutes]")
        start(name, "Start")
        return
    st.markdown(f"**{answered} of {len(lab.steps)} answered**")
    with st.container(horizontal=True):
        st.button("Go on", f"lab_go_{name}", on_click=_alone, args=(name, to), type="primary")
        start(name, "New numbers", "secondary")


def start(name: str, label: str, kind: str = "primary") -> None:
    """A button for a lab from its first step, with new numbers."""
    st.button(
        label,
        f"lab_start_{name}",
        on_click=_alone,
        args=(name, {"step": 1, "numbers": new(), "done": ""}),
        type=kind,  # type: ignore[arg-type]
    )


def _alone(lab: str, to: Mapping[str, Any]) -> None:
    """Open a lab; cards may stand on the page of a class that is gone."""
    go({"lab": lab, "class": "", **to})


def next_lab(lab: str) -> None:
    """A button for the lab after this one, if there is one."""
    names = [*LABS]
    place = names.index(lab) + 1
    if place < len(names):
        start(names[place], f"Next lab: {LABS[names[place]].title}")


def new() -> int:
    """The seed of new numbers."""
    return 1 + randbelow(2**32 - 1)


def back() -> None:
    """A button that leads to the cards from anywhere."""
    st.button(
        "All labs",
        "labs_all",
        on_click=go,
        args=(usual(record.name for record in PAGE.settings),),
        icon=":material/arrow_back:",
        type="tertiary",
    )
