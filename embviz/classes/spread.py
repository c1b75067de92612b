"""How the answers of a class to one step spread. A member counts once, with the last answer.

Where all students choose among the same options, there is a bar for each option. Elsewhere students
have different numbers, so there is a bar for each meaning: right, each typical mistake, any other
answer. Bars keep their places whatever their counts, and the places say nothing about which is
right.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import Any

from embviz.classes.work import Work
from embviz.labs.answers import Choice
from embviz.labs.check import Result
from embviz.labs.exercises import lab as lab_of
from embviz.labs.record import Lab, Step
from embviz.labs.student import Student

SAMPLES = 6  # students whose options are compared
RIGHT = "the right answer"
OTHER = "any other answer"
UNREADABLE = "not readable"
WRITTEN = "written, for reading"


@dataclass(frozen=True)
class Bar:
    """The members who gave one answer.

    Attributes:
        label: the option, or the meaning.
        neutral: the label while the answer is not revealed: it does not say which one is right.
        count: how many members.
        right: how many of them are right: each by the own values.
        mistake: the sentence about the typical mistake that it is, or `""`.
    """

    label: str
    neutral: str
    count: int
    right: int = 0
    mistake: str = ""


@dataclass(frozen=True)
class Spread:
    """All bars of a step.

    Attributes:
        step: its name.
        answered: how many members have answered it: the sum of the counts.
        members: how many members the class has.
        bars: in a fixed order.
    """

    step: str
    answered: int
    members: int
    bars: tuple[Bar, ...]


def spread(lab: Lab[Any], step: Step[Any], works: Iterable[Work]) -> Spread:
    """The spread of the last answers to a step."""
    everyone = [*works]
    last = [
        (work.tries[step.name][-1].answer.typed, work.results[step.name])
        for work in everyone
        if step.name in work.results
    ]
    if not step.graded:
        bars = [Bar(WRITTEN, WRITTEN, len(last))]
    elif options := _options(lab.code, step.name):
        bars = _by_option(options, last)
    else:
        bars = _by_meaning(step, last)
    return Spread(step.name, len(last), len(everyone), tuple(bars))


def _by_option(options: Iterable[str], last: list[tuple[str, Result]]) -> list[Bar]:
    bars = []
    for option in options:
        chosen = [result for typed, result in last if typed == option and not result.refused]
        right = sum(result.right is True for result in chosen)
        mistakes = Counter(result.mistake for result in chosen if result.mistake)
        named = max(mistakes, key=lambda one: mistakes[one], default="")
        bars.append(Bar(option, option, len(chosen), right, named))
    return [*bars, *_unreadable(last)]


def _by_meaning(step: Step[Any], last: list[tuple[str, Result]]) -> list[Bar]:
    counts = Counter(
        RIGHT if result.right else result.mistake or OTHER
        for _, result in last
        if not result.refused
    )
    known = {RIGHT: None} | {mistake.feedback: None for mistake in step.mistakes}
    mixed = sorted(
        known, key=lambda label: hashlib.sha256(f"{step.name} {label}".encode()).digest()
    )
    bars = []
    for letter, label in zip(ascii_uppercase, mixed, strict=False):
        right, mistake = (counts[label], "") if label == RIGHT else (0, label)
        bars.append(Bar(label, f"Answer {letter}", counts[label], right, mistake))
    return [*bars, Bar(OTHER, OTHER, counts[OTHER]), *_unreadable(last)]


def _unreadable(last: list[tuple[str, Result]]) -> list[Bar]:
    """Answers that an earlier version could read; no bar without one."""
    count = sum(result.refused for _, result in last)
    return [Bar(UNREADABLE, UNREADABLE, count)] if count else []


@lru_cache(maxsize=256)
def _options(lab_code: str, name: str) -> tuple[str, ...]:
    """The options of a step, if all students choose among the same ones; else none."""
    step = next(step for step in lab_of(lab_code).steps if step.name == name)
    if not callable(step.answer):
        return step.answer.options if isinstance(step.answer, Choice) else ()
    kinds = [step.answer(values) for values in _samples(lab_code)]
    choices = [kind.options for kind in kinds if isinstance(kind, Choice)]
    same = len(choices) == len(kinds) and len({frozenset(one) for one in choices}) == 1
    return choices[0] if same else ()


@lru_cache(maxsize=16)
def _samples(lab_code: str) -> list[Any]:
    """The values of some students."""
    lab = lab_of(lab_code)
    return [lab.values(Student(f"guest-{number:06x}")) for number in range(SAMPLES)]
