"""What the store of classes keeps, as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from embviz.core.refused import Refused


class ClassError(Refused):
    """A class, a member or an answer that is refused; the sentence says why."""


class StoreError(OSError):
    """The database cannot be read or written now; the sentence says why. Try again later."""


@dataclass(frozen=True)
class Classroom:
    """A class, and what its teacher pressed last.

    Attributes:
        code: two words and a number, such as `tidy-otter-42`.
        lab: the lab's code.
        begun: when it was started, in seconds since 1970.
        version: grows by 1 with each change below.
        paused: the number of the step where the class waits, from 1; None for no pause.
        revealed: the steps whose answers were revealed, by name, with the id of the last answer
            before: their spread stays as it was then.
        ended: whether it takes no more answers.
    """

    code: str
    lab: str
    begun: int
    version: int = 0
    paused: int | None = None
    revealed: Mapping[str, int] = field(default_factory=dict)
    ended: bool = False


@dataclass(frozen=True)
class Member:
    """A member of a class.

    Attributes:
        number: from 1, in the order in which they came.
        pseudonym: two words, unique in the class, such as `brave heron`.
        guest: the name that decides the lab's values, as `labs.student.guest` makes them.
    """

    number: int
    pseudonym: str
    guest: str


@dataclass(frozen=True)
class Answer:
    """One answer of a member.

    Attributes:
        step: the step's name.
        nth: which attempt of the member at this step it is, from 1.
        typed: the value in its canonical form.
        seconds: whole seconds since the member began the lab.
    """

    step: str
    nth: int
    typed: str
    seconds: int


@dataclass(frozen=True)
class Stored:
    """An answer in the store.

    Attributes:
        id: grows with each answer of all classes.
        member: the member's number.
    """

    id: int
    member: int
    answer: Answer


@dataclass(frozen=True)
class News:
    """What happened in a class since an earlier look.

    Attributes:
        classroom: as it is now.
        members: those who came, in the order in which they came.
        answers: those with a larger id than asked for, in the order of their ids.
        last: the largest id seen; the next look asks from here.
    """

    classroom: Classroom
    members: tuple[Member, ...]
    answers: tuple[Stored, ...]
    last: int
