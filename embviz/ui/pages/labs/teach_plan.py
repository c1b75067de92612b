"""Plans of a lesson, minute by minute, and what a teacher knows before it: votes, network, data."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from embviz.labs.catalogue import LABS, questions
from embviz.labs.plan import PLANS, Part
from embviz.request.pages import PAGES, SETTINGS
from embviz.ui.pages.labs.teach_guide import table

USUAL = 60  # minutes of the plan that is shown first
VOTE = """## How a vote runs
1. Press a step on the board, then **Bring everyone here**: all students see that step.
2. **Pause here** holds them at it. They answer, and may change the answer. Nobody is told yet.
3. If many are wrong, let pairs talk for two minutes. **Vote again** opens an empty second vote.
4. **Reveal** closes the vote: everybody sees the verdict, the reason, and both votes in bars.
   An answer after it is marked *late*, and is in no bar.
5. **Go on** opens the next steps. One class may go through several labs, with one code.

**Your private view.** Open the board on your phone **before** the projector is on: press *Private
view* and *Make the address*, and scan. There, *Show it on this screen* has who is stuck, and bars.
"""
ROOM = """## The room, and the data
- **Network.** Try the link with a phone in that room's Wi-Fi. Many networks keep devices apart:
  then use a hotspot or a server. It is plain HTTP, so others in that Wi-Fi could read along.
- **Tell the students:** "You get a random name. I see that name and your answers. No account, no
  e-mail, nothing about your device; I can delete all of it at the end."
- **At the end** download the CSV, then *End*. Students then read every verdict. *Delete* removes
  everything at once; otherwise it goes 30 days after the last answer.
"""
CLAIMS: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    (
        "`embedding(row.indices).sum(0)` is the Linear of a CountVectorizer row",
        "It forgets the counts.",
        "bag_of_words",
        {"docs": "cats like cats and dogs", "forget": True},
    ),
    (
        "The results are exactly the same",
        "A look at a table of 4 x 5 numbers cannot show that: compare the bits.",
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
        {"find": "padding"},
    ),
    (
        "A lookup is always faster",
        "That must be measured, at your sizes.",
        "timing",
        {"values": "16 64 256"},
    ),
)


def draw() -> None:
    """The plan of the chosen length, the labs, how a vote runs, the room, and wrong claims."""
    minutes = st.segmented_control(
        "Minutes",
        [*PLANS],
        default=USUAL,
        key="teach_minutes",
        required=True,
        format_func=lambda one: f"{one} minutes",
        label_visibility="collapsed",
        persist_state="session",
    )
    parts = PLANS.get(minutes, PLANS[USUAL])
    with st.container(key="teach_plan"):
        st.markdown(table(("Minute", "What", "Do", "Ask"), _rows(parts)))
    st.markdown("## The labs\n" + table(("Lab", "Minutes", "Afterwards a student can"), _labs()))
    with st.container(key="teach_step_vote"):
        left, right = st.columns(2, gap="large")
    left.markdown(VOTE)
    right.markdown(ROOM)
    st.markdown("## Wrong claims in articles\n" + table(("Claim", "What is wrong"), _claims()))


def _rows(parts: Iterable[Part]) -> Iterator[tuple[str, ...]]:
    begin = 0
    for part in parts:
        end = begin + part.minutes
        yield f"{begin} to {end}", _what(part), part.do, part.ask
        begin = end


def _what(part: Part) -> str:
    """The name of a part as a link, and its steps with their minutes."""
    if not part.lab:
        if not part.page:
            return f"**{part.what}**"
        return f"[{part.what}]({address(part.page, part.settings)})"
    lab, asked = LABS[part.lab], questions(part.lab, 1)
    steps = [
        f"{number} {asked[number - 1].title} ({lab.steps[number - 1].minutes})"
        for number in part.steps
    ]
    link = f"[{part.what}]({address('labs', {'lab': part.lab})})"
    return f"{link}. Vote and *Reveal* each step (minutes): {'; '.join(steps)}"


def _labs() -> Iterator[tuple[str, ...]]:
    for name, lab in LABS.items():
        link = f"[{lab.title}]({address('labs', {'teach': name})})"
        yield link, str(lab.minutes), f"{' '.join(lab.goals)} *Before:* {lab.needs}"


def _claims() -> Iterator[tuple[str, str]]:
    for claim, wrong, page, settings in CLAIMS:
        yield f'"{claim}"', f"{wrong} [{PAGES[page].title}]({address(page, settings)})"


def address(page: str, settings: Mapping[str, Any]) -> str:
    """The link from this page to another one with these settings, and no others."""
    path = "" if page == "playground" else page
    written = {name: SETTINGS[name].written(value) for name, value in settings.items()}
    query = urlencode(written, doseq=True)
    return f"./{path}?{query}" if query else f"./{path}"
