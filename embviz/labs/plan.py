"""Plans for a lesson of 45, 60 or 90 minutes, over the labs and the other pages.

A part of a lab lists all steps that are done, those before a pause too, and takes their minutes.
One class does all labs: the teacher opens the next one on the board.
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
        page: a page that is shown, by its name, or none.
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
    chosen = LABS[lab]
    minutes = sum(step.minutes for step in chosen.steps[:last])
    return Part(chosen.title, minutes, lab, tuple(range(1, last + 1)), ask=ask, do=do)


def _playground(minutes: int) -> Part:
    return Part(
        "Playground, projected",
        minutes,
        page="playground",
        settings={
            "input": "text",
            "text": "maria",
            "vocab": "custom",
            "chars": "aeimnrst",
            "rows": 8,
            "dim": 4,
            "init": "integers",
            "world": "characters",
            "projector": True,
        },
        ask="Where does the vector of a letter come from?",
        do="Point at a letter, then at its row. Type other names from these letters: tim, anna.",
    )


BEFORE = Part(
    "Before the students come",
    3,
    page="labs",
    do="Start a class with *One row of a table*. Open its board on your phone too, and try the "
    "link with it.",
)
START = Part(
    "Students join",
    3,
    page="labs",
    ask="Whose device does not show the page?",
    do="Show the board. Students scan the code. Say: you get a random name; I see that name and "
    "your answers, and I can delete all of it.",
)
NAN = Part(
    "Where it breaks, projected",
    3,
    page="limits",
    settings={"find": "nan", "projector": True},
    ask="Why is 0 times NaN not 0?",
    do="Open the first case. Read its claim aloud, and its proof after a guess.",
)
END = Part(
    "Exit ticket and end",
    4,
    page="labs",
    settings={"teach": "row", "sheet": "ticket"},
    ask="Which answer of today would you change?",
    do="Each student opens the first lab alone, with other numbers, and answers the steps of its "
    "exit ticket. End the class: everybody sees all verdicts. Download the CSV, then delete the "
    "class.",
)

VOTE = (
    "*Bring everyone* to step {step} and *Pause here*: vote, two minutes in pairs, *Vote again*, "
    "*Reveal*. The other steps have one vote each."
)
BAG = "When is a plain sum of rows wrong?"
LEARNS = "Which rows move that nobody looks up?"
BLACKBOARD = "Write the derivative of `w * w` on the blackboard before step 2. One vote a step."


def _row(last: int) -> Part:
    ask = "What did those count who chose the longest bar of step 4?"
    return _lab("row", last, ask, VOTE.format(step=4))


def _bag(last: int) -> Part:
    return _lab("bag", last, BAG, VOTE.format(step=2))


# Minutes of a lesson -> its parts.
PLANS: Mapping[int, tuple[Part, ...]] = {
    45: (_playground(4), START, _row(8), _bag(2), END),
    60: (_playground(5), START, _row(8), NAN, _bag(2), _lab("learns", 3, LEARNS, BLACKBOARD), END),
    90: (
        BEFORE,
        _playground(5),
        START,
        _row(9),
        NAN,
        _bag(6),
        _lab("learns", 5, LEARNS, BLACKBOARD),
        _lab("cost", 3, "Which is a count, and which is a time?", "One vote a step."),
        END,
    ),
}
