"""The state of a class at one moment, and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from embviz.text.refused import Refused


class ClassError(Refused):
    """The sentence that says why a request to a class is refused."""


class NoClassError(ClassError):
    """There is no class with that code."""


class RemovedError(ClassError):
    """The teacher has removed the row of this browser, which has not asked to come again."""


class StoreError(Refused):
    """The file cannot be read or written now."""


@dataclass(frozen=True)
class StepState:
    """Where a step of a class stands.

    Attributes:
        vote: 1 or 2: the one that is open, or was the last.
        revealed: whether the votes are closed and told.
        paused: whether it is the last step that is open.
    """

    vote: int = 1
    revealed: bool = False
    paused: bool = False


@dataclass(frozen=True)
class Room:
    """A class, as one moment found it.

    Attributes:
        code: of the class.
        seed: of everybody's numbers; it stays on the server.
        labs: those that the class has opened, in order.
        lab: where the class is: the last one that was opened, or to which it was brought.
        at: the step where the class is; 0 if nobody was brought anywhere.
        moved: how often the class was brought somewhere.
        ended: whether every step is told, and no answer is taken.
        version: changes with each press of the teacher.
        until: the end of the countdown, in seconds since 1970; 0 for none.
        closed: whether the door is closed: no further members.
        shown_lab: the lab that the boards show; `""` for where the class is.
        shown_step: the step that they show; 0 for where the class is.
        steps: those that a press has changed, by lab and number.
    """

    code: str
    seed: int
    labs: tuple[str, ...]
    lab: str
    at: int = 0
    moved: int = 0
    ended: bool = False
    version: int = 1
    until: float = 0.0
    closed: bool = False
    shown_lab: str = ""
    shown_step: int = 0
    steps: Mapping[tuple[str, int], StepState] = field(default_factory=dict)

    @property
    def shown(self) -> tuple[str, int]:
        """Lab and step that all boards of the class show."""
        return self.shown_lab or self.lab, self.shown_step or self.at or 1

    def step(self, lab: str, number: int) -> StepState:
        """A step of a lab, counted from 1."""
        return self.steps.get((lab, number), StepState())

    def tells(self, lab: str, number: int) -> bool:
        """Whether members learn if an answer to this step is right, and the board shows it."""
        return self.ended or self.step(lab, number).revealed

    def paused(self, lab: str) -> int:
        """The last step of a lab that is open; 0 for all, as after the end."""
        if self.ended:
            return 0
        return max(
            (at for (key, at), step in self.steps.items() if key == lab and step.paused), default=0
        )

    def presses(self, lab: str, number: int) -> list[str]:
        """The presses of its teacher at this step, by the names in `presses.PRESSES`."""
        if self.ended:
            return []
        step = self.step(lab, number)
        found = ["bring", "go_on" if step.paused else "pause_here"]
        if not step.revealed:
            found.append("reveal")
            if step.vote == 1:
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
        title: of the question.
    """

    typed: str
    bar: str
    right: bool
    mistake: str = ""
    title: str = ""
