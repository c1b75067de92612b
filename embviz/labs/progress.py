"""What a page keeps of a student's work, and the same as text for an address.

The text is JSON, packed and written in letters that an address may have: at most 4,000. What
does not fit is left out in this order: older attempts, then the ends of long texts; how many
attempts there were is kept. Reading it back believes nothing and runs nothing.
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
from embviz.labs.record import LabError
from embviz.labs.student import Student

MAX_CODE = 4_000  # characters in an address
MAX_PLAIN = 200_000  # bytes of the JSON before it is packed
MAX_TYPED = 2_000  # characters of one answer
MAX_TRIES = 200  # kept of one step
MAX_ATTEMPTS = 1_000_000
MAX_SECONDS = 10_000_000
VERSION = 1

Try = tuple[str, int]


class ProgressError(ValueError):
    """Text, or a record, that is no progress; says why."""


@dataclass(frozen=True)
class Progress:
    """A student's attempts in a lab.

    Attributes:
        lab: its code.
        student: the name, as `Student` has it.
        answers: what was typed and when, in whole seconds since the lab began, by step; the
            last attempt counts.
        dropped: how many attempts before these are not kept, by step; none where it is missing.
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
        if strange := [*({*self.answers, *self.dropped, *self.cut} - names)]:
            raise ProgressError(f"{str(strange[0])[:40]!r} is not a step of {self.lab!r}.")
        for step, tries in self.answers.items():
            if not 1 <= len(tries) <= MAX_TRIES:
                raise ProgressError(f"{step} has {len(tries)} attempts; 1 to {MAX_TRIES} are kept.")
            for typed, seconds in tries:
                check_try(typed, seconds)
        for step, count in self.dropped.items():
            if not _whole(count, 1, MAX_ATTEMPTS):
                raise ProgressError(f"{step} says that {str(count)[:20]} attempts are not kept.")
        if lone := ({*self.dropped} | self.cut) - {*self.answers}:
            raise ProgressError(f"{min(lone)} has no attempt.")

    def attempts(self, step: str) -> int:
        """How many attempts there were."""
        return self.dropped.get(step, 0) + len(self.answers.get(step, ()))

    def latest(self, step: str) -> str | None:
        """What was typed last, or None before the first attempt."""
        tries = self.answers.get(step)
        return tries[-1][0] if tries else None

    def add(self, step: str, typed: str, seconds: float) -> Progress:
        """The same with one more attempt; what is too long or cannot be written is trimmed."""
        typed = typed.encode("utf-8", "replace").decode()[:MAX_TYPED]
        when = min(max(int(seconds), 0), MAX_SECONDS)
        tries = (*self.answers.get(step, ()), (typed, when))
        over = max(0, len(tries) - MAX_TRIES)
        dropped = dict(self.dropped)
        if over:
            dropped[step] = min(dropped.get(step, 0) + over, MAX_ATTEMPTS)
        return replace(
            self,
            answers={**self.answers, step: tries[over:]},
            dropped=dropped,
            cut=self.cut - {step},
        )


def check_try(typed: object, seconds: object) -> None:
    """Refuse (ProgressError) what cannot be an attempt."""
    if not isinstance(typed, str) or len(typed) > MAX_TYPED:
        raise ProgressError(f"An answer is not a text of up to {MAX_TYPED:,} characters.")
    if any("\ud800" <= character <= "\udfff" for character in typed):
        raise ProgressError("An answer has half of a character in it.")
    if not _whole(seconds, 0, MAX_SECONDS):
        raise ProgressError(f"A time is not whole seconds from 0 to {MAX_SECONDS:,}.")


def encode(progress: Progress) -> str:
    """As at most 4,000 letters, digits, `-` and `_`; `decode` reads it back."""
    while (text := _packed(progress)) is None:
        progress = _smaller(progress)
    return text


def decode(text: str) -> Progress:
    """What `encode` wrote.

    Raises:
        ProgressError: (a ValueError) with what is wrong; nothing else is raised.
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
        given = json.loads(plain.decode(), parse_int=_int, parse_float=_none, parse_constant=_none)
    except (ValueError, RecursionError):
        raise _torn() from None
    return _read(given)


def _packed(progress: Progress) -> str | None:
    """The text, or None where it is too long."""
    steps = [
        [
            step,
            progress.dropped.get(step, 0),
            int(step in progress.cut),
            [list(one) for one in all_],
        ]
        for step, all_ in progress.answers.items()
    ]
    given = [VERSION, progress.lab, progress.student, steps]
    plain = json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode()
    if len(plain) > MAX_PLAIN:
        return None
    text = base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
    return text if len(text) <= MAX_CODE else None


def _smaller(progress: Progress) -> Progress:
    older = sorted(
        (one[1], step, place)
        for step, tries in progress.answers.items()
        for place, one in enumerate(tries[:-1])
    )
    answers, dropped = dict(progress.answers), dict(progress.dropped)
    if not older:
        step = max(answers, key=lambda name: len(answers[name][-1][0]))
        typed, seconds = answers[step][-1]
        answers[step] = ((typed[: len(typed) * 3 // 4], seconds),)
        return replace(progress, answers=answers, cut=progress.cut | {step})
    gone = {(step, place) for _, step, place in older[: max(1, len(older) // 8)]}
    for step, tries in progress.answers.items():
        kept = tuple(one for place, one in enumerate(tries) if (step, place) not in gone)
        if len(kept) < len(tries):
            answers[step] = kept
            dropped[step] = min(dropped.get(step, 0) + len(tries) - len(kept), MAX_ATTEMPTS)
    return replace(progress, answers=answers, dropped=dropped)


def _read(given: Any) -> Progress:
    """From parsed JSON of whatever shape."""
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
        if isinstance(error, ProgressError | LabError):
            raise
        raise _torn() from None


def _torn() -> ProgressError:
    return ProgressError("The progress in this address cannot be read: it was cut or changed.")


def _whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _int(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError(digits[:20])
    return int(digits)


def _none(word: str) -> float:
    raise ValueError(word[:20])
