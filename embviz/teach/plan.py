"""Plans for a lesson of 45, 60 or 90 minutes, over the labs and the other pages.

A plan names the steps that are done by their functions: a step that a lab gets later moves none,
and comes into no plan by itself. Each has a vote, of three minutes at least. What is left of the
lesson is a buffer. One class does all labs: the teacher opens the next one on the board. A section
of 0 minutes is done before the students come, or after they have gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from embviz.labs import bag, cost, guess, learns, moves, pretrained, product, row
from embviz.labs.asking import Ask
from embviz.labs.catalogue import LABS

ALONE_MIN = 2  # Minutes for a question of the exit ticket: one answers alone, without a vote.
BUFFER = "Buffer, or a break"
MOST_QUESTIONS = 4  # Questions of an exit ticket.

Steps = Mapping[str, Sequence[int]]  # numbers of steps, counted from 1, by their lab


@dataclass(frozen=True)
class Section:
    """A section of a lesson.

    Attributes:
        what: a few words.
        minutes: how long it takes in the lesson.
        lab: a key in `LABS`, or none.
        steps: those that are done; those of the exit ticket may be of several labs.
        goals: of the labs, those that it reaches.
        page: a page that is shown, by its name, or none.
        settings: of that page.
        ask: what the teacher asks.
        do: what the teacher does.
    """

    what: str
    minutes: int
    lab: str = ""
    steps: Steps = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    page: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    ask: str = ""
    do: str = ""


def _lab(lab: str, asked: Sequence[Ask], goals: int, ask: str, do: str) -> Section:
    """These steps of a lab, and how many of its goals they reach, from the first one."""
    chosen = LABS[lab]
    numbers = [*map(chosen.number, asked)]
    minutes = sum(chosen.steps[number - 1].minutes for number in numbers)
    reached = chosen.goals[:goals]
    return Section(chosen.title, minutes, lab, {lab: numbers}, reached, ask=ask, do=do)


BEFORE = Section(
    "Before the students come",
    0,
    page="labs",
    do="Start a class at *Labs*, *Work together as a class*. With the projector off, press "
    "*Private view* and *Make the address* on the board, and scan it with your phone. Print the "
    "exit ticket, and one copy with its key. Download the notebook, and put it where your students "
    "find it.",
)
PLAYGROUND = Section(
    "Playground, projected",
    3,
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
START = Section(
    "Students join",
    3,
    page="labs",
    ask="Whose device does not show the page?",
    do="Show the board. Students scan the code. Say: you get a random name; I see that name and "
    "your answers, and I can delete all of it.",
)
NOTEBOOK = Section(
    "Students run PyTorch",
    5,
    goals=LABS["row"].goals[-1:],
    page="labs",
    settings={"teach": "row"},
    ask="What will the last line print?",
    do="Each student, or each pair, says it first and then runs the notebook, in Jupyter or Colab. "
    "Without it they type the lines that you project. Its file is in the guide to the lab.",
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
    do="On the board press *Class*: *Download CSV* has each answer; *CSV, a line a student* has "
    "steps done and votes right. Then *Delete*.",
)


def _buffer(minutes: int) -> Section:
    return Section(
        BUFFER,
        minutes,
        page="limits",
        settings={"case": "inf-in-unseen-row", "projector": True},
        ask="Why is 0 times NaN not 0?",
        do="It is for a vote that took longer. If it is left, project this case of *Where it "
        "breaks*, or bring everyone to a step that the plan leaves out.",
    )


def _ticket(minutes: int, labs: Sequence[Section]) -> Section:
    """The exit ticket: from each lab in turn, the next of its questions that the plan has asked."""
    tickets = [
        [(done.lab, step) for step in LABS[done.lab].ticket if step in done.steps[done.lab]]
        for done in labs
    ]
    in_turn = [question for turn in zip_longest(*tickets) for question in turn if question]
    chosen = in_turn[:MOST_QUESTIONS]
    return Section(
        "Exit ticket",
        ALONE_MIN * len(chosen),
        steps={
            lab: [step for its_lab, step in chosen if its_lab == lab]
            for lab in dict.fromkeys(lab for lab, _ in chosen)
        },
        page="labs",
        settings={"teach": "all", "plan": str(minutes), "sheet": "ticket"},
        ask="Which answer of today would you change?",
        do="Hand out the printed sheet, or project it: each student answers alone on paper. Its QR "
        "codes open the same numbers in the app, without the class.",
    )


VOTE = (
    "*Bring everyone* to step {step} and *Pause here*: vote, two minutes in pairs, *Vote again*, "
    "*Reveal*. The other steps have one vote each."
)
BLACKBOARD = (
    "Write the derivative of `w * w` on the blackboard before step {step}. One vote a step."
)


def _row(*more: Ask, goals: int) -> Section:
    step = LABS["row"].number(row.zeros)
    asked = (row.ids, row.lookup, row.shape, row.zeros, product.product, product.waste, *more)
    ask = f"After *Reveal* of step {step}: what did those count who chose another bar?"
    return _lab("row", asked, goals, ask, VOTE.format(step=step))


def _bag(*more: Ask, goals: int) -> Section:
    do = VOTE.format(step=LABS["bag"].number(bag.plain))
    asked = (bag.count, bag.plain, bag.total, *more)
    return _lab("bag", asked, goals, "When is a plain sum of rows wrong?", do)


LEARNS = _lab(
    "learns",
    (learns.touched, learns.twice, moves.unseen),
    1,
    "Which rows move that nobody looks up?",
    BLACKBOARD.format(step=LABS["learns"].number(learns.twice)),
)
COST = _lab(
    "cost",
    (cost.ids, cost.twice, guess.guess),
    2,
    "Which is a count, and which is a time?",
    "One vote a step.",
)


def _plan(minutes: int, first: Section, *labs: Section) -> tuple[Section, ...]:
    """A lesson of so many minutes; the buffer has what the others leave."""
    ticket = _ticket(minutes, (first, *labs))
    taught = PLAYGROUND, START, first, NOTEBOOK, *labs
    left = minutes - sum(section.minutes for section in (*taught, ticket, END))
    return BEFORE, *taught, _buffer(left), ticket, END, AFTER


# Minutes of a lesson -> its sections.
PLANS: Mapping[int, tuple[Section, ...]] = {
    45: _plan(45, _row(goals=2)),
    60: _plan(60, _row(goals=2), _bag(goals=1)),
    90: _plan(
        90,
        _row(product.linear, product.bits, goals=3),
        _bag(pretrained.rows, goals=2),
        LEARNS,
        COST,
    ),
}


def ticket(minutes: int) -> Steps:
    """The steps that the exit ticket of this lesson asks again, by their labs."""
    return next(section.steps for section in PLANS[minutes] if "sheet" in section.settings)


def goals(minutes: int) -> list[str]:
    """The goals of the lesson of this length: those that its sections reach."""
    return [*chain.from_iterable(section.goals for section in PLANS[minutes])]
