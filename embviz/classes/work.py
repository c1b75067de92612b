"""A member's answers in a class, with the check of the last one at each step.

It judges nothing itself and is not thread-safe: a room gives it results and locks it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from embviz.classes.record import Member, Stored
from embviz.labs.check import Result


@dataclass
class Work:
    """The work of one member.

    Attributes:
        member: the member.
        tries: the answers to each step, by its name, in the order in which they came.
        results: the check of the last answer to each step.
    """

    member: Member
    tries: dict[str, list[Stored]] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)

    def attempts(self, step: str) -> int:
        """How many answers to a step the class has; what a browser counts is not believed."""
        return len(self.tries.get(step, ()))

    def last(self, step: str, until: int | None = None) -> Stored | None:
        """The last answer to a step, up to this id; None where there is none."""
        tries = self.tries.get(step, ())
        return next((one for one in reversed(tries) if until is None or one.id <= until), None)
