"""Every change of the classes. What a vote allows is decided in the transaction that stores it.

The file holds digests of cookies, pseudonyms and answers: no names.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import sqlite3
import time
from typing import Any

from embviz.classes.file import File
from embviz.classes.lifetime import delete_old, delete_unused
from embviz.classes.names import new_code, pseudonym
from embviz.classes.room import ClassError, Room, StepState, StoredAnswer
from embviz.system.bounds import MEMBERS

OF_ONE_BROWSER = 3  # members of a class, at most
LATE = 3  # the vote of an answer that is in no bar; after the two that are
SEEDS = 2**31
# What a teacher presses: `:step` is the number of a step, or of the member to remove; `:since` is a
# moment, in seconds since 1970.
PRESSES = {
    "pause_here": "UPDATE class SET paused = :step WHERE code = :code",
    "go_on": "UPDATE class SET paused = 0 WHERE code = :code",
    "vote_again": "UPDATE step SET vote = 2 WHERE code = :code AND step = :step AND NOT revealed",
    "reveal": "UPDATE step SET revealed = 1, hidden = 0 WHERE code = :code AND step = :step",
    "hide": "UPDATE step SET hidden = revealed WHERE code = :code AND step = :step",
    "remove": "DELETE FROM member WHERE code = :code AND number = :step",
    "remove_since": "DELETE FROM member WHERE code = :code AND joined >= :since",
    "close_door": "UPDATE class SET closed = 1 WHERE code = :code",
    "open_door": "UPDATE class SET closed = 0 WHERE code = :code",
    "end": "UPDATE class SET ended = 1 WHERE code = :code",
    "delete": "DELETE FROM class WHERE code = :code",
}


class Store(File):
    """The classes of one file."""

    def start(self, lab: str, own_pace: bool, secret: str) -> str:
        """The code of a new class, whose teacher has this cookie.

        Raises:
            ClassError: the server has as many classes as it may, and all are used or new.
            StoreError: the file cannot be written now.
        """
        self._make()
        self.forget_old()
        with self._open(writes=True) as db:
            delete_unused(db)
            code, seed = new_code(), secrets.randbelow(SEEDS)
            db.execute(
                "INSERT INTO class (code, lab, seed, own_pace, latest) VALUES (?, ?, ?, ?, ?)",
                (code, lab, seed, own_pace, time.time()),
            )
            db.execute("INSERT INTO teacher VALUES (?, ?)", (code, _digest(secret)))
        return code

    def room(self, code: str) -> Room:
        """The class as it stands.

        Raises:
            NoClassError: there is none.
            StoreError: the file cannot be read now.
        """
        with self._open(code) as db:
            return _room(db, code)

    def classes_of(self, secret: str) -> list[Room]:
        """The classes whose teacher has this cookie, the newest first."""
        if not self.exists():
            return []
        with self._open() as db:
            order = "SELECT code FROM teacher WHERE secret = ? ORDER BY rowid DESC"
            return [_room(db, code) for (code,) in db.execute(order, (_digest(secret),))]

    def is_teacher(self, code: str, secret: str) -> bool:
        """Whether this cookie is a teacher's of that class."""
        with self._open(code) as db:
            return _is_teacher(db, code, secret)

    def add_teacher(self, code: str, secret: str) -> None:
        """Let another browser have the board too."""
        with self._open(code, writes=True) as db:
            db.execute("INSERT OR IGNORE INTO teacher VALUES (?, ?)", (code, _digest(secret)))

    def look(self, code: str) -> None:
        """Note that the board of a class is open; to be called while it is, each minute or so."""
        with self._open(code, writes=True) as db:
            db.execute("UPDATE class SET seen = ? WHERE code = ?", (time.time(), code))

    def press(
        self, code: str, secret: str, press: str, step: int = 0, since: float = math.inf
    ) -> None:
        """One of `PRESSES`, by the browser with this cookie.

        Raises:
            ClassError: it is no teacher's of this class.
        """
        with self._open(code, writes=True) as db:
            if not _is_teacher(db, code, secret):
                raise ClassError("Only the browser that started a class may change it.")
            given = {"code": code, "step": step, "since": since}
            if press in ("vote_again", "reveal", "hide"):
                db.execute("INSERT OR IGNORE INTO step (code, step) VALUES (:code, :step)", given)
            db.execute(PRESSES[press], given)
            db.execute("UPDATE class SET version = version + 1 WHERE code = :code", given)
        if press in ("delete", "remove", "remove_since"):
            self._shred()

    def another(self, code: str, browser: str) -> None:
        """Make a new member, for somebody else at this browser.

        Raises:
            ClassError: the browser or the class has as many as it may.
        """
        with self._open(code, writes=True) as db:
            _join(db, code, browser)

    def keep(self, code: str, browser: str, step: int, vote: int, answer: StoredAnswer) -> None:
        """Keep an answer; the first one of a browser makes a member.

        Args:
            code: of the class.
            browser: its cookie.
            step: counted from 1.
            vote: the one that the student saw open.
            answer: with its verdict.

        Raises:
            ClassError: the class has ended or paused before, is full or closed, or votes again by
                now.
            StoreError: the file cannot be written now.
        """
        with self._open(code, writes=True) as db:
            room = _room(db, code)
            if room.ended:
                raise ClassError("The class has ended: no more answers are taken.")
            if 0 < room.paused < step:
                raise ClassError(
                    f"Your teacher has paused at step {room.paused}: press again when it goes on."
                )
            if not room.tells(step) and vote != room.step(step).vote:
                raise ClassError("The first vote has closed. Press again to vote a second time.")
            member = _member(db, code, browser) or _join(db, code, browser)
            place = vote
            if room.own_pace:
                before = "SELECT 1 FROM answer WHERE member = ? AND step = ?"
                place = LATE if db.execute(before, (member, step)).fetchone() else 1
            elif room.tells(step):
                place = LATE
            db.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)",
                (member, step, place, answer.typed, answer.bar, answer.right, answer.mistake),
            )
            db.execute("UPDATE class SET latest = ? WHERE code = ?", (time.time(), code))

    def answers(self, code: str, browser: str = "") -> list[tuple[Any, ...]]:
        """All answers of a class, or of a browser's newest member.

        Returns:
            For each answer: number, name, step, vote, typed, bar, right, mistake. A member without
            answers has one line, with None from the step on.
        """
        with self._open(code) as db:
            number = _member(db, code, browser)
            return db.execute(
                "SELECT number, name, step, vote, typed, bar, right, mistake FROM member "
                "LEFT JOIN answer ON member = number "
                "WHERE code = ? AND number BETWEEN ? AND ? ORDER BY number, step, vote",
                (code, number, number if browser else 2**62),
            ).fetchall()

    def forget_old(self) -> None:
        """Delete the classes whose time is over."""
        if not self.exists():
            return
        with self._open(writes=True) as db:
            count = delete_old(db)
        if count:
            self._shred()


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).digest()


