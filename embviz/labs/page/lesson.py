"""A lab as one student has it, alone or in a class: what is asked, answered and told.

Steps are counted from 1. Nothing is drawn here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from embviz.labs.question import Answer, Question, Verdict, judge
from embviz.text.refused import Refused
from embviz.ui.state.address import setting
from embviz.ui.state.session import session

EASIER, HARDER = 1, 2
# Places after the end, in an address, of the questions beside the steps.
BESIDE = {EASIER: "easier", HARDER: "harder"}


def _not_noted(_written: str) -> None:
    """Nobody is told what could not be read."""


@dataclass(frozen=True)
class Task:
    """A question as one student has it: a step of a lab, or a question beside the steps.

    Attributes:
        question: with its right answer, which stays on the server.
        key: that of its field: another one for another student, lab, step or vote.
        answers: those that count, the last one last.
        keep: keeps an answer; raises `Refused`.
        vote: the vote that takes answers, 1 or 2.
        tells: whether the verdict on an answer is told.
        is_revealed: whether the right answer is told, also without an answer.
        is_behind: whether the class has paused before it: it takes no answer yet.
        is_over: whether it takes no more answers.
        note: is told what was written and could not be read.
    """

    question: Question
    key: str
    answers: Sequence[Answer]
    keep: Callable[[Answer], None]
    vote: int = 1
    tells: bool = True
    is_revealed: bool = False
    is_behind: bool = False
    is_over: bool = False
    note: Callable[[str], None] = _not_noted

    @property
    def is_open(self) -> bool:
        """Whether it takes an answer now."""
        return not (self.is_behind or self.is_over)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the last answer; None before it may be told."""
        if not self.answers or not self.tells:
            return None
        return judge(self.question, self.answers[-1])


@dataclass(frozen=True)
class Lesson:
    """A lab as one student has it.

    Attributes:
        lab: its key in `LABS`.
        place: where the work is kept: the numbers of a student alone, or a member of a class.
        tasks: its steps, in order.
        paused: the last step that is open; 0 for all.
    """

    lab: str
    place: str
    tasks: Sequence[Task]
    paused: int = 0

    @property
    def last(self) -> int:
        """The last step."""
        return len(self.tasks)

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
    def answered(self) -> list[int]:
        """The steps with an answer that counts."""
        return [step for step, task in enumerate(self.tasks, 1) if task.answers]


def attempt(act: Callable[..., object], *args: Any) -> None:
    """A callback: call `act`, or show at the next run why that is refused."""
    try:
        act(*args)
    except Refused as refused:
        session().own["labs_refused"] = refused
