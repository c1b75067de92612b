"""A fact tried out live: the line that misleads, what it did, and the line that is right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One common mistake, tried out.

    Attributes:
        title: the fact, in a few words.
        code: the line that misleads.
        outcome: its result here, in numbers.
        right_code: the line to write instead, or in addition.
        right_outcome: its result here.
        holds: whether both results are as the fact says.
    """

    title: str
    code: str
    outcome: str
    right_code: str
    right_outcome: str
    holds: bool
