"""Plans for a lesson of 45, 60 or 90 minutes, over the labs and the other pages.

A part of a lab lists all steps that are done, and takes the minutes of these steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from embviz.labs.catalogue import LABS


@dataclass(frozen=True)
class Part:
    """A part of a lesson.

    Attributes:
        what: a few words.
        minutes: how long it takes.
        lab: a key in `LABS`, or none.
        steps: of the lab, counted from 1.
        page: another page that is shown, by its name, or none.
        settings: of that page.
        ask: what the teacher asks.
        do: what the teacher does.
    """

    what: str
    minutes: int
    lab: str = ""
    steps: tuple[int, ...] = ()
    page: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    ask: str = ""
    do: str = ""


def _lab(lab: str, last: int, ask: str, do: str) -> Part:
    """A lab from its first step to this one."""
    chosen, steps = LABS[lab], tuple(range(1, last + 1))
    minutes = sum(step.minutes for step in chosen.steps[:last])
    return Part(chosen.title, minutes, lab, steps, ask=ask, do=do)


def _playground(minutes: int) -> Part:
    return Part(
        "Playground, projected",
        minutes,
        page="playground",
        settings={
            "input": "text",
            "text": "cab",
            "vocab": "custom",
            "chars": "abcde",
            "rows": 5,
            "dim": 4,
            "init": "integers",
            "projector": True,
        },
        ask="Where does the vector of a letter come from?",
        do="Point at a letter and at its row. Then type a student's name from these letters.",
    )


_START = Part(
    "Start the class",
    3,
    page="labs",
    ask="Who has a device without the page?",
    do="Start a class with *One row of a table*. Students scan the code. Tell them: you get a "
    "random name; I see that name and your answers, and can delete all of it.",
)
_NAN = Part(
    "Where it breaks, projected",
    3,
    page="limits",
    settings={"find": "nan", "projector": True},
    ask="Why is 0 times infinity not 0?",
    do="Open the first case, and read its claim aloud before its proof.",
)
_END = Part(
    "Exit ticket and end",
    4,
    page="labs",
    ask="What do you know now that you did not know before?",
    do="End the class: everybody sees all verdicts. Students open the exit ticket's steps alone, "
    "with other numbers. Download the CSV, then delete the class.",
)

_VOTE = "Pause at step {step}: vote, two minutes in pairs, *Vote again*, *Reveal*."
_ROW = _lab(
    "row",
    8,
    "What did those count who chose the longest bar?",
    _VOTE.format(step=4) + " Then go on, one vote a step.",
)
_BAG = "When is a plain sum of rows wrong?"
_LEARNS = "Which rows move that nobody looks up?"

# Minutes of a lesson -> its parts.
PLANS: Mapping[int, tuple[Part, ...]] = {
    45: (
        _playground(4),
        _START,
        _ROW,
        _lab("bag", 2, _BAG, _VOTE.format(step=2)),
        _END,
    ),
    60: (
        _playground(5),
        _START,
        _ROW,
        _NAN,
        _lab("bag", 2, _BAG, _VOTE.format(step=2)),
        _lab("learns", 3, _LEARNS, "Write the derivative of a square down before step 2."),
        _END,
    ),
    90: (
        Part(
            "Before the class",
            3,
            page="labs",
            do="Open *Labs* and start the class. Open its board on another device.",
        ),
        _playground(6),
        _START,
        _ROW,
        _NAN,
        _lab("bag", 5, _BAG, _VOTE.format(step=2)),
        _lab("learns", 5, _LEARNS, "Write the derivative of a square down before step 2."),
        _lab("cost", 2, "What is a count, and what is a time?", "One vote a step."),
        _END,
    ),
}
