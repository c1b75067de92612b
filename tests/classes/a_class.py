"""A class in memory, for tests: what a store would tell about it, and a clock that tests set."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from embviz.classes.record import Answer, Classroom, Member, News, Stored, StoreError
from embviz.labs.answers import written
from embviz.labs.exercises import lab
from embviz.labs.student import Student

CODE = "tidy-otter-42"


class AClass:
    """Says what is new, as `Store.news` does, and writes down what was asked.

    Attributes:
        now: the time, in seconds.
        asked: the ids after which news were asked for.
        broken: why nothing can be read, or `""`.
    """

    def __init__(self, members: int, lab_code: str = "row") -> None:
        self.classroom = Classroom(CODE, lab_code, begun=0)
        self.lab = lab(lab_code)
        self.now = 0.0
        self.asked: list[int] = []
        self.broken = ""
        self._id = 0
        self._members: dict[int, Member] = {}  # by the id with which each came
        self._answers: list[Stored] = []
        self._nth: Counter[tuple[int, str]] = Counter()
        for _ in range(members):
            self.come()

    def come(self) -> None:
        """A member joins."""
        self._id += 1
        number = len(self._members) + 1
        self._members[self._id] = Member(number, f"member {number}", f"guest-{number:06x}")

    def news(self, code: str, since: int = 0) -> News:
        """What happened after an id."""
        self.asked.append(since)
        if self.broken:
            raise StoreError(self.broken)
        last = self._id  # first: another thread may be adding answers
        members = tuple(one for came, one in self._members.items() if since < came)
        answers = tuple(one for one in self._answers if since < one.id <= last)
        return News(self.classroom, members, answers, last)

    def clock(self) -> float:
        """The time."""
        return self.now

    def values(self, member: int) -> Any:
        """A member's values in the lab."""
        return self.lab.values(Student(f"guest-{member:06x}"))

    def right(self, member: int, step: str) -> str:
        """The right answer, as a student types it."""
        (found,) = (one for one in self.lab.steps if one.name == step)
        solution = found.solution(self.values(member))
        assert solution is not None
        return written(solution)

    def answer(self, member: int, step: str, typed: str, seconds: int = 0) -> None:
        """A member gives an answer."""
        nth = self._nth[member, step] = self._nth[member, step] + 1
        found = Answer(step, nth, typed, seconds or int(self.now))
        self._answers.append(Stored(self._id + 1, member, found))
        self._id += 1

    def press(self, **changes: Any) -> None:
        """The teacher changes the class."""
        self.classroom = replace(self.classroom, version=self.classroom.version + 1, **changes)
