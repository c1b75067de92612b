"""What a student hands in: a small JSON file, and a reader that believes none of it.

The digest tells that somebody has edited the file. It is no secret and proves nothing else:
whoever can write JSON can compute it. So no file says what is right; `grade` computes that.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import torch

from embviz.core.wording import quote
from embviz.labs.exercises import lab as lab_of
from embviz.labs.progress import (
    MAX_ATTEMPTS,
    MAX_TRIES,
    Progress,
    ProgressError,
    Try,
    check_try,
)
from embviz.labs.record import Lab
from embviz.labs.student import Student

FORMAT = "embviz-evidence-1"
MAX_BYTES = 1_000_000
MAX_DIGITS = 20  # of a whole number in it
MAX_VERSIONS = 10
MAX_VERSION = 60  # characters
KEYS = ("format", "lab", "student", "answers", "versions", "digest")
ANSWER_KEYS = ("attempts", "cut", "tries")

# Every reason for which a file is refused, in the order they are looked for.
REASONS = {
    "cannot be opened": "it is not there, or may not be read",
    "not a file": "a folder, a pipe or a device",
    "too large": f"more than {MAX_BYTES:,} bytes",
    "not UTF-8": "bytes that are no text",
    "torn": "it ends in the middle, or is empty",
    "not JSON": "something else, or JSON nobody should write",
    "wrong format": f"not {FORMAT}",
    "wrong values": "a part is missing, unknown, or of another kind",
    "edited": "its digest is of other contents",
    "unknown lab": "no lab has that code",
    "unknown step": "the lab has no such step",
}


class EvidenceError(ValueError):
    """A file that is no evidence; `reason` is a key of REASONS."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        assert reason in REASONS
        self.reason = reason


@dataclass(frozen=True)
class Tries:
    """One step's attempts.

    Attributes:
        attempts: how many there were.
        cut: whether the last text lost its end.
        tries: those that were kept, typed and seconds since the lab began.
    """

    attempts: int
    cut: bool
    tries: tuple[Try, ...]


@dataclass(frozen=True)
class Evidence:
    """A file, read and checked, but not yet graded."""

    lab: str
    student: Student
    answers: Mapping[str, Tries]
    versions: Mapping[str, str]
    digest: str


def software(embviz: str) -> dict[str, str]:
    """The versions that stand in a file."""
    return {
        "embviz": embviz[:MAX_VERSION],
        "python": platform.python_version()[:MAX_VERSION],
        "torch": str(torch.__version__)[:MAX_VERSION],
    }


def evidence(
    lab: Lab[Any], student: Student, progress: Progress, versions: Mapping[str, str]
) -> dict[str, Any]:
    """The file's contents, ready for `to_bytes`.

    Raises:
        ValueError: the progress is another student's, or of another lab.
    """
    if progress.lab != lab.code or Student(progress.student).key != student.key:
        raise ValueError(
            f"This progress is of {progress.student!r} in {progress.lab!r}, "
            f"not of {student.name!r} in {lab.code!r}."
        )
    given: dict[str, Any] = {
        "format": FORMAT,
        "lab": lab.code,
        "student": student.name,
        "answers": {
            step.name: {
                "attempts": progress.attempts(step.name),
                "cut": step.name in progress.cut,
                "tries": [list(one) for one in progress.answers[step.name]],
            }
            for step in lab.steps
            if step.name in progress.answers
        },
        "versions": dict(versions),
    }
    return given | {"digest": digest(given)}


def to_bytes(given: Mapping[str, Any]) -> bytes:
    """The file."""
    return (json.dumps(given, indent=1, ensure_ascii=False) + "\n").encode()


def digest(given: Mapping[str, Any]) -> str:
    """SHA-256, in hex, of the canonical JSON of everything but the digest."""
    plain = {key: value for key, value in given.items() if key != "digest"}
    return hashlib.sha256(canonical(plain)).hexdigest()


