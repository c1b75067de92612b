"""The state of a class at one moment, and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from embviz.text.refused import Refused


class ClassError(Refused):
    """The sentence that says why a request to a class is refused."""


class NoClassError(ClassError):
    """There is no class with that code."""


class StoreError(Refused):
    """The file cannot be read or written now."""


@dataclass(frozen=True)
class StepState:
    """Where a step of a class stands.

    Attributes:
        vote: 1 or 2: the one that is open, or was the last.
        revealed: whether the votes are closed and told.
        hidden: whether the board covers what was revealed.
    """

    vote: int = 1
    revealed: bool = False
    hidden: bool = False


@dataclass(frozen=True)
class Room:
    """A class, as one moment found it.

    Attributes:
        seed: of everybody's numbers; it stays on the server.
        own_pace: whether each step counts as revealed.
        paused: the last step that is open; 0 for all.
        version: changes with each press of the teacher.
        steps: those that a press has changed.
        closed: whether the door is closed: no further members.
    """

    code: str
    lab: str
    seed: int
    own_pace: bool
    paused: int
    ended: bool
    version: int
    steps: Mapping[int, StepState] = field(default_factory=dict)
    closed: bool = False

    def step(self, number: int) -> StepState:
        """A step, counted from 1."""
        return self.steps.get(number, StepState())

    def tells(self, number: int) -> bool:
        """Whether members learn at once if an answer to this step is right."""
        return self.own_pace or self.step(number).revealed

    def shows(self, number: int) -> bool:
        """Whether the board shows what is right."""
        return self.tells(number) and not self.step(number).hidden

    def presses(self, number: int) -> list[str]:
        """The presses of its teacher at this step, by the names in `store.PRESSES`."""
        found = []
        if not self.ended:
            found.append("go_on" if self.paused == number else "pause_here")
        if not self.own_pace:
            found.append("hide" if self.shows(number) else "reveal")
            if not self.ended and self.step(number) == StepState():
                # Last in the row: it disappears after a press, and a double click must not hit
                # another button.
                found.append("vote_again")
        return found


@dataclass(frozen=True)
class StoredAnswer:
    """One answer with its verdict.

    Attributes:
        typed: as the student wrote it.
        bar: the words under which it is counted.
        mistake: the typical mistake in words, or `""`.
    """

    typed: str
    bar: str
    right: bool
    mistake: str = ""
