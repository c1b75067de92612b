"""The board of a class as plain data: a line a member, a cell a step. It draws nothing.

The last answer of a member at a step counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from embviz.classes.work import Work
from embviz.labs.check import Result
from embviz.labs.record import Lab, Step


@dataclass(frozen=True)
class State:
    """What a cell can say.

    Attributes:
        name: for style sheets.
        sign: one character.
        words: the same in words; a number of tries may follow.
    """

    name: str
    sign: str
    words: str


NOT_BEGUN = State("none", "·", "not answered yet")
PREDICTED = State("predicted", "○", "predicted, not right")
RIGHT = State("right", "✓", "right")
CONSISTENT = State("consistent", "≈", "measured, the numbers fit together")
WRONG = State("wrong", "✗", "wrong")
STATES = (NOT_BEGUN, PREDICTED, RIGHT, CONSISTENT, WRONG)


@dataclass(frozen=True)
class Cell:
    """One step of one member.

    Attributes:
        state: of the last answer.
        tries: how many answers there were.
        mistake: the sentence about the typical mistake of the last answer, or `""`.
    """

    state: State = NOT_BEGUN
    tries: int = 0
    mistake: str = ""


@dataclass(frozen=True)
class Line:
    """One member.

    Attributes:
        number: the member's, from 1.
        pseudonym: two words.
        cells: one for each step of the lab.
    """

    number: int
    pseudonym: str
    cells: tuple[Cell, ...]


def line(lab: Lab[Any], work: Work) -> Line:
    """The line of a member."""
    cells = (
        Cell(
            _state(step, work.results.get(step.name)),
            work.attempts(step.name),
            result.mistake if (result := work.results.get(step.name)) else "",
        )
        for step in lab.steps
    )
    return Line(work.member.number, work.member.pseudonym, tuple(cells))


def _state(step: Step[Any], result: Result | None) -> State:
    if result is None:
        return NOT_BEGUN
    if result.right:
        return RIGHT if step.solve is not None else CONSISTENT
    return PREDICTED if step.predict else WRONG