def canonical(given: Any) -> bytes:
    """JSON with sorted keys and no spaces, in ASCII."""
    return json.dumps(given, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read_evidence(source: bytes | str | Path) -> Evidence:
    """Read a file, or its bytes.

    Raises:
        EvidenceError: (a ValueError) with a reason of REASONS; nothing else is raised.
    """
    content = source if isinstance(source, bytes) else read_bounded(source)
    if len(content) > MAX_BYTES:
        _refuse("too large", f"It has more than {MAX_BYTES:,} bytes.")
    given = _parse(content)
    if given.get("format") != FORMAT:
        _refuse("wrong format", f"Its format is {_shown(given.get('format'))}, not {FORMAT!r}.")
    found = _checked(given)
    if digest(given) != found.digest:
        _refuse("edited", "Its digest does not match: somebody changed the file.")
    try:
        names = {step.name for step in lab_of(found.lab).steps}
    except ValueError as error:
        _refuse("unknown lab", str(error))
    if strange := [step for step in found.answers if step not in names]:
        _refuse("unknown step", f"The lab {found.lab!r} has no step {quote(strange[0])}.")
    return found


def read_bounded(path: str | Path) -> bytes:
    """A regular file's bytes, one more than MAX_BYTES at most.

    Waits for nothing: a pipe, a socket or a device is refused, also behind a link.

    Raises:
        EvidenceError: `cannot be opened` or `not a file`.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):  # before opening, which may wake a device
            _refuse("not a file", "It is a folder, a pipe or a device, not a file.")
        opened = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    except EvidenceError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise EvidenceError("cannot be opened", f"It cannot be opened: {why}.") from None
    with os.fdopen(opened, "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            _refuse("not a file", "It is a folder, a pipe or a device, not a file.")
        try:
            return stream.read(MAX_BYTES + 1)
        except OSError as error:
            raise EvidenceError("cannot be opened", f"It cannot be read: {error}.") from None


def _parse(content: bytes) -> dict[str, Any]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse("not UTF-8", f"Byte {error.start:,} is not UTF-8 text.")
    if not text.strip():
        _refuse("torn", "It is empty.")
    try:
        given = json.loads(
            text,
            object_pairs_hook=_once,
            parse_int=_int,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except RecursionError:
        _refuse("not JSON", "It is nested too deep.")
    except json.JSONDecodeError as error:
        # Python names the place where an open text began, not where it ends.
        end = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        if end and text.lstrip().startswith("{"):
            _refuse("torn", f"It ends in the middle, at character {len(text):,}.")
        _refuse("not JSON", f"It is not JSON: {error.msg} at character {error.pos + 1:,}.")
    if not isinstance(given, dict):
        _refuse("not JSON", f"It is no JSON object but {_shown(given)}.")
    return given


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            _refuse("not JSON", f"The key {quote(key)} stands in it twice.")
        found[key] = value
    return found


def _int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        _refuse("wrong values", f"It has a number of {len(digits):,} digits.")
    return int(digits)


def _no_number(word: str) -> NoReturn:
    _refuse("wrong values", f"{quote(word)} is not a whole number.")


def _checked(given: dict[str, Any]) -> Evidence:
    """All parts, each of its kind."""
    _keys(given, KEYS, "It")
    for key in ("lab", "student", "digest"):
        if not isinstance(given[key], str):
            _refuse("wrong values", f"{key} is {_shown(given[key])}, not a text.")
    try:
        student = Student(given["student"])
    except ValueError as error:
        raise EvidenceError("wrong values", str(error)) from None
    answers, versions = given["answers"], given["versions"]
    if not isinstance(answers, dict) or not isinstance(versions, dict):
        _refuse("wrong values", "answers and versions are objects in braces.")
    if len(versions) > MAX_VERSIONS or not all(
        isinstance(one, str) and len(one) <= MAX_VERSION
        for pair in versions.items()
        for one in pair
    ):
        _refuse("wrong values", "versions holds a few short texts.")
    return Evidence(
        given["lab"],
        student,
        {step: _tries(step, one) for step, one in answers.items()},
        versions,
        given["digest"],
    )


def _tries(step: str, given: Any) -> Tries:
    where = f"The answer to {quote(step)}"
    if not isinstance(given, dict):
        _refuse("wrong values", f"{where} is {_shown(given)}, not an object in braces.")
    _keys(given, ANSWER_KEYS, where)
    tries, attempts = given["tries"], given["attempts"]
    if not isinstance(given["cut"], bool):
        _refuse("wrong values", f"{where} has cut = {_shown(given['cut'])}, not true or false.")
    if not isinstance(tries, list) or not 1 <= len(tries) <= MAX_TRIES:
        _refuse("wrong values", f"{where} has no list of 1 to {MAX_TRIES} tries.")
    for one in tries:
        if not isinstance(one, list) or len(one) != 2:
            _refuse("wrong values", f"{where} has the try {_shown(one)}, not a text and a time.")
        try:
            check_try(*one)
        except ProgressError as error:
            raise EvidenceError("wrong values", f"{where}: {error}") from None
    if (
        not isinstance(attempts, int)
        or isinstance(attempts, bool)
        or not len(tries) <= attempts <= MAX_ATTEMPTS + MAX_TRIES
    ):
        _refuse("wrong values", f"{where} has {_shown(attempts)} attempts, {len(tries)} kept.")
    return Tries(attempts, given["cut"], tuple((typed, seconds) for typed, seconds in tries))


def _keys(given: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
    if missing := [key for key in allowed if key not in given]:
        _refuse("wrong values", f"{where} has no {missing[0]}.")
    if strange := [key for key in given if key not in allowed]:
        _refuse("wrong values", f"{where} has {quote(strange[0])}, which is not part of it.")


def _shown(value: Any) -> str:
    """A stranger's value, shortened, without walking through all of it."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return quote(value) if isinstance(value, str) else quote(json.dumps(value))


def _refuse(reason: str, message: str) -> NoReturn:
    raise EvidenceError(reason, message)
