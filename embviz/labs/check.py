"""Checks one typed answer: right, a typical mistake, or not yet.

The right answer is computed each time from the student's values. It is in no result, and the
feedback to a wrong answer says nothing about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from embviz.labs.answers import AnswerError, written
from embviz.labs.record import Step


@dataclass(frozen=True)
class Result:
    """The result of a check.

    Attributes:
        right: whether the answer is right.
        feedback: the sentence for the student.
        mistake: the sentence about the typical mistake that the answer shows, or `""`.
        refused: whether the answer could not be read. Then it is no attempt, and the feedback
            says why.
    """

    right: bool
    feedback: str
    mistake: str = ""
    refused: bool = False


def check(step: Step[Any], values: Any, typed: str) -> Result:
    """Check an answer to a step, for the student's values in its lab."""
    try:
        value = step.answer_kind(values).read(typed)
    except AnswerError as error:
        return Result(False, str(error), refused=True)
    shown = f"“{value}”" if isinstance(value, str) else written(value)
    if step.accepts(values, value):
        return Result(True, f"Right: {shown}." if step.solve else f"{shown}: that fits together.")
    found = step.mistake(values, value)
    if found is not None:
        return Result(False, f"You wrote {shown}. {found.feedback}", mistake=found.feedback)
    again = "Compare it with what you see." if step.predict else "Take the hint."
    return Result(False, f"You wrote {shown}. That is not it yet. {again}")
