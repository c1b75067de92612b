"""Kinds of answer: how each is written, read and compared.

A kind reads what a person typed and gives a value, or refuses with a sentence that quotes it
and says what is allowed. It knows no question and no right answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from embviz.core.wording import printable, quote

MAX_TYPED = 400  # characters of an answer that is no free text
MAX_ID = 999_999_999

Value = int | float | str | tuple[int, ...] | tuple[float, ...]

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?(?:\d{1,20}|\d{1,3}(?:,\d{3}){1,6})", re.ASCII)
_HOW = "Write a number as 12, -3 or 0.75, with a point and no other signs."


class AnswerError(ValueError):
    """An answer that cannot be read; says what is allowed."""


@dataclass(frozen=True)
class Number:
    """One number; right within the tolerance.

    Attributes:
        tolerance: the largest distance from the right one that still counts.
        relative: whether `tolerance` is a share of the right one.
        unit: what stands behind the field; it may be typed too.
    """

    tolerance: float
    relative: bool = False
    unit: str = ""


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`; thousands may be parted by commas."""

    low: int
    high: int


@dataclass(frozen=True)
class Choice:
    """One of several texts."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class Ids:
    """Whole numbers from 0 on, at most `most` of them.

    Attributes:
        most: how many may be written.
        ordered: whether 1 2 and 2 1 are two answers. If not, repeats do not count either.
    """

    most: int
    ordered: bool = True


@dataclass(frozen=True)
class Vector:
    """So many numbers, each right within the tolerance."""

    length: int
    tolerance: float


@dataclass(frozen=True)
class Text:
    """Free text, read by a person and graded by nobody else."""

    most: int = 2000


Kind = Number | Whole | Choice | Ids | Vector | Text


def read(kind: Kind, typed: str) -> Value:
    """What was typed, as a value.

    Raises:
        AnswerError: a sentence that quotes it and says what is allowed.

    >>> read(Whole(0, 2000), "1,024"), read(Ids(4), "[2, 0, 1]"), read(Vector(2, 0.1), "1 -.5")
    (1024, (2, 0, 1), (1.0, -0.5))
    """
    if not isinstance(typed, str):
        raise AnswerError(f"{quote(str(typed))} is not text.")
    if isinstance(kind, Text):
        return _text(kind, typed)
    if len(typed) > MAX_TYPED:
        raise AnswerError(f"{len(typed):,} characters are more than the {MAX_TYPED:,} allowed.")
    typed = typed.strip()
    if not typed:
        raise AnswerError(f"Nothing is written yet. {how(kind)}")
    if isinstance(kind, Choice):
        for option in kind.options:
            if typed.casefold() == option.casefold():
                return option
        raise AnswerError(f"{quote(typed)} is not one of: {'; '.join(kind.options)}.")
    plain = typed.replace("\u2212", "-")  # a minus sign as books print it
    if isinstance(kind, Number):
        return _number(plain.removesuffix(kind.unit).rstrip() if kind.unit else plain, _HOW)
    if isinstance(kind, Whole):
        return _whole(kind, plain)
    if isinstance(kind, Ids):
        return _ids(kind, plain)
    words = _words(plain)
    numbers = tuple(_number(word, how(kind)) for word in words)
    if len(numbers) != kind.length:
        raise AnswerError(
            f"{quote(typed)} has {_count(len(numbers), 'number')}; {kind.length} are asked for. "
            f"{how(kind)}"
        )
    return numbers


def same(kind: Kind, value: Any, solution: Any) -> bool:
    """Whether a value counts as the solution.

    >>> same(Number(0.01), 0.754, 0.75), same(Ids(3, ordered=False), (2, 0), (0, 2))
    (True, True)
    """
    if isinstance(kind, Number):
        room = kind.tolerance * (abs(solution) if kind.relative else 1.0)
        return bool(abs(value - solution) <= room)
    if isinstance(kind, Vector):
        return len(value) == len(solution) and all(
            abs(one - other) <= kind.tolerance for one, other in zip(value, solution, strict=True)
        )
    if isinstance(kind, Ids) and not kind.ordered:
        return set(value) == set(solution)
    return bool(value == solution)


def how(kind: Kind) -> str:
    """How an answer of this kind is written, in a sentence."""
    if isinstance(kind, Number):
        return _HOW
    if isinstance(kind, Whole):
        return f"Write a whole number from {kind.low:,} to {kind.high:,}."
    if isinstance(kind, Choice):
        return f"Choose one of: {'; '.join(kind.options)}."
    if isinstance(kind, Ids):
        order = "in order" if kind.ordered else "in any order"
        return f"Write whole numbers with spaces between, as 2 0 3, {order}."
    if isinstance(kind, Vector):
        return f"Write {kind.length} numbers with spaces between, as 1 -2 0.5, with points."
    return f"Write up to {kind.most:,} characters in your own words."


def written(value: Value) -> str:
    """A value as it may be typed: `read` gives it back, to 6 digits.

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


def _float(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _words(typed: str) -> list[str]:
    return [word for word in re.split(r"[\s,;]+", typed.strip(" []()\t\r\n,;")) if word]


def _number(word: str, allowed: str) -> float:
    if not _NUMBER.fullmatch(word):
        comma = " The decimal sign is a point." if re.fullmatch(r"[+-]?\d+,\d+", word) else ""
        raise AnswerError(f"{quote(word)} is not a number.{comma} {allowed}")
    number = float(word)
    if not math.isfinite(number):
        raise AnswerError(f"{quote(word)} is too large. {allowed}")
    return number


def _whole(kind: Whole, typed: str) -> int:
    if not _WHOLE.fullmatch(typed):
        raise AnswerError(f"{quote(typed)} is not a whole number. {how(kind)}")
    number = int(typed.replace(",", ""))
    if not kind.low <= number <= kind.high:
        raise AnswerError(f"{number:,} is out of range. {how(kind)}")
    return number


def _ids(kind: Ids, typed: str) -> tuple[int, ...]:
    words = _words(typed)
    for word in words:
        if not re.fullmatch(r"\d{1,9}", word, re.ASCII):
            raise AnswerError(f"{quote(word)} is not an id. {how(kind)}")
    if not 1 <= len(words) <= kind.most:
        raise AnswerError(
            f"{_count(len(words), 'number')} given; 1 to {kind.most} are allowed. {how(kind)}"
        )
    return tuple(int(word) for word in words)


def _text(kind: Text, typed: str) -> str:
    if len(typed) > kind.most:
        raise AnswerError(f"{len(typed):,} characters are more than the {kind.most:,} allowed.")
    lines = typed.strip().splitlines()
    text = "\n".join("".join(map(_shown, line)) for line in lines)
    if not text.strip():
        raise AnswerError(f"Nothing is written yet. {how(kind)}")
    return text


def _shown(character: str) -> str:
    # Tabs and joiners are part of a text; what only moves a cursor is written out.
    return character if character in "\t\u200c\u200d" else printable(character)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def turned(options: Sequence[str], turn: int) -> Choice:
    """A Choice that begins elsewhere, so that the right one is not always the first.

    >>> turned(["a", "b", "c"], 1).options
    ('b', 'c', 'a')
    """
    start = turn % len(options)
    return Choice((*options[start:], *options[:start]))
