"""A member's answers in a class, with the check of the last one at each step.

It judges nothing itself and is not thread-safe: a room gives it results and locks it.
"""

from __future__ import annotations

from collections.abc import Iterable
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
        latest: the answer that came last, to any step.
        slow: the step at which the member is for much longer than others were, or `""`.
    """

    member: Member
    tries: dict[str, list[Stored]] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    latest: Stored | None = None
    slow: str = ""

    def add(self, one: Stored) -> int | None:
        """Add an answer; for the first one at a step, return the seconds that the step took."""
        before = 0 if self.latest is None else self.latest.answer.seconds
        self.latest, step = one, one.answer.step
        tries = self.tries.setdefault(step, [])
        tries.append(one)
        return max(0, one.answer.seconds - before) if len(tries) == 1 else None

    def attempts(self, step: str) -> int:
        """How many answers to a step the class has; what a browser counts is not believed."""
        return len(self.tries.get(step, ()))

    def last(self, step: str, until: int | None = None) -> Stored | None:
        """The last answer to a step, up to this id; None where there is none."""
        tries = self.tries.get(step, ())
        return next((one for one in reversed(tries) if until is None or one.id <= until), None)

    def at(self, steps: Iterable[str]) -> str | None:
        """The first step without an answer: there the member is now. None after the last."""
        return next((step for step in steps if step not in self.tries), None)
