"""Plans of a lesson, minute by minute, and what a teacher knows before it: votes, network, data."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from embviz.labs.catalogue import LABS, questions
from embviz.settings.pages import PAGES, SETTINGS
from embviz.teach import readme
from embviz.teach.page.guide import table
from embviz.teach.plan import BUFFER, PLANS, PLAYGROUND, Section, goals

CLAIMS: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    (
        "`embedding(row.indices).sum(0)` is the Linear of a CountVectorizer row",
        "It forgets the counts.",
        "bag_of_words",
        {"docs": "cats like cats and dogs", "forget": True},
    ),
    (
        "The results are exactly the same",
        "A look at a table of 4 × 5 numbers cannot show that: compare the bits.",
        "playground",
        {},
    ),
    (
        "`nn.Embedding` considers context and order",
        "It does not.",
        "context",
        {"text": "the river bank"},
    ),
    (
        "`padding_idx` makes zeros",
        "`nn.Embedding` sets that row to 0 only when it draws the weight.",
        "limits",
        {"case": "padding-idx-value"},
    ),
    (
        "A lookup is always faster",
        "That must be measured, at your sizes.",
        "timing",
        {"values": "16 64 256"},
    ),
)


def draw(minutes: int) -> None:
    """The plan of this length, the labs, how a vote runs, the room, and wrong claims."""
    st.markdown("\n- ".join(["**Today.** Afterwards a student can:", *goals(minutes)]))
    tour = address("playground", {"tour": 1, "projector": True})
    st.markdown(
        f"**A class that has never seen an embedding:** project [the tour]({tour}) in place of "
        f"*{PLAYGROUND.what}*. With the buffer it has {_tour_minutes(minutes)} minutes. Read the "
        "sentence of each stop, and ask where it is seen before you press *Next*."
    )
    with st.container(key="teach_plan"):
        st.markdown(table(("Minute", "What", "Do", "Ask"), _rows(PLANS[minutes])))
    st.markdown("## The labs\n" + table(("Lab", "Minutes", "Before"), _labs()))
    with st.container(key="teach_step_vote"):
        left, right = st.columns(2, gap="large")
    left.markdown(readme.section("How a vote runs"))
    right.markdown(readme.section("The room, and the data"))
    st.markdown("## Wrong claims in articles\n" + table(("Claim", "What is wrong"), _claims()))


def _tour_minutes(minutes: int) -> int:
    """Minutes for the tour in a plan: those of the section that it replaces, and of the buffer."""
    return sum(one.minutes for one in PLANS[minutes] if one.what in (PLAYGROUND.what, BUFFER))


def _rows(sections: Iterable[Section]) -> Iterator[tuple[str, ...]]:
    begin = 0
    for section in sections:
        end = begin + section.minutes
        when = f"{begin} to {end}"
        if not section.minutes:
            when = "After" if begin else "Before"
        yield when, _what(section), section.do, section.ask
        begin = end


def _what(section: Section) -> str:
    """The name of a section as a link, and its steps with their minutes."""
    to = ("labs", {"lab": section.lab}) if section.lab else (section.page, section.settings)
    link = f"[{section.what}]({address(*to)})"
    if section.lab:
        steps = "; ".join(
            f"{_title(section.lab, number)} ({LABS[section.lab].steps[number - 1].minutes})"
            for number in section.steps[section.lab]
        )
        return f"{link} · each step with vote and *Reveal* (minutes): {steps}"
    if section.steps:
        asked = [
            f"*{LABS[lab].title}* {', '.join(_title(lab, number) for number in numbers)}"
            for lab, numbers in section.steps.items()
        ]
        return f"{link} · with other numbers: {'; '.join(asked)}"
    return link


def _title(lab: str, number: int) -> str:
    """The number of a step, and its title."""
    return f"{number} {questions(lab, 1)[number - 1].title}"


def _labs() -> Iterator[tuple[str, ...]]:
    for name, lab in LABS.items():
        link = f"[{lab.title}]({address('labs', {'teach': name})})"
        yield link, str(lab.minutes), lab.needs


def _claims() -> Iterator[tuple[str, str]]:
    for claim, wrong, page, settings in CLAIMS:
        yield f'"{claim}"', f"{wrong} [{PAGES[page].title}]({address(page, settings)})"


def address(page: str, settings: Mapping[str, Any]) -> str:
    """The link from this page to another one with these settings, and no others."""
    path = "" if page == "playground" else page
    written = {name: SETTINGS[name].written(value) for name, value in settings.items()}
    query = urlencode(written, doseq=True)
    return f"./{path}?{query}" if query else f"./{path}"
