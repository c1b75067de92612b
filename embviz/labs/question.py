"""A question as data, how an answer is read, and how it is judged.

Everything else reads this: the page of a student alone, the class, its bars, the tests. A question
holds its right answer, so it stays on the server. Only an answer that is told may be shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from embviz.labs.drawing import Picture, short
from embviz.labs.reading import Way, apart, ways
from embviz.text.refused import Refused
from embviz.text.wording import quote

MAX_TYPED = 100  # characters of an answer
OTHER = "other"  # the bar of all answers that show no typical mistake

ONLY = "Write only numbers, without words or units."  # Told where a word is no number.
THOUSAND = 1_000  # the smallest number that is written with a mark between its digits

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
        fewer: whether fewer may be written.
        tolerance: the largest distance of a number from the one that it counts as.
        relative: the same, as a part of that one.
        within: the largest factor between a positive number and the one that it counts as.
        most: the largest number that can be meant; a larger one is refused.
        per: what each number stands for, for `how`: "one for each letter".
        integers: whether all numbers are integers.
        ordered: whether 1 2 and 2 1 are two answers. If not, repeats do not count either.
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
    fewer: bool = False
    tolerance: float = 0.0
    relative: float = 0.0
    within: float = 1.0
    most: float = math.inf
    per: str = ""
    integers: bool = False
    ordered: bool = True
    pressed: bool = False

    @property
    def how(self) -> str:
        """How an answer is written, in a sentence."""
        if self.choices:
            return f"Choose one of: {'; '.join(self.choices)}."
        what = "whole number" if self.integers else "number"
        per = f", {self.per}" if self.per else ""
        if self.count == 1:
            return f"Write one {what}{per}."
        order = "" if self.ordered else ", in any order"
        return f"Write {self._many} {what}s with spaces between{order}{per}."

    @property
    def _many(self) -> str:
        """How many numbers are asked for."""
        return f"1 to {self.count}" if self.fewer else f"{self.count}"

    @property
    def known(self) -> list[Answer]:
        """The right answer and the typical mistakes."""
        return [self.right, *self.mistakes]

    def same(self, answer: Answer, known: Answer) -> bool:
        """Whether an answer counts as one that is known."""
        if isinstance(answer, str) or isinstance(known, str):
            return answer == known
        if not self.ordered:
            answer, known = tuple(sorted({*answer})), tuple(sorted({*known}))
        return len(answer) == len(known) and all(map(self._counts_as, answer, known))

    def _counts_as(self, one: float, known: float) -> bool:
        """Whether a number counts as one that is known."""
        if known > 0 and known / self.within <= one <= known * self.within:
            return True
        return abs(one - known) <= self.tolerance + self.relative * abs(known)


class Verdict(NamedTuple):
    """Whether an answer is right, and the sentence about its typical mistake, or `""`."""

    right: bool
    mistake: str


def read(question: Question, text: str) -> Answer:
    """The answer that was typed or chosen, in whatever way people write numbers (`reading`).

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
    one_whole = question.count == 1 and question.integers
    found = [*ways(text, minus_between=not question.fewer, blanks=one_whole)]
    faults = [_fault(question, text, way) for way in found]
    possible = [way for way, fault in zip(found, faults, strict=True) if fault is None]
    if not possible:
        _, sentence = min((one for one in faults if one), key=lambda fault: fault[0])
        raise Refused(sentence)
    return _meant(question, text, possible)


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
    if isinstance(answer, str):
        return answer
    return " ".join(f"{one:.15g}" if one.is_integer() else f"{one:.10g}" for one in answer)


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


def _fault(question: Question, text: str, way: Way) -> tuple[int, str] | None:
    """Why a text cannot be meant in a way, and before which other reasons it is told."""
    for word, plain, number in zip(*way[:3], strict=True):
        several = apart(plain) if question.integers and question.count > 1 else ""
        if math.isnan(number) and several:
            return 4, f"{quote(word)} is not a number. Put spaces between: {several}."
        if math.isnan(number):
            return 4, f"{quote(word)} is not a number. {question.how} {ONLY}"
        if question.within > 1 and number <= 0:
            return 1, f"{quote(word)} is not more than 0, and the answer is. {question.how}"
        if math.isinf(number):
            return 1, f"{quote(word)} is too large. {question.how}"
        if "/" in plain and several and number.is_integer():
            either = f"{number:.0f} or {several}"
            return 2, f"{quote(word)} can be a fraction or two numbers. Write {either}."
        if question.integers and not number.is_integer():
            return 2, f"{quote(word)} is not a whole number. {question.how}"
        if _runs_together(question, way, plain, number):
            return 0, f"{quote(word)} is one number. Put spaces between: {' '.join(plain)}."
        if number > question.most:
            most = f"{question.most:,.10g}"
            return 1, f"{quote(word)} is too large: at most {most} can be meant. {question.how}"
    count = len(way.words)
    if count == question.count or (question.fewer and 1 <= count < question.count):
        return None
    many = "1 number" if count == 1 else f"{count} numbers"
    asked = "1 is asked" if question.count == 1 else f"{question._many} are asked"
    return 3, f"{quote(text)} has {many}, and {asked}. {question.how}"


def _runs_together(question: Question, way: Way, plain: str, number: float) -> bool:
    """Whether a word is rather several numbers of one digit each."""
    if question.count == 1 or not question.integers or not plain.isdigit() or len(plain) == 1:
        return False
    if plain.startswith("0"):
        return True
    if question.most < 10:
        return number > question.most
    return not question.fewer and len(way.words) == 1 and len(plain) == question.count


def _meant(question: Question, text: str, possible: Sequence[Way]) -> Answer:
    """The answer of one of the ways that are possible.

    Raises:
        Refused: two of them are meant as well as each other.
    """
    known = [one for one in question.known if not isinstance(one, str)]
    if not question.integers and all(abs(number) < THOUSAND for one in known for number in one):
        # A comma is decimal here, unless the text can only be read with thousands.
        possible = [way for way in possible if not way.is_grouped] or possible
    first = possible[0]
    readings = [*dict.fromkeys(way.numbers for way in possible)]
    if len(readings) == 1:
        return first.numbers
    shown = " ".join(first.plain)
    # An address, and a class, have what `typed` gave; the page has what `written` gave.
    if shown == typed(first.numbers) or any(shown == written(one) for one in known):
        return first.numbers
    is_coarse = question.integers or question.within > 1  # Then nobody needs three decimals.
    is_coarse |= all(number.is_integer() for one in known for number in one)
    if is_coarse and shown == written(first.numbers):
        return first.numbers
    one, two = map(typed, readings[:2])
    raise Refused(f"{quote(text)} can be read in two ways. Write {one} or {two}.")
