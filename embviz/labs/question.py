"""A question as data, how an answer is read, and how it is judged.

Everything else reads this: the page of a student alone, the class, its bars, the tests. A question
holds its right answer, so it stays on the server. Only an answer that is told may be shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from embviz.labs.drawing import Picture, short
from embviz.text.digits import plain_digits
from embviz.text.refused import Refused
from embviz.text.wording import quote

MAX_TYPED = 100  # characters of an answer
OTHER = "other"  # the bar of all answers that show no typical mistake

Answer = str | tuple[float, ...]  # a choice, or numbers

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?", re.ASCII | re.I)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+", re.ASCII)


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
        fewer: whether fewer may be written.
        tolerance: the largest distance of a number from the one that it counts as.
        relative: the same, as a part of that one.
        integers: whether all numbers are integers.
        ordered: whether 1 2 and 2 1 are two answers. If not, repeats do not count either.
        pressed: whether each line of the prompt's table is an answer, and may be pressed.
        most: the largest number that can be meant; a larger one is refused.
        per: what each number stands for, in the words of `how`.
        within: the largest factor between a number and the one that it counts as.
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
    fewer: bool = False
    tolerance: float = 0.0
    relative: float = 0.0
    integers: bool = False
    ordered: bool = True
    pressed: bool = False
    most: float = math.inf
    per: str = ""
    within: float = 1.0

    @property
    def how(self) -> str:
        """How an answer is written, in a sentence."""
        if self.choices:
            return f"Choose one of: {'; '.join(self.choices)}."
        what = "whole number" if self.integers else "number"
        if self.count == 1:
            return f"Write one {what}."
        order = "" if self.ordered else ", in any order"
        many = f"1 to {self.count}" if self.fewer else f"{self.count}"
        per = f", {self.per}" if self.per else ""
        return f"Write {many} {what}s with spaces between{per}{order}."

    def same(self, answer: Answer, known: Answer) -> bool:
        """Whether an answer counts as one that is known."""
        if isinstance(answer, str) or isinstance(known, str):
            return answer == known
        if not self.ordered:
            answer, known = tuple(sorted({*answer})), tuple(sorted({*known}))
        return len(answer) == len(known) and all(
            abs(one - two) <= self.tolerance + self.relative * abs(two)
            or (min(one, two) > 0 and max(one, two) <= self.within * min(one, two))
            for one, two in zip(answer, known, strict=True)
        )


class Verdict(NamedTuple):
    """Whether an answer is right, and the sentence about its typical mistake, or `""`."""

    right: bool
    mistake: str


def read(question: Question, text: str) -> Answer:
    """The answer that was typed or chosen.

    Decimal commas are understood, and commas between thousands in whole numbers; 120.0 is whole.

    Raises:
        Refused: a sentence that quotes the text and says what is allowed.
    """
    if len(text) > MAX_TYPED:
        raise Refused(f"{len(text):,} characters are more than the {MAX_TYPED} allowed.")
    if not (text := text.strip()):
        raise Refused(f"Nothing is written yet. {question.how}")
    if question.choices:
        for choice in question.choices:
            if text.casefold() == choice.casefold():
                return choice
        raise Refused(f"{quote(text)} is not a choice. {question.how}")
    numbers = tuple(_number(word, question) for word in _words(text, question.count))
    fits = 1 <= len(numbers) <= question.count if question.fewer else len(numbers) == question.count
    if not fits:
        many = "1 number" if len(numbers) == 1 else f"{len(numbers)} numbers"
        raise Refused(f"{quote(text)} has {many}. {question.how}")
    return numbers


def judge(question: Question, answer: Answer) -> Verdict:
    """Whether an answer is right, and which typical mistake it shows."""
    if question.same(answer, question.right):
        return Verdict(True, "")
    known = _mistake(question, answer)
    return Verdict(False, "" if known is None else question.mistakes[known])


def bar_of(question: Question, answer: Answer) -> str:
    """The words under which an answer is counted: one of `bars_of`."""
    if question.same(answer, question.right):
        return written(question.right)
    known = _mistake(question, answer)
    return OTHER if known is None else written(known)


def bars_of(question: Question) -> Iterator[tuple[str, bool, str]]:
    """Each bar: its words, whether it is right, the sentence about the mistake.

    Choices stand in their order, numbers from the smallest, `OTHER` last and for numbers alone.
    """
    if question.choices:
        for choice in question.choices:
            yield choice, choice == question.right, question.mistakes.get(choice, "")
        return
    for answer in sorted([question.right, *question.mistakes]):
        yield written(answer), answer == question.right, question.mistakes.get(answer, "")
    yield OTHER, False, ""


def typed(answer: Answer) -> str:
    """An answer as `read` understands it, whatever the question.

    >>> typed((51200.0,)), typed((1.0, 1 / 3)), typed("both")
    ('51200', '1 0.3333333333', 'both')
    """
    return answer if isinstance(answer, str) else " ".join(f"{one:.10g}" for one in answer)


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


def _words(text: str, count: int) -> list[str]:
    """The numbers of an answer, as they were typed."""
    plain = plain_digits(text)
    bare = plain.strip(" []()\t,;")
    start = plain.index(bare)
    is_list = count > 1 and not re.search(r"[\s;]", bare)  # 1,2,3
    word = r"[^,]+" if is_list else r"(?:[^\s;,]|,(?!\s))+"
    found = re.finditer(word, bare)
    return [text[start + one.start() : start + one.end()] for one in found]


def _number(word: str, question: Question) -> float:
    plain = plain_digits(word)
    if question.integers and _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    plain = plain.replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        raise Refused(f"{quote(word)} is not a number. {question.how}")
    number = float(plain)
    if not math.isfinite(number):
        raise Refused(f"{quote(word)} is too large. {question.how}")
    if number > question.most:
        raise Refused(f"{quote(word)} is too large. {question.how}")
    if question.integers and not number.is_integer():
        raise Refused(f"{quote(word)} is not a whole number. {question.how}")
    return number
