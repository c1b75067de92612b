"""A fact tried out live: the line that misleads, what it did, and the line that is right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One thing people get wrong, tried out.

    Attributes:
        title: the fact, in a few words.
        code: what a person would write.
        outcome: what that gave here, in numbers.
        right_code: the line to write instead, or beside it.
        right_outcome: what that gave here.
        holds: whether the fact was seen to be true, and the right line to do what it says.
    """

    title: str
    code: str
    outcome: str
    right_code: str
    right_outcome: str
    holds: bool
