"""A lab is data: steps, each with a prompt, a kind of answer and a way to compute the solution.

Everything that a step shows or checks is a function of the student's values, so no answer is
stored. A step does not know how it is drawn, nor who has answered it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import torch

from embviz.core.refused import Refused
from embviz.labs.answers import Kind, Value
from embviz.labs.picture import Picture
from embviz.labs.student import Student

MINUTES = 15  # that each lab takes, about
MOST_DRAWS = 1_000

V = TypeVar("V")


class LabError(Refused):
    """A lab that does not exist, or that has no values for a student."""


@dataclass(frozen=True)
class Mistake(Generic[V]):
    """A typical mistake, recognised by the answer that it leads to.

    Attributes:
        feedback: which question the given answer would answer; never the right answer.
        solve: the answer that this mistake leads to, or a function that computes it.
        found: whether an answer shows the mistake; used where no single answer does.
    """

    feedback: str
    solve: Callable[[V], Any] | str | None = None
    found: Callable[[V, Any], bool] | None = None

    def answer(self, values: V) -> Value | None:
        """The answer that this mistake leads to, or None where there is no single one."""
        return _value(self.solve(values) if callable(self.solve) else self.solve)


@dataclass(frozen=True)
class Step(Generic[V]):
    """One question.

    Attributes:
        name: for addresses; letters, digits and hyphens.
        title: a few words.
        prompt: the question, in the markup of `labs.markup`.
        answer: the kind of answer, or a function of the values that returns it.
        explanation: shown after an attempt.
        solve: computes the solution. None where only the student's own machine knows it.
        check: whether an answer is right, where there is no `solve`.
        mistakes: the first that matches is named.
        hints: in order. They lead to the answer and do not contain it.
        picture: the step's picture, before (False) or after (True) it may show the answer. It
            has nothing that a later step asks for.
        live: a part of a page, for a step whose later steps ask for nothing in it:
            `{"part": name, "settings": {...}}`. It waits for an attempt.
        measured: whether the answer is read off the live part, which then does not wait.
        predict: whether it is answered before seeing: an attempt completes the picture.
    """

    name: str
    title: str
    prompt: Callable[[V], str]
    answer: Kind | Callable[[V], Kind]
    explanation: Callable[[V], str]
    solve: Callable[[V], Any] | None = None
    check: Callable[[V, Any], bool] | None = None
    mistakes: tuple[Mistake[V], ...] = ()
    hints: tuple[str | Callable[[V], str], ...] = ()
    picture: Callable[[V, bool], Picture] | None = None
    live: Callable[[V], dict[str, Any]] | None = None
    measured: bool = False
    predict: bool = False

    def answer_kind(self, values: V) -> Kind:
        """The kind of answer for these values."""
        return self.answer if isinstance(self.answer, Kind) else self.answer(values)

    def solution(self, values: V) -> Value | None:
        """The right answer, or None where there is no single one."""
        return None if self.solve is None else _value(self.solve(values))

    def accepts(self, values: V, value: Value) -> bool:
        """Whether an answer is right."""
        if self.check is not None:
            return self.check(values, value)
        return self.answer_kind(values).same(value, self.solution(values))

    def mistake(self, values: V, value: Value) -> Mistake[V] | None:
        """The typical mistake that leads to this answer, or None."""
        kind = self.answer_kind(values)
        for one in self.mistakes:
            if one.found is not None and one.found(values, value):
                return one
            if one.solve is not None and kind.same(value, one.answer(values)):
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
    """An exercise of several steps.

    Attributes:
        code: its short name, in addresses and seeds.
        title: the page's heading.
        goals: what a student can do afterwards.
        make: builds values from a table's seed and a generator. It may draw whole numbers only,
            because those are the same on every machine.
        steps: in order.
        sign: the small picture on its card, without words.
        usable: whether drawn values meet the lab's conditions; None for no conditions.
    """

    code: str
    title: str
    goals: tuple[str, ...]
    make: Callable[[int, torch.Generator], V]
    steps: tuple[Step[V], ...]
    sign: Picture
    usable: Callable[[V], bool] | None = None

    def values(self, student: Student) -> V:
        """A student's values, drawn again until no typical mistake leads to the right answer.

        Raises:
            LabError: no draw was usable.
        """
        for number in range(MOST_DRAWS):
            seed = (student.seed(self.code) + number) % 2**32
            values = self.make(seed, student.generator(self.code, f"values {number}"))
            if (self.usable is None or self.usable(values)) and all(
                not step.accepts(values, answer)
                for step in self.steps
                for one in step.mistakes
                if step.solve is not None and (answer := one.answer(values)) is not None
            ):
                return values
        raise LabError(
            f"No values for {student.name!r} in the lab {self.code!r}: its steps are at odds."
        )


def integer(generator: torch.Generator, high: int, low: int = 0) -> int:
    """A whole number from `low` to `high - 1`."""
    return int(torch.randint(low, high, (1,), generator=generator))


def sample(generator: torch.Generator, count: int, of: int) -> list[int]:
    """`count` different whole numbers below `of`, in random order."""
    numbers: list[int] = torch.randperm(of, generator=generator)[:count].tolist()
    return numbers


def _value(computed: Any) -> Value | None:
    """A computed tensor or list as the value of an answer: a number, or a tuple of numbers."""
    if isinstance(computed, torch.Tensor):
        computed = computed.tolist()
    value: Value | None = tuple(computed) if isinstance(computed, list) else computed
    return value
