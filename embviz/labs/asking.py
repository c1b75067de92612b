"""How a lab's module writes its questions: from tensors, with mistakes by their sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import torch

from embviz.labs.drawing import Picture, short
from embviz.labs.question import Answer, Question

COMMAS = "with or without commas between thousands"  # how a large number may be written
DIGITS = 7  # Significant digits of an answer: a float32 has no more, and 4.2 is not 4.1999998.

Numbers = float | torch.Tensor | Iterable[float]
Ask = Callable[[Any], Question]  # the function of a step


@dataclass(frozen=True)
class Step:
    """A step of a lab.

    Attributes:
        ask: makes the question from the lab's numbers.
        minutes: a class needs for it, its vote and *Reveal* included.
        say: what a teacher says or asks after *Reveal*, one or two sentences.
    """

    ask: Ask
    minutes: int
    say: str


@dataclass(frozen=True)
class Lab:
    """An exercise of several steps.

    Attributes:
        title: the page's heading.
        about: what a student does and learns, for its card, in a few words.
        sign: the small picture on its card.
        draw: draws the lab's numbers, whole numbers only: those are the same on every machine.
        steps: in order.
        goals: what a student can do afterwards, two to four lines, in the order of the steps.
        needs: what a student must know before, a sentence.
        exit_ticket: the functions of the steps that are asked again at the end, with other
            numbers.
        easier: asks an easier question before the first step; it draws its own numbers.
        harder: asks a harder one, for students who are quick. No lesson counts on these two.
        try_it: a page, and the settings that show the lab's numbers there.
    """

    title: str
    about: str
    sign: Picture
    draw: Callable[[np.random.Generator], Any]
    steps: tuple[Step, ...]
    goals: tuple[str, ...]
    needs: str
    exit_ticket: tuple[Ask, ...]
    easier: Callable[[np.random.Generator], Question]
    harder: Callable[[np.random.Generator], Question]
    try_it: Callable[[Any], tuple[str, Mapping[str, Any]]]

    @property
    def minutes(self) -> int:
        """Minutes that a class needs for all steps."""
        return sum(step.minutes for step in self.steps)

    @property
    def ticket(self) -> list[int]:
        """The numbers of the steps of the exit ticket."""
        return [*map(self.number, self.exit_ticket)]

    def number(self, ask: Ask) -> int:
        """The number of the step that has this function, counted from 1."""
        return [step.ask for step in self.steps].index(ask) + 1


class Clash(ValueError):
    """Numbers are of no use, or two answers to a question agree: others must be drawn."""


def numbers(
    title: str, prompt: str, right: Numbers, wrong: Mapping[str, Numbers], **more: Any
) -> Question:
    """A question for numbers, as many as the right answer has.

    Args:
        title: a few words.
        prompt: Markdown.
        right: the right numbers.
        wrong: the answer of each typical mistake, by the sentence about it.
        more: the other fields of `Question`.

    Raises:
        Clash: a typical mistake leads to the right answer, or two of them to one.
    """
    solved = _tuple(right)
    mistakes: dict[Answer, str] = {_tuple(answer): words for words, answer in wrong.items()}
    made = Question(title, prompt, solved, mistakes=mistakes, **({"count": len(solved)} | more))
    agree = any(made.same(*two) for two in combinations([solved, *mistakes], 2))
    if agree or len(mistakes) < len(wrong):
        raise Clash(title)
    return made


def choice(
    title: str, prompt: str, right: str, options: Mapping[str, str], **more: Any
) -> Question:
    """A question with a choice.

    Args:
        title: a few words.
        prompt: Markdown.
        right: one of the options.
        options: the sentence about each, should it be chosen wrongly.
        more: the other fields of `Question`.
    """
    mistakes: dict[Answer, str] = {
        option: words for option, words in options.items() if option != right
    }
    return Question(title, prompt, right, choices=tuple(options), mistakes=mistakes, **more)


def listed(numbers: torch.Tensor) -> str:
    """Numbers as code.

    >>> listed(torch.tensor([1.0, -0.25]))
    '`[1, -0.25]`'
    """
    return f"`[{', '.join(map(short, numbers.tolist()))}]`"


def fence(table: torch.Tensor, labels: Iterable[str] = (), heads: Iterable[str] = ()) -> str:
    """A table as a block of code, numbers aligned on the right.

    >>> print(fence(torch.tensor([[1.0, 12.0], [-3.0, 4.0]]), ["a", "bc"]))
    ```
    a    1 12
    bc  -3  4
    ```
    """
    cells = [list(map(short, line)) for line in table.tolist()]
    names = list(labels)
    if heads := list(heads):
        cells.insert(0, heads)
        names.insert(0, "")
    wide = max(len(cell) for line in cells for cell in line)
    left = max(map(len, names), default=0)
    shown = [" ".join(f"{cell:>{wide}}" for cell in line) for line in cells]
    if left:
        shown = [f"{name:<{left}}  {line}" for name, line in zip(names, shown, strict=True)]
    return "\n".join(["```", *shown, "```"])


def plus(parts: torch.Tensor) -> str:
    """A sum in writing.

    >>> plus(torch.tensor([1.0, -2.0]))
    '1 + (-2)'
    """
    shown = [short(part) for part in parts.tolist()]
    return " + ".join(f"({part})" if part.startswith("-") else part for part in shown)


def _tuple(value: Numbers) -> tuple[float, ...]:
    if isinstance(value, torch.Tensor):
        value = value.flatten().tolist()
    values = value if isinstance(value, Iterable) else [value]
    return tuple(float(f"{float(value):.{DIGITS}g}") for value in values)
