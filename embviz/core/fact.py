"""A fact tried out live: a line, what it did, and another line beside it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """A line of code and another one, both tried out.

    Attributes:
        title: the fact, in a few words.
        code: a line that misleads, or one that is right.
        outcome: its result here, in numbers.
        right_code: the line to write instead.
        right_outcome: its result here.
        holds: whether both results are as the fact says.
    """

    title: str
    code: str
    outcome: str
    right_code: str
    right_outcome: str
    holds: bool
