"""A lab is data: steps, each with a prompt, a kind of answer and a way to compute the right one.

Everything a step shows or checks is a function of the student's values, so no answer is written
down anywhere. A step does not know how it is drawn, nor who has answered it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

import torch

from embviz.labs.answers import Kind, Value, same
from embviz.labs.student import Student

KINDS = {"predict": "before seeing", "do": "by hand or with the page", "explain": "in words"}
PARTS = ("", "playground", "bag", "training", "timing")
MOST_DRAWS = 1_000

V = TypeVar("V")


class LabError(ValueError):
    """A lab or a step that does not exist."""


@dataclass(frozen=True)
class Mistake(Generic[V]):
    """A typical mistake, recognised by the answer that it leads to.

    Attributes:
        words: what the answer given is the answer to, never the right one.
        solve: computes what somebody gets who makes it.
        met: where no single value tells it: whether an answer shows it.
    """

    words: str
    solve: Callable[[V], Value] | None = None
    met: Callable[[V, Any], bool] | None = None


@dataclass(frozen=True)
class Step(Generic[V]):
    """One thing to do.

    Attributes:
        name: for files and addresses; letters, digits and hyphens.
        title: a few words.
        kind: a key of KINDS.
        prompt: the question, in the marks that `marks` knows.
        answer: the kind of answer, or how it follows from the values.
        explanation: shown after an attempt.
        solve: computes the right answer; None for free text, and where only the student's own
            machine knows it.
        check: whether an answer is right, where more than one is.
        mistakes: in the order they are looked for.
        hints: in order; they lead to the answer and do not tell it.
        show: the live part set up for this step: `{"part": a PARTS, "settings": {...}}`. A
            `predict` step shows it after its first attempt.
    """

    name: str
    title: str
    kind: str
    prompt: Callable[[V], str]
    answer: Kind | Callable[[V], Kind]
    explanation: Callable[[V], str]
    solve: Callable[[V], Value] | None = None
    check: Callable[[V, Any], bool] | None = None
    mistakes: tuple[Mistake[V], ...] = ()
    hints: tuple[str | Callable[[V], str], ...] = ()
    show: Callable[[V], dict[str, Any]] | None = None

    def answer_kind(self, values: V) -> Kind:
        """The kind of answer for these values."""
        return self.answer(values) if callable(self.answer) else self.answer

    @property
    def graded(self) -> bool:
        """Whether a computation can tell right from wrong."""
        return self.solve is not None or self.check is not None

    def accepts(self, values: V, value: Value) -> bool:
        """Whether an answer is right. False for a step that is not graded."""
        if self.check is not None:
            return self.check(values, value)
        return self.solve is not None and same(self.answer_kind(values), value, self.solve(values))

    def mistake(self, values: V, value: Value) -> Mistake[V] | None:
        """The typical mistake that leads to this answer, if one does."""
        kind = self.answer_kind(values)
        for one in self.mistakes:
            if one.met is not None and one.met(values, value):
                return one
            if one.solve is not None and same(kind, value, one.solve(values)):
                return one
        return None

    def hint(self, values: V, number: int) -> str:
        """Hint `number`, counted from 0; the last one if there are fewer; `''` if there is none."""
        if not self.hints:
            return ""
        found = self.hints[min(number, len(self.hints) - 1)]
        return found(values) if callable(found) else found


@dataclass(frozen=True)
class Lab(Generic[V]):
    """An exercise of so many minutes.

    Attributes:
        code: its short name, in files, addresses and seeds.
        title: as a page heads it.
        minutes: how long a class takes, about.
        goals: what a student can do afterwards.
        values: all that a student's seed gives.
        steps: in order.
    """

    code: str
    title: str
    minutes: int
    goals: tuple[str, ...]
    values: Callable[[Student], V]
    steps: tuple[Step[V], ...]

    def step(self, name: str) -> Step[V]:
        """The step of that name.

        Raises:
            LabError: there is none, and which there are.
        """
        for one in self.steps:
            if one.name == name:
                return one
        names = ", ".join(one.name for one in self.steps)
        raise LabError(f"{name[:40]!r} is not a step of the lab {self.code!r}: {names}.")


def draw(
    student: Student,
    code: str,
    make: Callable[[int, torch.Generator], V],
    steps: Sequence[Step[V]],
    usable: Callable[[V], bool] = lambda values: True,
) -> V:
    """A student's values: drawn anew until no typical mistake leads to the right answer.

    Args:
        student: whose.
        code: of the lab.
        make: builds values from a table's seed and a generator of whole numbers. It may draw
            whole numbers alone, for those are the same on every machine.
        steps: of the lab.
        usable: whether values will do, for other reasons.
    """
    for number in range(MOST_DRAWS):
        seed = (student.seed(code) + number) % 2**32
        values = make(seed, student.generator(code, f"values {number}"))
        if usable(values) and all(_clear(step, values) for step in steps):
            return values
    raise LabError(f"No values for {student.name!r} in the lab {code!r}: its steps are at odds.")


def _clear(step: Step[V], values: V) -> bool:
    return step.solve is None or not any(
        step.accepts(values, one.solve(values)) for one in step.mistakes if one.solve is not None
    )


def digest(values: Any) -> str:
    """The SHA-256, in hex, of everything in a lab's values."""
    plain = {field.name: _plain(getattr(values, field.name)) for field in fields(values)}
    return hashlib.sha256(
        json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        # Weights are whole numbers, so that no rounding stands between two machines.
        return [str(value.dtype), list(value.shape), [int(one) for one in value.flatten().tolist()]]
    return value
