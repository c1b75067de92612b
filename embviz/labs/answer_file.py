"""The file that a student hands in: small JSON, and a reader that trusts nothing in it.

The digest shows that the file was edited by hand. It is not secret and proves nothing else: every
program can compute it. So no file says which answers are right; `grade` computes that.
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
    MAX_DIGITS,
    MAX_TRIES,
    Progress,
    ProgressError,
    Try,
    check_try,
    is_integer,
)
from embviz.labs.record import Lab
from embviz.labs.student import Student

FORMAT = "embviz-evidence-1"
MAX_BYTES = 1_000_000
MAX_VERSIONS = 10
MAX_VERSION = 60  # characters
KEYS = ("format", "lab", "student", "answers", "versions", "digest")
ANSWER_KEYS = ("attempts", "cut", "tries")

# Every reason to refuse a file, in the order of the checks, and what it means.
REASONS = {
    "cannot be opened": "it does not exist, or may not be read",
    "not a file": "a folder, a pipe or a device",
    "too large": f"more than {MAX_BYTES:,} bytes",
    "not UTF-8": "bytes that are not text",
    "torn": "it ends in the middle, or is empty",
    "not JSON": "another format, or JSON with a key twice",
    "wrong format": f"not {FORMAT}",
    "wrong values": "a part is missing, unknown, or of another type",
    "edited": "its digest belongs to other contents",
    "unknown lab": "no lab has that code",
    "unknown step": "the lab has no such step",
}


class AnswerFileError(ValueError):
    """A file that is not an answer file; `reason` is a key of REASONS."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        assert reason in REASONS
        self.reason = reason


@dataclass(frozen=True)
class Attempts:
    """The attempts at one step.

    Attributes:
        attempts: how many there were.
        cut: whether the last text lost its end.
        tries: those that were kept.
    """

    attempts: int
    cut: bool
    tries: tuple[Try, ...]


@dataclass(frozen=True)
class AnswerFile:
    """A file, read and checked, but not yet graded."""

    lab: str
    student: Student
    answers: Mapping[str, Attempts]
    versions: Mapping[str, str]
    digest: str


def software(embviz: str) -> dict[str, str]:
    """The versions that are written into a file."""
    found = {"embviz": embviz, "python": platform.python_version(), "torch": torch.__version__}
    return {name: str(version)[:MAX_VERSION] for name, version in found.items()}


def contents(
    lab: Lab[Any], student: Student, progress: Progress, versions: Mapping[str, str]
) -> dict[str, Any]:
    """The file's contents, for `to_bytes`.

    Raises:
        ValueError: the progress belongs to another student or lab.
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
                "tries": list(map(list, progress.answers[step.name])),
            }
            for step in lab.steps
            if step.name in progress.answers
        },
        "versions": dict(versions),
    }
    return given | {"digest": digest(given)}


def to_bytes(given: Mapping[str, Any]) -> bytes:
    """The contents as a file, in UTF-8."""
    return (json.dumps(given, indent=1, ensure_ascii=False) + "\n").encode()


def digest(given: Mapping[str, Any]) -> str:
    """SHA-256, in hex, of the canonical JSON of everything except the digest."""
    return sha256({key: value for key, value in given.items() if key != "digest"})


def sha256(given: Any) -> str:
    """SHA-256, in hex, of JSON with sorted keys and no spaces, in ASCII."""
    canonical = json.dumps(given, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def read_answer_file(source: bytes | str | Path) -> AnswerFile:
    """Read a file, or its bytes.

    Raises:
        AnswerFileError: (a ValueError) with a reason of REASONS; nothing else is raised.
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
    if unknown := [step for step in found.answers if step not in names]:
        _refuse("unknown step", f"The lab {found.lab!r} has no step {quote(unknown[0])}.")
    return found


def read_bounded(path: str | Path) -> bytes:
    """The bytes of a regular file, at most MAX_BYTES + 1 of them.

    It never waits: a pipe, a socket or a device is refused, also behind a link.

    Raises:
        AnswerFileError: `cannot be opened` or `not a file`.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        _only_regular(Path(path).stat())  # before opening, which may start a device
        opened = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(opened, "rb") as stream:
            _only_regular(os.fstat(stream.fileno()))
            return stream.read(MAX_BYTES + 1)
    except AnswerFileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _refuse("cannot be opened", f"It cannot be opened: {why}.")


def _only_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        _refuse("not a file", "It is a folder, a pipe or a device, not a file.")


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


def _checked(given: dict[str, Any]) -> AnswerFile:
    """All parts, each of its type."""
    _keys(given, KEYS, "It")
    for key in ("lab", "student", "digest"):
        if not isinstance(given[key], str):
            _refuse("wrong values", f"{key} is {_shown(given[key])}, not a text.")
    try:
        student = Student(given["student"])
    except ValueError as error:
        _refuse("wrong values", str(error))
    answers, versions = given["answers"], given["versions"]
    if not isinstance(answers, dict) or not isinstance(versions, dict):
        _refuse("wrong values", "answers and versions are objects in braces.")
    if len(versions) > MAX_VERSIONS or not all(
        isinstance(one, str) and len(one) <= MAX_VERSION
        for pair in versions.items()
        for one in pair
    ):
        _refuse("wrong values", "versions holds a few short texts.")
    attempts = {step: _attempts(step, one) for step, one in answers.items()}
    return AnswerFile(given["lab"], student, attempts, versions, given["digest"])


def _attempts(step: str, given: Any) -> Attempts:
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
            _refuse("wrong values", f"{where}: {error}")
    if not is_integer(attempts, len(tries), MAX_ATTEMPTS + MAX_TRIES):
        _refuse("wrong values", f"{where} has {_shown(attempts)} attempts, {len(tries)} kept.")
    return Attempts(attempts, given["cut"], tuple((typed, seconds) for typed, seconds in tries))


def _keys(given: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
    if missing := [key for key in allowed if key not in given]:
        _refuse("wrong values", f"{where} has no {missing[0]}.")
    if unknown := [key for key in given if key not in allowed]:
        _refuse("wrong values", f"{where} has {quote(unknown[0])}, which is not part of it.")


def _shown(value: Any) -> str:
    """A value of unknown size for a message: quoted, shortened, never walked through."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return quote(value) if isinstance(value, str) else quote(json.dumps(value))


def _refuse(reason: str, message: str) -> NoReturn:
    raise AnswerFileError(reason, message) from None
