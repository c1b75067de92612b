"""Plans for a lesson of 45, 60 or 90 minutes, over the labs and the other pages.

A section of a lab lists all steps that are done, those before a pause too, and takes their minutes;
the playground has what is left of the lesson. Steps are named by their functions, so a new step
moves none, and comes into each plan that does the whole lab. One class does all labs: the teacher
opens the next one on the board. A section of 0 minutes is done before the students come, or after
they have gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from embviz.labs import bag, learns, moves, product, row
from embviz.labs.catalogue import LABS
from embviz.labs.question import Question

ALONE_MIN = 2  # Minutes for a question of the exit ticket: one answers alone, without a vote.


@dataclass(frozen=True)
class Section:
    """A section of a lesson.

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


Ask = Callable[[Any], Question]  # the function of a step


def _number(lab: str, ask: Ask) -> int:
    """The number of the step that has this function."""
    return [step.ask for step in LABS[lab].steps].index(ask) + 1


def _lab(lab: str, ask: str, do: str, last: Ask | None = None, goals: int = 0) -> Section:
    """A whole lab, or as far as its step `last`, and how many of its goals these steps reach."""
    chosen = LABS[lab]
    count = len(chosen.steps)
    if last:
        count = _number(lab, last)
    else:
        goals = len(chosen.goals)
    minutes = sum(step.minutes for step in chosen.steps[:count])
    return Section(chosen.title, minutes, lab, tuple(range(1, count + 1)), goals, ask=ask, do=do)


def _playground(minutes: int) -> Section:
    return Section(
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


BEFORE = Section(
    "Before the students come",
    0,
    page="labs",
    do="Start a class at *Labs*, *Work together as a class*. With the projector off, press "
    "*Private view* and *Make the address* on the board, and scan it with your phone. Print the "
    "exit ticket.",
)
START = Section(
    "Students join",
    3,
    page="labs",
    ask="Whose device does not show the page?",
    do="Show the board. Students scan the code. Say: you get a random name; I see that name and "
    "your answers, and I can delete all of it.",
)
NAN = Section(
    "Where it breaks, projected",
    3,
    page="limits",
    settings={"case": "inf-in-unseen-row", "projector": True},
    ask="Why is 0 times NaN not 0?",
    do="Read the claim of the case aloud, and its proof after a guess.",
)
TICKET = Section(
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
END = Section(
    "End the class",
    2,
    page="labs",
    ask="Which step surprised you?",
    do="On the board press *Class*, *End now*: everybody can read all verdicts. Collect the "
    "tickets.",
)
AFTER = Section(
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
BLACKBOARD = (
    "Write the derivative of `w * w` on the blackboard before step {step}. One vote a step."
)


def _row(last: Ask | None = None, goals: int = 0) -> Section:
    step = _number("row", row.zeros)
    ask = f"After *Reveal* of step {step}: what did those count who chose another bar?"
    return _lab("row", ask, VOTE.format(step=step), last, goals)


def _bag(last: Ask | None = None, goals: int = 0) -> Section:
    return _lab("bag", BAG, VOTE.format(step=_number("bag", bag.plain)), last, goals)


def _learns(last: Ask, goals: int) -> Section:
    do = BLACKBOARD.format(step=_number("learns", learns.twice))
    return _lab("learns", LEARNS, do, last, goals)


COST = _lab("cost", "Which is a count, and which is a time?", "One vote a step.")


def _plan(minutes: int, *labs: Section) -> tuple[Section, ...]:
    """A lesson of so many minutes; the playground has what the others leave."""
    sections = START, *labs, TICKET, END, AFTER
    left = minutes - sum(section.minutes for section in sections)
    return BEFORE, _playground(left), *sections


# Minutes of a lesson -> its sections.
PLANS: Mapping[int, tuple[Section, ...]] = {
    45: _plan(45, _row()),
    60: _plan(60, _row(product.bits, 3), _bag(bag.plain, 1), _learns(moves.unseen, 1)),
    90: _plan(90, _row(), NAN, _bag(), _learns(moves.routes, 2), COST),
}


def goals(minutes: int) -> list[str]:
    """The goals of the lesson of this length: those that its sections reach."""
    sections = [section for section in PLANS[minutes] if section.lab]
    return [goal for section in sections for goal in LABS[section.lab].goals[: section.goals]]
