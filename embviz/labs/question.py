"""A question as data, and how an answer to it is judged, counted and shown.

Everything else uses this: the page of a student alone, the class, its bars, the tests. A question
holds its right answer, so it stays on the server. Only an answer that is told may be shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from embviz.labs.drawing import Picture, short

OTHER = "other"  # the bar of all answers that show no typical mistake
# Sentences about answers that differ from the right one in a way that any question knows.
SIGNS = "Without the signs it would be right. Check each sign."
REVERSED = "The numbers are right, but their order is reversed."
MISSING, ADDED = "One is missing. The others are right.", "One is too many. The others are right."
# Their bars.
SLIPS = {SIGNS: "other signs", REVERSED: "reversed", MISSING: "one missing", ADDED: "one too many"}
# Sentences about right answers.
ONCE = "Each number is named once."
PRINTED = "PyTorch prints it as it stands below: look at its brackets and points."

Answer = str | tuple[float, ...]  # a choice, or numbers


@dataclass(frozen=True)
class Question:
    """One question with numbers of its own.

    Attributes:
        title: a few words.
        prompt: Markdown. Tables stand in fences of backquotes.
        right: the text of the right choice, or the right numbers.
        why: Markdown; shown with the verdict, never before.
        choices: in the one order that all see who have the same seed; empty for numbers.
        mistakes: each wrong choice, or typical wrong numbers, and the sentence about it. The
            sentence never tells the right answer.
        hints: two, in order. They lead to the answer and do not contain it.
        start: the picture beside the question, before any answer.
        small: the picture after a wrong answer; it does not show the right one.
        picture: the picture with the answer; each question of a lab has one.
        count: how many numbers are asked for.
        is_set: whether up to so many are asked for, in any order; repeats do not count.
        tolerance: the largest distance of a number from the one that it counts as; with 0, whole
            numbers are asked for.
        within: the largest factor between a positive number and the one that it counts as.
        most: the largest number that can be meant; a larger one is refused.
        per: what each number stands for, for `how`: "one for each letter".
        pressed: whether each line of the prompt's table is an answer, and may be pressed.
    """

    title: str
    prompt: str
    right: Answer
    why: str
    choices: tuple[str, ...] = ()
    mistakes: Mapping[Answer, str] = field(default_factory=dict)
    hints: tuple[str, ...] = ()
    start: Picture = ()
    small: Picture = ()
    picture: Picture = ()
    count: int = 1
    is_set: bool = False
    tolerance: float = 0.0
    within: float = 1.0
    most: float = math.inf
    per: str = ""
    pressed: bool = False

    @property
    def integers(self) -> bool:
        """Whether all numbers are integers."""
        return not self.tolerance

    @property
    def how(self) -> str:
        """How an answer is written, in a sentence."""
        if self.choices:
            return f"Choose one of: {'; '.join(self.choices)}."
        what = "whole number" if self.integers else "number"
        per = f", {self.per}" if self.per else ""
        if self.count == 1:
            return f"Write one {what}{per}."
        order = ", in any order" if self.is_set else ""
        return f"Write {self.many} {what}s with spaces between{order}{per}."

    @property
    def many(self) -> str:
        """How many numbers are asked for."""
        return f"1 to {self.count}" if self.is_set else f"{self.count}"

    @property
    def known(self) -> list[Answer]:
        """The right answer and the typical mistakes."""
        return [self.right, *self.mistakes]

    def same(self, answer: Answer, known: Answer) -> bool:
        """Whether an answer counts as one that is known."""
        if isinstance(answer, str) or isinstance(known, str):
            return answer == known
        if self.is_set:
            answer, known = tuple(sorted({*answer})), tuple(sorted({*known}))
        return len(answer) == len(known) and all(map(self._counts_as, answer, known))

    def _counts_as(self, number: float, known: float) -> bool:
        """Whether a number counts as one that is known."""
        if known > 0 and known / self.within <= number <= known * self.within:
            return True
        return abs(number - known) <= self.tolerance


class Verdict(NamedTuple):
    """Whether an answer is right, and the sentence about its mistake, or `""`."""

    right: bool
    mistake: str


def judge(question: Question, answer: Answer) -> Verdict:
    """Whether an answer is right, and which mistake it shows."""
    if question.same(answer, question.right):
        return Verdict(True, "")
    known = _mistake(question, answer)
    return Verdict(False, _slip(question, answer) if known is None else question.mistakes[known])


def remark(question: Question, answer: Answer, text: str) -> str:
    """A sentence about a right answer, or `""`; `text` is what was typed."""
    if question.is_set and len({*answer}) < len(answer):
        return ONCE
    bare, why = ("".join(words.split()) for words in (text, question.why))
    is_print = "tensor(" in bare and "tensor(" in why
    return PRINTED if is_print and bare.removeprefix(">>>") not in why else ""


def bar_of(question: Question, answer: Answer) -> str:
    """The words under which an answer is counted: one of `bars_of`."""
    if question.same(answer, question.right):
        return written(question.right)
    known = _mistake(question, answer)
    if known is None:
        return SLIPS.get(_slip(question, answer), OTHER)
    return written(known)


def bars_of(question: Question) -> Iterator[tuple[str, bool, str]]:
    """Each bar: its words, whether it is right, the sentence about the mistake.

    Choices stand in their order, numbers from the smallest. For numbers alone there are those of
    `SLIPS`, and `OTHER` last.
    """
    for answer in question.choices or sorted(question.known):
        yield written(answer), answer == question.right, question.mistakes.get(answer, "")
    if not question.choices:
        yield from ((words, False, said) for said, words in SLIPS.items())
        yield OTHER, False, ""


def typed(answer: Answer) -> str:
    """An answer as `answer.read` understands it, whatever the question.

    >>> typed((51200.0,)), typed((1.0, 1 / 3)), typed("both")
    ('51200', '1 0.3333333333', 'both')
    """
    if isinstance(answer, str):
        return answer
    return " ".join(
        f"{number:.15g}" if number.is_integer() else f"{number:.10g}" for number in answer
    )


def written(answer: Answer) -> str:
    """An answer as it is shown.

    >>> written((51200.0,)), written((1.0, 1 / 3)), written("both")
    ('51,200', '1 0.333333', 'both')
    """
    if isinstance(answer, str):
        return answer
    return " ".join(map(short, answer))


def _mistake(question: Question, answer: Answer) -> Answer | None:
    return next((known for known in question.mistakes if question.same(answer, known)), None)


def _slip(question: Question, answer: Answer) -> str:
    """The sentence about an answer that is nearly right, or `""`."""
    right = question.right
    if isinstance(answer, str) or isinstance(right, str):
        return ""
    if question.same(tuple(map(abs, answer)), tuple(map(abs, right))):
        return SIGNS
    if not question.is_set:
        return REVERSED if question.same(answer[::-1], right) else ""
    if len({*answer} ^ {*right}) == 1:
        return MISSING if {*answer} < {*right} else ADDED
    return ""