def _room(db: sqlite3.Connection, code: str) -> Room:
    query = "SELECT lab, seed, own_pace, paused, ended, version, closed FROM class WHERE code = ?"
    lab, seed, own_pace, paused, ended, version, closed = db.execute(query, (code,)).fetchone()
    steps = db.execute("SELECT step, vote, revealed, hidden FROM step WHERE code = ?", (code,))
    found = {step: StepState(vote, bool(told), bool(hidden)) for step, vote, told, hidden in steps}
    flags = bool(own_pace), paused, bool(ended), version
    return Room(code, lab, seed, *flags, found, bool(closed))


def _is_teacher(db: sqlite3.Connection, code: str, secret: str) -> bool:
    given = code, _digest(secret)
    found = db.execute("SELECT 1 FROM teacher WHERE code = ? AND secret = ?", given)
    return found.fetchone() is not None


def _member(db: sqlite3.Connection, code: str, browser: str) -> int:
    """The number of the browser's newest member, or 0."""
    newest = "SELECT max(number) FROM member WHERE code = ? AND browser = ?"
    return db.execute(newest, (code, _digest(code + browser))).fetchone()[0] or 0


def _join(db: sqlite3.Connection, code: str, browser: str) -> int:
    """The number of a new member."""
    if not browser:
        raise ClassError("This browser keeps no cookie: allow it, and open the link again.")
    if db.execute("SELECT closed FROM class WHERE code = ?", (code,)).fetchone()[0]:
        raise ClassError("The class takes no further members: ask your teacher to open it.")
    mine = _digest(code + browser)
    members = db.execute("SELECT name, browser FROM member WHERE code = ?", (code,)).fetchall()
    if len(members) >= MEMBERS.value():
        raise ClassError(f"This class is full: {MEMBERS.value()} members at most.")
    if sum(browser == mine for _, browser in members) >= OF_ONE_BROWSER:
        raise ClassError(
            f"This browser has {OF_ONE_BROWSER} rows in the class, the most that it may have."
        )
    name = pseudonym({name for name, _ in members})
    new = "INSERT INTO member (code, browser, name, joined) VALUES (?, ?, ?, ?)"
    return db.execute(new, (code, mine, name, time.time())).lastrowid or 0
