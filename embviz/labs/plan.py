"""Plans for a lesson of 45, 60 or 90 minutes, over the labs and the other pages.

A part of a lab lists all steps that are done, those before a pause too, and takes their minutes.
One class does all labs: the teacher opens the next one on the board. A part of 0 minutes is done
before the students come, or after they have gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from embviz.labs.catalogue import LABS

ALONE_MIN = 2  # Minutes for a question of the exit ticket: one answers alone, without a vote.


@dataclass(frozen=True)
class Part:
    """A part of a lesson.

    Attributes:
        what: a few words.
        minutes: how long it takes in the lesson.
        lab: a key in `LABS`, or none.
        steps: of the lab, or of the exit ticket, counted from 1.
        goals: how many goals of the lab it reaches, from the first one.
        page: a page that is shown, by its name, or none.
        settings: of that page.
        ask: what the teacher asks.
        do: what the teacher does.
    """

    what: str
    minutes: int
    lab: str = ""
    steps: tuple[int, ...] = ()
    goals: int = 0
    page: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    ask: str = ""
    do: str = ""


def _lab(lab: str, last: int, goals: int, ask: str, do: str) -> Part:
    """A lab from its first step to this one, and how many of its goals these steps reach."""
    chosen = LABS[lab]
    minutes = sum(step.minutes for step in chosen.steps[:last])
    return Part(chosen.title, minutes, lab, tuple(range(1, last + 1)), goals, ask=ask, do=do)


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
    0,
    page="labs",
    do="Start a class at *Labs*, *Work together as a class*. With the projector off, press "
    "*Private view* and *Make the address* on the board, and scan it with your phone. Print the "
    "exit ticket.",
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
TICKET = Part(
    "Exit ticket",
    ALONE_MIN * len(LABS["row"].exit_ticket),
    page="labs",
    steps=LABS["row"].exit_ticket,
    settings={"teach": "row", "sheet": "ticket"},
    ask="Which answer of today would you change?",
    do="Hand out the printed sheet, or project it: each student answers alone on paper. Its QR "
    "code opens the same numbers in the app, without the class. Its answers stand last in the "
    "guide to the lab.",
)
END = Part(
    "End the class",
    2,
    page="labs",
    ask="Which step surprised you?",
    do="On the board press *Class*, *End now*: everybody can read all verdicts. Collect the "
    "tickets.",
)
AFTER = Part(
    "After the students have gone",
    0,
    page="labs",
    do="On the board press *Class*: *Download CSV*, then *Delete*.",
)

VOTE = (
    "*Bring everyone* to step {step} and *Pause here*: vote, two minutes in pairs, *Vote again*, "
    "*Reveal*. The other steps have one vote each."
)
BAG = "When is a plain sum of rows wrong?"
LEARNS = "Which rows move that nobody looks up?"
BLACKBOARD = "Write the derivative of `w * w` on the blackboard before step 2. One vote a step."


def _row(last: int, goals: int) -> Part:
    ask = "After *Reveal* of step 4: what did those count who chose another bar?"
    return _lab("row", last, goals, ask, VOTE.format(step=4))


def _bag(last: int, goals: int) -> Part:
    return _lab("bag", last, goals, BAG, VOTE.format(step=2))


def _learns(last: int, goals: int) -> Part:
    return _lab("learns", last, goals, LEARNS, BLACKBOARD)


COST = _lab("cost", 3, 2, "Which is a count, and which is a time?", "One vote a step.")
CLOSE = (TICKET, END, AFTER)

# Minutes of a lesson -> its parts.
PLANS: Mapping[int, tuple[Part, ...]] = {
    45: (BEFORE, _playground(5), START, _row(9, 4), *CLOSE),
    60: (BEFORE, _playground(4), START, _row(8, 3), _bag(2, 1), _learns(3, 1), *CLOSE),
    90: (
        BEFORE,
        _playground(4),
        START,
        _row(9, 4),
        NAN,
        _bag(6, 3),
        _learns(5, 2),
        COST,
        *CLOSE,
    ),
}


def goals(minutes: int) -> list[str]:
    """What students can do after the lesson of this length: the goals that its parts reach."""
    parts = [part for part in PLANS[minutes] if part.lab]
    return [goal for part in parts for goal in LABS[part.lab].goals[: part.goals]]
