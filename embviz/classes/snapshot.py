"""A class as one transaction reads it: where it stands, its members and their answers."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from embviz.classes import members
from embviz.classes.room import Room, StepState

LATE = 3  # The vote of an answer that is in no bar; after the two that are.


@dataclass(frozen=True)
class Member:
    """A row of a browser in a class.

    Attributes:
        number: in the order in which they came.
        name: the pseudonym.
        browser: the `student_digest` of its cookie.
        joined: seconds since 1970.
        current: whether it is the browser's row that counts.
    """

    number: int
    name: str
    browser: bytes
    joined: float
    current: bool


class Given(NamedTuple):
    """One answer, as it is stored.

    Attributes:
        number: of the member.
        name: of the member.
        current: whether the member's row is its browser's that counts.
        lab: the key of the lab.
        step: counted from 1.
        vote: 1, 2 or `LATE`.
        typed: as the student wrote it.
        bar: the words under which it is counted.
        right: whether it is.
        mistake: the typical mistake in words, or `""`.
        title: of the question.
        at: seconds since 1970.
    """

    number: int
    name: str
    current: bool
    lab: str
    step: int
    vote: int
    typed: str
    bar: str
    right: bool
    mistake: str
    title: str
    at: float


@dataclass(frozen=True)
class Snapshot:
    """A class at one moment, with members and answers in the order of members.

    Attributes:
        room: where the class stands.
        members: all, or the one of a browser that counts.
        answers: theirs, by member, lab, step and vote.
    """

    room: Room
    members: list[Member]
    answers: list[Given]


def student_digest(code: str, cookie: str) -> bytes:
    """The digest of a student's cookie, which alone is stored; each class has another one."""
    return hashlib.sha256((code + cookie).encode("utf-8", "replace")).digest()


def teacher_digest(secret: str) -> bytes:
    """The digest of a teacher's cookie: the same in each class, so that a teacher finds all."""
    return student_digest("", secret)


def room_of(db: sqlite3.Connection, code: str) -> Room:
    """A class as it stands."""
    query = (
        "SELECT seed, lab, at, moved, ended, version, until, closed, shown_lab, shown_step "
        "FROM class WHERE code = ?"
    )
    found = db.execute(query, (code,)).fetchone()
    seed, lab, at, moved, ended, version, until, closed, shown_lab, shown_step = found
    opened = db.execute("SELECT lab FROM opened WHERE code = ? ORDER BY place", (code,))
    labs = tuple(key for (key,) in opened)
    steps = db.execute("SELECT lab, step, vote, revealed, paused FROM step WHERE code = ?", (code,))
    changed = {
        (key, step): StepState(vote, bool(revealed), bool(paused))
        for key, step, vote, revealed, paused in steps
    }
    state = at, moved, bool(ended), version, until, bool(closed)
    return Room(code, seed, labs, lab, *state, shown_lab, shown_step, changed)


def snapshot_of(db: sqlite3.Connection, code: str, browser: bytes | None) -> Snapshot:
    """A class with all members and answers, or those of the row of a browser that counts."""
    parameters: dict[str, str | int | None] = {"code": code, "number": None}  # None: all members
    if browser is not None:
        parameters["number"] = members.current(db, code, browser)
    rows = db.execute(
        "SELECT number, name, browser, joined, current FROM member "
        "WHERE code = :code AND (:number IS NULL OR number = :number) ORDER BY number",
        parameters,
    )
    members_found = [
        Member(number, name, known, joined, bool(current))
        for number, name, known, joined, current in rows
    ]
    answers = db.execute(
        "SELECT number, name, current, lab, step, vote, typed, bar, right, mistake, title, at "
        "FROM member JOIN answer ON member = number "
        "WHERE code = :code AND (:number IS NULL OR number = :number) "
        "ORDER BY number, lab, step, vote",
        parameters,
    )
    answers_found = [
        Given(number, name, bool(current), lab, step, vote, typed, bar, bool(right), *more)
        for number, name, current, lab, step, vote, typed, bar, right, *more in answers
    ]
    return Snapshot(room_of(db, code), members_found, answers_found)
