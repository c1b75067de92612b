"""A lab as one student has it, alone or in a class: what is asked, given and told.

Steps are counted from 1. Nothing is drawn here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from embviz.labs.question import Answer, Question, Verdict, judge
from embviz.text.refused import Refused
from embviz.ui.state.address import setting
from embviz.ui.state.session import session

EASIER, HARDER = 1, 2
# Places after the end, in an address, of the questions beside the steps.
BESIDE = {EASIER: "easier", HARDER: "harder"}


@dataclass(frozen=True)
class Stand:
    """The state of a step for one student.

    Attributes:
        tells: whether the verdict on an answer is told.
        is_revealed: whether the right answer is told, also without an answer.
        vote: the vote that takes answers, 1 or 2.
    """

    tells: bool = True
    is_revealed: bool = False
    vote: int = 1


def _not_noted(_written: str) -> None:
    """Nobody is told what could not be read."""


@dataclass(frozen=True)
class Lesson:
    """A lab as one student has it.

    Attributes:
        lab: its key in `LABS`.
        place: where the work is kept: it begins the key of each field.
        asked: the questions with their right answers, which stay on the server.
        given: by step, the answers that count, the last one last.
        keep: keeps an answer to a step; raises `Refused`.
        stand: how a step stands.
        paused: the last step that is open; 0 for all.
        takes_answers: whether anything can still be answered.
        note: is told what was written and could not be read.
    """

    lab: str
    place: str
    asked: Sequence[Question]
    given: Mapping[int, Sequence[Answer]]
    keep: Callable[[int, Answer], None]
    stand: Callable[[int], Stand] = lambda _: Stand()
    paused: int = 0
    takes_answers: bool = True
    note: Callable[[str], None] = _not_noted

    @property
    def last(self) -> int:
        """The last step."""
        return len(self.asked)

    @property
    def end(self) -> int:
        """One more than the last step; the questions of `BESIDE` come after it."""
        return self.last + 1

    @property
    def step(self) -> int:
        """The step of the address, the end, or the place of a question beside the steps."""
        step = int(setting("step"))
        return step if step - self.end in BESIDE else min(step, self.end)

    @property
    def back(self) -> int:
        """The step, or the one to which a question beside the steps leads back."""
        leads = {self.end + EASIER: 1, self.end + HARDER: self.paused or self.end}
        return leads.get(self.step, self.step)

    @property
    def is_open(self) -> bool:
        """Whether the step of the address takes an answer."""
        return self.takes_answers and not 0 < self.paused < self.step

    def verdict(self, step: int) -> Verdict | None:
        """The verdict on the last answer to a step; None before it may be told."""
        answers = self.given.get(step)
        if not answers or not self.stand(step).tells:
            return None
        return judge(self.asked[step - 1], answers[-1])

    def key(self, step: int) -> str:
        """The key of the field for a step."""
        return f"answer {self.place} {self.lab} {step} {self.stand(step).vote}"


def attempt(act: Callable[..., object], *args: Any) -> None:
    """A callback: call `act`, or show at the next run why that is refused."""
    try:
        act(*args)
    except Refused as refused:
        session().own["labs_refused"] = refused
