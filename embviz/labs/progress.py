"""A student's work on the page, and the same as text for an address.

The text is compressed JSON in URL-safe base64, at most 4,000 characters. Older attempts are left
out first, then the ends of long texts; the number of attempts is kept. Reading an address trusts
nothing in it and runs nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from embviz.labs.exercises import lab as lab_of
from embviz.labs.student import Student

MAX_CODE = 4_000  # characters in an address
MAX_PLAIN = 200_000  # bytes of the JSON before it is packed
MAX_TYPED = 2_000  # characters of one answer
MAX_TRIES = 200  # attempts kept for one step
MAX_ATTEMPTS = 1_000_000
MAX_SECONDS = 10_000_000
MAX_DIGITS = 20  # of a whole number in JSON
VERSION = 1

Try = tuple[str, int]  # what was typed, and whole seconds since the lab began


class ProgressError(ValueError):
    """Text or values that are no progress; says why."""


@dataclass(frozen=True)
class Progress:
    """A student's attempts in a lab.

    Attributes:
        lab: its code.
        student: the name, as `Student` has it.
        answers: the attempts at each step; the last one counts.
        dropped: how many earlier attempts are not kept, by step.
        cut: steps whose last text lost its end.

    Raises:
        ProgressError: (a ValueError) with what is wrong.
    """

    lab: str
    student: str
    answers: Mapping[str, tuple[Try, ...]] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    cut: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        try:
            names = {step.name for step in lab_of(self.lab).steps}
            name = Student(self.student).name
        except ValueError as error:
            raise ProgressError(str(error)) from None
        if name != self.student:
            raise ProgressError(f"{self.student[:80]!r} is not how {name!r} is written.")
        if unknown := [*({*self.answers, *self.dropped, *self.cut} - names)]:
            raise ProgressError(f"{str(unknown[0])[:40]!r} is not a step of {self.lab!r}.")
        for step, tries in self.answers.items():
            if not 1 <= len(tries) <= MAX_TRIES:
                raise ProgressError(f"{step} has {len(tries)} attempts; 1 to {MAX_TRIES} are kept.")
            for typed, seconds in tries:
                check_try(typed, seconds)
        for step, count in self.dropped.items():
            if not is_integer(count, 1, MAX_ATTEMPTS):
                raise ProgressError(f"{step} says that {str(count)[:20]} attempts are not kept.")
        if lone := ({*self.dropped} | self.cut) - {*self.answers}:
            raise ProgressError(f"{min(lone)} has no attempt.")

    def attempts(self, step: str) -> int:
        """How many attempts there were at a step."""
        return self.dropped.get(step, 0) + len(self.answers.get(step, ()))

    def latest(self, step: str) -> str | None:
        """The text typed last, or None before the first attempt."""
        return self.answers[step][-1][0] if step in self.answers else None

    def add(self, step: str, typed: str, seconds: float) -> Progress:
        """The progress with one more attempt; a text that is too long is cut."""
        typed = typed.encode("utf-8", "replace").decode()[:MAX_TYPED]
        when = min(max(int(seconds), 0), MAX_SECONDS)
        tries = (*self.answers.get(step, ()), (typed, when))[-MAX_TRIES:]
        lost = min(self.attempts(step) + 1 - len(tries), MAX_ATTEMPTS)
        return replace(
            self,
            answers={**self.answers, step: tries},
            dropped={**self.dropped, step: lost} if lost else self.dropped,
            cut=self.cut - {step},
        )


def check_try(typed: object, seconds: object) -> None:
    """Refuse values that cannot be an attempt.

    Raises:
        ProgressError: what is wrong with them.
    """
    if not isinstance(typed, str) or len(typed) > MAX_TYPED:
        raise ProgressError(f"An answer is not a text of up to {MAX_TYPED:,} characters.")
    if any("\ud800" <= character <= "\udfff" for character in typed):
        raise ProgressError("An answer has half of a character in it.")
    if not is_integer(seconds, 0, MAX_SECONDS):
        raise ProgressError(f"A time is not whole seconds from 0 to {MAX_SECONDS:,}.")


def encode(progress: Progress) -> str:
    """The progress as at most 4,000 letters, digits, `-` and `_`, which `decode` reads back."""
    while (text := _packed(progress)) is None:
        progress = _smaller(progress)
    return text


def decode(text: str) -> Progress:
    """The progress in a text that `encode` wrote.

    Raises:
        ProgressError: (a ValueError) what is wrong; nothing else is raised.
    """
    if not isinstance(text, str) or len(text) > MAX_CODE:
        raise ProgressError(f"The progress in this address has more than {MAX_CODE:,} characters.")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text, re.ASCII):
        raise ProgressError("The progress in this address has characters that do not belong there.")
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(packed, MAX_PLAIN)
    except (binascii.Error, zlib.error):
        raise _torn() from None
    if not unpacking.eof or unpacking.unused_data:
        raise _torn()
    try:
        given = json.loads(
            plain.decode(), parse_int=_int, parse_float=_refuse, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        raise _torn() from None
    return _read(given)


def _packed(progress: Progress) -> str | None:
    """The text, or None where it is too long."""
    steps = [
        [step, progress.dropped.get(step, 0), int(step in progress.cut), tries]
        for step, tries in progress.answers.items()
    ]
    given = [VERSION, progress.lab, progress.student, steps]
    plain = json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode()
    if len(plain) > MAX_PLAIN:
        return None
    text = base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
    return text if len(text) <= MAX_CODE else None


def _smaller(progress: Progress) -> Progress:
    """Without the oldest eighth of the earlier attempts; else with a shorter last text."""
    older = sorted(
        (one[1], step, place)
        for step, tries in progress.answers.items()
        for place, one in enumerate(tries[:-1])
    )
    if not older:
        step = max(progress.answers, key=lambda name: len(progress.answers[name][-1][0]))
        typed, seconds = progress.answers[step][-1]
        shorter = {step: ((typed[: len(typed) * 3 // 4], seconds),)}
        return replace(progress, answers={**progress.answers, **shorter}, cut=progress.cut | {step})
    gone = {(step, place) for _, step, place in older[: max(1, len(older) // 8)]}
    answers = {
        step: tuple(one for place, one in enumerate(tries) if (step, place) not in gone)
        for step, tries in progress.answers.items()
    }
    lost = {step: progress.attempts(step) - len(tries) for step, tries in answers.items()}
    dropped = {step: min(count, MAX_ATTEMPTS) for step, count in lost.items() if count}
    return replace(progress, answers=answers, dropped=dropped)


def _read(given: Any) -> Progress:
    """The progress in parsed JSON of any shape."""
    try:
        version, lab, student, steps = given
        if version != VERSION or not isinstance(lab, str) or not isinstance(student, str):
            raise _torn()
        answers: dict[str, tuple[Try, ...]] = {}
        dropped, cut = {}, set()
        for step, left_out, shortened, tries in steps:
            if not isinstance(step, str) or step in answers or shortened not in (0, 1):
                raise _torn()
            answers[step] = tuple((typed, seconds) for typed, seconds in tries)
            if left_out != 0:
                dropped[step] = left_out
            if shortened:
                cut.add(step)
        return Progress(lab, student, answers, dropped, frozenset(cut))
    except (TypeError, ValueError) as error:
        if isinstance(error, ProgressError):
            raise
        raise _torn() from None


def _torn() -> ProgressError:
    return ProgressError("The progress in this address cannot be read: it was cut or changed.")


def is_integer(value: object, low: int, high: int) -> bool:
    """Whether a value is an int, and no bool, from `low` to `high`."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(digits[:MAX_DIGITS])
    return int(digits)


def _refuse(word: str) -> float:
    raise ValueError(word[:MAX_DIGITS])
