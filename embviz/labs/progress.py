"""A student's work on the page, and the same as text for an address.

The text is compressed JSON in URL-safe base64, at most 4,000 characters: a lab has few steps, and
an answer is short. Reading an address trusts nothing in it and runs nothing.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from embviz.core.refused import Refused
from embviz.labs.answers import MAX_TYPED
from embviz.labs.exercises import lab as lab_of
from embviz.labs.student import Student

MAX_CODE = 4_000  # characters in an address
MAX_PLAIN = 20_000  # bytes of the JSON before it is packed
MAX_TRIES = 1_000_000
MAX_SECONDS = 10_000_000


class ProgressError(Refused):
    """Text that is no progress; says why."""


class Tried(NamedTuple):
    """The attempts at one step.

    Attributes:
        typed: the last one, as it was typed.
        tries: how many there were.
        seconds: from the lab's start to the last one.
    """

    typed: str
    tries: int
    seconds: int


@dataclass(frozen=True)
class Progress:
    """A student's attempts in a lab.

    Attributes:
        lab: its code.
        student: the key, as `Student` has it.
        answers: the attempts at each step that has any, by its name.
    """

    lab: str
    student: str
    answers: Mapping[str, Tried] = field(default_factory=dict)

    def attempts(self, step: str) -> int:
        """How many attempts there were at a step."""
        return self.answers[step].tries if step in self.answers else 0

    def latest(self, step: str) -> str | None:
        """The text typed last, or None before the first attempt."""
        return self.answers[step].typed if step in self.answers else None

    def add(self, step: str, typed: str, seconds: float) -> Progress:
        """The progress with one more attempt, its spaces as single ones."""
        tries = min(self.attempts(step) + 1, MAX_TRIES)
        tried = Tried(" ".join(typed.split()), tries, min(int(seconds), MAX_SECONDS))
        return replace(self, answers={**self.answers, step: tried})


def encode(progress: Progress) -> str:
    """The progress as letters, digits, `-` and `_`, which `decode` reads back."""
    given = [progress.lab, progress.student, dict(progress.answers)]
    plain = json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")


def decode(text: str) -> Progress:
    """The progress in a text that `encode` wrote.

    Raises:
        ProgressError: (a ValueError) it was cut or changed; nothing else is raised.
    """
    try:
        if len(text) > MAX_CODE:
            raise ValueError
        packed = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(packed, MAX_PLAIN)
        if not unpacking.eof or unpacking.unused_data:
            raise ValueError
        lab, student, steps = json.loads(plain)
        names = {step.name for step in lab_of(lab).steps}
        answers = {step: _tried(*steps[step]) for step in steps}
        if answers.keys() - names or Student(student).key != student:
            raise ValueError
    except (ValueError, TypeError, RecursionError, zlib.error):
        raise ProgressError(
            "The work in this address cannot be read: it was cut or changed."
        ) from None
    return Progress(lab, student, answers)


def _tried(typed: Any, tries: Any, seconds: Any) -> Tried:
    if not isinstance(typed, str) or len(typed) > MAX_TYPED or not typed.isprintable():
        raise ValueError
    for number, low, high in (tries, 1, MAX_TRIES), (seconds, 0, MAX_SECONDS):
        if type(number) is not int or not low <= number <= high:
            raise ValueError
    return Tried(typed, tries, seconds)
