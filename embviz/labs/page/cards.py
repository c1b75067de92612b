"""The labs to choose from, each a card that starts it or goes on."""

from collections.abc import Mapping
from dataclasses import dataclass
from secrets import randbelow
from typing import Any

import streamlit as st

from embviz.labs.catalogue import LABS, questions
from embviz.labs.page import looks
from embviz.labs.settings import PAGE
from embviz.labs.work import decode
from embviz.text.refused import Refused
from embviz.ui.elements.links import browser_title
from embviz.ui.state.address import setting, usual
from embviz.ui.state.changes import go
from embviz.ui.state.session import session

ALL = "all"  # no lab: the cards


@dataclass(frozen=True)
class Begun:
    """A lab as this tab left it: its numbers, the answers as an address has them, the step."""

    numbers: int
    done: str
    step: int


def remember(lab: str, numbers: int, step: int) -> None:
    """Keep what the address has of a lab, for its card."""
    session().own.setdefault("labs_begun", {})[lab] = Begun(numbers, setting("done"), step)


def _begun(lab: str) -> Begun | None:
    """The lab as this tab left it; None where nothing was answered."""
    found: Begun | None = session().own.get("labs_begun", {}).get(lab)
    return found if found and found.done else None


def draw() -> None:
    """All labs, two beside each other."""
    browser_title()
    st.markdown("# Predict, try, explain: every answer is checked by computing it.")
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
    """Draw a lab's length, how much of it is done, and the buttons into it."""
    lab, begun = LABS[name], _begun(name)
    length = f":gray[{len(lab.steps)} steps · {lab.minutes} minutes]"
    if begun is None:
        st.markdown(length)
        start(name, "Start")
        return
    asked = questions(name, begun.numbers)
    try:
        done = len(decode(asked, begun.done))
    except Refused:
        done = 0
    st.markdown(f"**{done} of {len(asked)} answered**")
    with st.container(horizontal=True):
        to = {"numbers": begun.numbers, "done": begun.done, "step": begun.step}
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
