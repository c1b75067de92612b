"""Judging one typed answer: right, a typical mistake, or not yet; and the next hint.

The right answer is computed each time from the student's values and is in no result. A wrong
answer is told nothing about the right one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from embviz.labs.answers import AnswerError, Text, Value, read, written
from embviz.labs.record import Lab, Step
from embviz.labs.student import Student


@dataclass(frozen=True)
class Result:
    """What became of an answer.

    Attributes:
        right: None for free text, which a person reads.
        value: what was understood, or None if it could not be read.
        words: feedback.
        mistake: whether the words name a typical mistake.
        refused: why it could not be read, or `''`. Such an answer is no attempt.
    """

    right: bool | None
    value: Value | None
    words: str
    mistake: bool = False
    refused: str = ""


def check(lab: Lab[Any], student: Student, step_name: str, typed: str) -> Result:
    """Judge an answer.

    Raises:
        LabError: (a ValueError) the lab has no such step.
    """
    return judge(lab.step(step_name), lab.values(student), typed)


def judge(step: Step[Any], values: Any, typed: str) -> Result:
    """The same for a student's values that are at hand."""
    kind = step.answer_kind(values)
    try:
        value = read(kind, typed)
    except AnswerError as error:
        return Result(False, None, str(error), refused=str(error))
    if not step.graded:
        return Result(None, value, "Kept. Now compare it with the explanation.")
    given = written(value)
    shown = f"“{given}”" if isinstance(value, str) else given
    if step.accepts(values, value):
        good = f"Right: {shown}." if step.solve is not None else f"{shown}: that fits together."
        return Result(True, value, good)
    found = step.mistake(values, value)
    if found is not None:
        return Result(False, value, f"You wrote {shown}. {found.words}", mistake=True)
    again = "Compare it with what you see." if step.kind == "predict" else "Take the hint."
    assert not isinstance(kind, Text)
    return Result(False, value, f"You wrote {shown}. That is not it yet. {again}")


def hint(lab: Lab[Any], student: Student, step_name: str, attempts: int) -> str:
    """The hint after so many wrong attempts; `''` before the first, and where there is none.

    Raises:
        LabError: (a ValueError) the lab has no such step.
    """
    step = lab.step(step_name)
    return step.hint(lab.values(student), attempts - 1) if attempts > 0 else ""
