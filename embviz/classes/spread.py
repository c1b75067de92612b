"""How the answers of a class to one step spread. A member counts once.

Where all students choose among the same options, there is a bar for each option. Elsewhere students
have different numbers, so there is a bar for each meaning: right, each typical mistake, any other
answer. Bars keep their places whatever their counts, and the places say nothing about which is
right.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import Any

from embviz.labs.answers import Choice
from embviz.labs.check import Result, check
from embviz.labs.exercises import lab as lab_of
from embviz.labs.record import Lab, Step
from embviz.labs.student import Student

SAMPLES = 6  # students whose options are compared
RIGHT = "the right answer"
FITS = "the numbers fit together"  # right, where only the student's machine knows the numbers
OTHER = "any other answer"


@dataclass(frozen=True)
class Bar:
    """The members who gave one answer.

    Attributes:
        label: the option, or the meaning.
        neutral: the label while the answer is not revealed: it does not say which one is right.
        count: how many members.
        right: how many of them are right: each by the own values.
        mistake: the sentence about the typical mistake that it is, or `""`.
        is_right: whether it is right, for all or for some; known also if nobody chose it.
    """

    label: str
    neutral: str
    count: int
    right: int = 0
    mistake: str = ""
    is_right: bool = False

    @property
    def reply(self) -> str:
        """What students with the typical mistake were told; `""` where it is none."""
        return f"The lab replies: {self.mistake}" if self.mistake else ""


@dataclass(frozen=True)
class Spread:
    """All bars of a step.

    Attributes:
        answered: how many members have answered it: the sum of the counts.
        bars: in a fixed order.
    """

    answered: int
    bars: tuple[Bar, ...]


def spread(lab: Lab[Any], step: Step[Any], last: Sequence[tuple[str, Result]]) -> Spread:
    """The spread of answers to a step, one of each member who has answered it."""
    if options := _options(lab.code, step.name):
        bars = _by_option(options, last, _right_option(lab.code, step.name))
    else:
        bars = _by_meaning(step, last, _has_options(lab.code, step.name))
    return Spread(len(last), tuple(bars))


def _by_option(
    options: Iterable[str], last: Sequence[tuple[str, Result]], right_one: str
) -> list[Bar]:
    bars = []
    for option in options:
        chosen = [result for typed, result in last if typed == option]
        right = sum(result.right for result in chosen)
        mistakes = Counter(result.mistake for result in chosen if result.mistake)
        named = max(mistakes, key=lambda one: mistakes[one], default="")
        is_right = option == right_one or right > 0
        bars.append(Bar(option, option, len(chosen), right, named, is_right))
    return bars


def _by_meaning(
    step: Step[Any], last: Sequence[tuple[str, Result]], has_options: bool
) -> list[Bar]:
    counts = Counter(RIGHT if result.right else result.mistake or OTHER for _, result in last)
    known = {RIGHT: None} | {mistake.feedback: None for mistake in step.mistakes}
    mixed = sorted(
        known, key=lambda label: hashlib.sha256(f"{step.name} {label}".encode()).digest()
    )
    bars = []
    for letter, meaning in zip(ascii_uppercase, mixed, strict=False):
        neutral, count = f"Answer {letter}", counts[meaning]
        if meaning == RIGHT:
            label = f"{neutral}: {FITS if step.solve is None else RIGHT}"
            bars.append(Bar(label, neutral, count, count, is_right=True))
        else:
            bars.append(Bar(neutral, neutral, count, mistake=meaning))
    # Of a few options each may have its bar.
    others = [] if has_options and not counts[OTHER] else [Bar(OTHER, OTHER, counts[OTHER])]
    return [*bars, *others]


def _options(lab_code: str, name: str) -> tuple[str, ...]:
    """The options of a step, if all students choose among the same ones; else none."""
    choices = _choices(lab_code, name)
    same = len(choices) == SAMPLES and len({frozenset(one) for one in choices}) == 1
    return choices[0] if same else ()


@lru_cache(maxsize=256)
def _right_option(lab_code: str, name: str) -> str:
    """The option of `_options` that is right for all students; `""` where there is none."""
    step, samples = _step(lab_code, name), _samples(lab_code)
    for option in _options(lab_code, name):
        if all(check(step, values, option).right for values in samples):
            return option
    return ""


def _has_options(lab_code: str, name: str) -> bool:
    """Whether each student chooses among options, the same ones or others."""
    return len(_choices(lab_code, name)) == SAMPLES


@lru_cache(maxsize=256)
def _choices(lab_code: str, name: str) -> tuple[tuple[str, ...], ...]:
    """The options of some students, without those who have none."""
    step = _step(lab_code, name)
    kinds = [step.answer_kind(values) for values in _samples(lab_code)]
    return tuple(kind.options for kind in kinds if isinstance(kind, Choice))


def _step(lab_code: str, name: str) -> Step[Any]:
    return next(step for step in lab_of(lab_code).steps if step.name == name)


@lru_cache(maxsize=16)
def _samples(lab_code: str) -> list[Any]:
    """The values of some students."""
    lab = lab_of(lab_code)
    return [lab.values(Student(f"guest-{number:06x}")) for number in range(SAMPLES)]
