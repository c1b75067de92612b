"""Kinds of answer: how each is written, read and compared.

A kind reads what a student typed and returns a value, or raises an error that quotes it and says
what is allowed. It knows no question and no right answer.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from embviz.core.refused import Refused
from embviz.core.wording import quote

MAX_TYPED = 100  # characters of an answer

Value = int | float | str | tuple[int, ...] | tuple[float, ...]

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_INTEGER = re.compile(r"[+-]?(?:\d{1,20}|\d{1,3}(?:,\d{3}){1,6})", re.ASCII)


class AnswerError(Refused):
    """An answer that cannot be read; says what is allowed."""


class Kind(ABC):
    """The base of all kinds of answer."""

    @property
    @abstractmethod
    def how(self) -> str:
        """How an answer of this kind is written, in a sentence."""

    @abstractmethod
    def parse(self, typed: str) -> Value:
        """The value of a text that is not empty and has no spaces around it."""

    def same(self, value: Any, solution: Any) -> bool:
        """Whether a value counts as the solution."""
        return bool(value == solution)

    def read(self, typed: str) -> Value:
        """The value of what was typed.

        Raises:
            AnswerError: a sentence that quotes it and says what is allowed.
        """
        if len(typed) > MAX_TYPED:
            raise AnswerError(f"{len(typed):,} characters are more than the {MAX_TYPED} allowed.")
        if not (typed := typed.strip()):
            raise AnswerError(f"Nothing is written yet. {self.how}")
        return self.parse(typed)


@dataclass(frozen=True)
class Number(Kind):
    """One number, right within the tolerance.

    Attributes:
        tolerance: the largest distance from the solution that still counts.
        relative: whether `tolerance` is a share of the solution.

    >>> Number(0.01).read("-.5"), Number(0.01).same(0.754, 0.75)
    (-0.5, True)
    """

    tolerance: float
    relative: bool = False
    how = "Write a number as 12, -3 or 0.75, with a point and no other signs."

    def parse(self, typed: str) -> float:
        """One number."""
        return _number(typed, self.how)

    def same(self, value: Any, solution: Any) -> bool:
        """Whether the two are at most the tolerance apart."""
        scale = abs(solution) if self.relative else 1.0
        return bool(abs(value - solution) <= self.tolerance * scale)


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number from `low` to `high`, with or without commas between thousands.

    >>> Integer(0, 2000).read("1,024")
    1024
    """

    low: int
    high: int

    @property
    def how(self) -> str:
        """The range."""
        return f"Write a whole number from {self.low:,} to {self.high:,}."

    def parse(self, typed: str) -> int:
        """One number in the range."""
        if not _INTEGER.fullmatch(plain := _ascii_minus(typed)):
            raise AnswerError(f"{quote(plain)} is not a whole number. {self.how}")
        number = int(plain.replace(",", ""))
        if not self.low <= number <= self.high:
            raise AnswerError(f"{number:,} is out of range. {self.how}")
        return number


@dataclass(frozen=True)
class Choice(Kind):
    """One of several texts, in whatever case."""

    options: tuple[str, ...]

    @property
    def how(self) -> str:
        """The options."""
        return f"Choose one of: {'; '.join(self.options)}."

    def parse(self, typed: str) -> str:
        """The option as it is written in the list."""
        for option in self.options:
            if typed.casefold() == option.casefold():
                return option
        raise AnswerError(f"{quote(typed)} is not one of: {'; '.join(self.options)}.")


@dataclass(frozen=True)
class Ids(Kind):
    """1 to `most` whole numbers from 0 on.

    Attributes:
        most: how many may be written.
        ordered: whether 1 2 and 2 1 are two answers. If not, repeats do not count either.

    >>> Ids(4).read("[2, 0, 1]"), Ids(3, ordered=False).same((2, 0), (0, 2))
    ((2, 0, 1), True)
    """

    most: int
    ordered: bool = True

    @property
    def how(self) -> str:
        """An example, and whether the order counts."""
        order = "in order" if self.ordered else "in any order"
        return f"Write whole numbers with spaces between, as 2 0 3, {order}."

    def parse(self, typed: str) -> tuple[int, ...]:
        """The ids as they were written."""
        words = _words(_ascii_minus(typed))
        for word in words:
            if not re.fullmatch(r"\d{1,9}", word, re.ASCII):
                raise AnswerError(f"{quote(word)} is not an id. {self.how}")
        if not 1 <= len(words) <= self.most:
            raise AnswerError(f"{_count(words)} given; 1 to {self.most} are allowed. {self.how}")
        return tuple(map(int, words))

    def same(self, value: Any, solution: Any) -> bool:
        """Whether the ids are the same, or the sets of them."""
        return bool(value == solution if self.ordered else set(value) == set(solution))


@dataclass(frozen=True)
class Vector(Kind):
    """`length` numbers, each right within the tolerance."""

    length: int
    tolerance: float = 0.001

    @property
    def how(self) -> str:
        """How many numbers, with an example."""
        return f"Write {self.length} numbers with spaces between, as 1 -2 0.5, with points."

    def parse(self, typed: str) -> tuple[float, ...]:
        """The numbers, as many as asked for."""
        words = _words(typed)
        numbers = tuple(_number(word, self.how) for word in words)
        if len(numbers) != self.length:
            raise AnswerError(
                f"{quote(typed)} has {_count(words)}; {self.length} are asked for. {self.how}"
            )
        return numbers

    def same(self, value: Any, solution: Any) -> bool:
        """Whether no number is further than the tolerance from its own."""
        return len(value) == len(solution) and all(
            abs(one - other) <= self.tolerance for one, other in zip(value, solution, strict=True)
        )


def written(value: Value) -> str:
    """A value as it may be typed: a kind reads it back, to 6 digits.

    >>> written(51200), written((1.0, 0.333333333)), written((2, 0))
    ('51,200', '1 0.333333', '2 0')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return _float(value)
    return " ".join(str(one) if isinstance(one, int) else _float(one) for one in value)


def rotated(options: Sequence[str], start: int) -> Choice:
    """A Choice that begins at another option, so that the right one is not always the first.

    >>> rotated(["a", "b", "c"], 1).options
    ('b', 'c', 'a')
    """
    start %= len(options)
    return Choice((*options[start:], *options[:start]))


def _float(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _ascii_minus(typed: str) -> str:
    return typed.replace("\u2212", "-")  # the minus sign of books


def _words(typed: str) -> list[str]:
    return re.findall(r"[^\s,;]+", typed.strip(" []()\t\r\n,;"))


def _number(typed: str, how: str) -> float:
    word = _ascii_minus(typed)
    if not _NUMBER.fullmatch(word):
        comma = " The decimal sign is a point." if re.fullmatch(r"[+-]?\d+,\d+", word) else ""
        raise AnswerError(f"{quote(word)} is not a number.{comma} {how}")
    number = float(word)
    if not math.isfinite(number):
        raise AnswerError(f"{quote(word)} is too large. {how}")
    return number


def _count(words: Sequence[str]) -> str:
    return "1 number" if len(words) == 1 else f"{len(words)} numbers"
