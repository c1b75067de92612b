"""A class as one transaction reads it: where it stands, its members and their answers."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from embviz.classes.room import Room, StepState

LATE = 3  # The vote of an answer that is in no bar; after the two that are.


@dataclass(frozen=True)
class Member:
    """A student in a class: a browser.

    Attributes:
        number: in the order in which they came.
        name: the pseudonym.
        browser: the `student_digest` of its cookie.
        joined: seconds since 1970.
    """

    number: int
    name: str
    browser: bytes
    joined: float


class Given(NamedTuple):
    """One answer, as it is stored.

    Attributes:
        number: of the member.
        name: of the member.
        lab: the key of the lab.
        step: counted from 1.
        vote: 1, 2 or `LATE`.
        typed: as the student wrote it.
        bar: the words under which it is counted.
        mistake: the typical mistake in words, or `""`.
        title: of the question.
        at: seconds since 1970.
        right: whether it is.
    """

    number: int
    name: str
    lab: str
    step: int
    vote: int
    typed: str
    bar: str
    mistake: str
    title: str
    at: float
    right: bool


@dataclass(frozen=True)
class Snapshot:
    """A class at one moment, with members and answers in the order of members.

    Attributes:
        room: where the class stands.
        members: all, or the one of a browser.
        answers: theirs, by member, lab, step and vote.
    """

    room: Room
    members: list[Member]
    answers: list[Given]

    def stands(self, answer: Given) -> bool:
        """Whether an answer stands: one of the open vote, or any one once the step is told."""
        room = self.room
        is_of_open_vote = answer.vote == room.step(answer.lab, answer.step).vote
        return is_of_open_vote or room.tells(answer.lab, answer.step)


def student_digest(code: str, cookie: str) -> bytes:
    """The digest of a student's cookie, which alone is stored; each class has another one."""
    return hashlib.sha256((code + cookie).encode("utf-8", "replace")).digest()


def teacher_digest(secret: str) -> bytes:
    """The digest of a teacher's cookie: the same in each class, so that a teacher finds all."""
    return student_digest("", secret)


def room_of(db: sqlite3.Connection, code: str) -> Room:
    """A class as it stands. SQLite's booleans are 0 and 1."""
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    query = (
        "SELECT code, seed, lab, at, moved, ended, version, until, closed, shown_lab, shown_step "
        "FROM class WHERE code = ?"
    )
    state = cursor.execute(query, (code,)).fetchone()
    opened = db.execute("SELECT lab FROM opened WHERE code = ? ORDER BY place", (code,))
    labs = tuple(key for (key,) in opened)
    steps = db.execute("SELECT lab, step, vote, revealed, paused FROM step WHERE code = ?", (code,))
    changed = {(key, step): StepState(*stands) for key, step, *stands in steps}
    return Room(**state, labs=labs, steps=changed)


def snapshot_of(db: sqlite3.Connection, code: str, browser: bytes | None) -> Snapshot:
    """A class with all members and answers, or those of a browser."""
    parameters = {"code": code, "browser": browser}  # None: all members
    members = db.execute(
        "SELECT number, name, browser, joined FROM member "
        "WHERE code = :code AND (:browser IS NULL OR browser = :browser) ORDER BY number",
        parameters,
    )
    answers = db.execute(
        "SELECT number, name, lab, step, vote, typed, bar, mistake, title, at, right "
        "FROM member JOIN answer ON member = number "
        "WHERE code = :code AND (:browser IS NULL OR browser = :browser) "
        "ORDER BY number, lab, step, vote",
        parameters,
    )
    return Snapshot(
        room_of(db, code),
        [Member(*row) for row in members],
        [Given._make((*row, bool(right))) for *row, right in answers],
    )
