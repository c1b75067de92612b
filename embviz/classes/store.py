"""Every change of the classes. What a vote allows is decided in the transaction that stores it.

The file holds digests of cookies, pseudonyms and answers: no names.
"""

from __future__ import annotations

import math
import secrets
import sqlite3
import time

from embviz.classes import members, presses
from embviz.classes.file import File
from embviz.classes.lifetime import delete_old, delete_unused
from embviz.classes.names import new_code
from embviz.classes.room import ClassError, Room, StoredAnswer
from embviz.classes.snapshot import (
    LATE,
    Snapshot,
    room_of,
    snapshot_of,
    student_digest,
    teacher_digest,
)
from embviz.text.wording import quote

SEEDS = 2**31


class Store(File):
    """The classes of one file."""

    def start(self, lab: str, secret: str) -> str:
        """The code of a new class, whose teacher has this cookie.

        Raises:
            ClassError: the server has as many classes as it may, and all are used or new.
            StoreError: the file cannot be written now.
        """
        self._make()
        self.forget_old()
        with self.transaction(writes=True) as db:
            delete_unused(db)
            code, seed = new_code(), secrets.randbelow(SEEDS)
            new = "INSERT INTO class (code, seed, lab, latest) VALUES (?, ?, ?, ?)"
            db.execute(new, (code, seed, lab, time.time()))
            db.execute("INSERT INTO opened (code, lab) VALUES (?, ?)", (code, lab))
            db.execute("INSERT INTO teacher VALUES (?, ?)", (code, teacher_digest(secret)))
        return code

    def room(self, code: str) -> Room:
        """The class as it stands.

        Raises:
            NoClassError: there is none.
            StoreError: the file cannot be read now.
        """
        with self.transaction(code) as db:
            return room_of(db, code)

    def snapshot(self, code: str, cookie: str = "") -> Snapshot:
        """The class with members and answers: all, or those of the browser with this cookie."""
        with self.transaction(code) as db:
            return snapshot_of(db, code, student_digest(code, cookie) if cookie else None)

    def classes_of(self, secret: str) -> list[Room]:
        """The classes whose teacher has this cookie, the newest first."""
        if not self.exists():
            return []
        with self.transaction() as db:
            order = "SELECT code FROM teacher WHERE secret = ? ORDER BY rowid DESC"
            return [room_of(db, code) for (code,) in db.execute(order, (teacher_digest(secret),))]

    def is_teacher(self, code: str, secret: str) -> bool:
        """Whether this cookie is a teacher's of that class."""
        with self.transaction(code) as db:
            return _is_teacher(db, code, secret)

    def add_teacher(self, code: str, secret: str) -> None:
        """Let another browser have the board too."""
        with self.transaction(code, writes=True) as db:
            new = "INSERT OR IGNORE INTO teacher VALUES (?, ?)"
            db.execute(new, (code, teacher_digest(secret)))

    def press(
        self,
        code: str,
        secret: str,
        press: str,
        lab: str = "",
        step: int = 0,
        *,
        since: float = math.inf,
        until: float = 0.0,
        member: int = 0,
    ) -> None:
        """Do one of `presses.PRESSES`, for the browser with this cookie.

        Args:
            code: of the class.
            secret: the cookie.
            press: its name.
            lab: that of the step.
            step: counted from 1.
            since: for `remove`, of all who have come since then: seconds since 1970.
            until: for `countdown`, seconds since 1970; 0 ends it.
            member: for `remove`, of one member: the number.

        Raises:
            ClassError: it is no teacher's of this class, or the class has ended.
        """
        with self.transaction(code, writes=True) as db:
            if not _is_teacher(db, code, secret):
                raise ClassError("Only the browser that started a class may change it.")
            named = {"code": code, "lab": lab, "step": step}
            named |= {"since": since, "until": until, "member": member}
            presses.apply(db, room_of(db, code), press, named)
        if press in ("delete", "remove"):
            self._shred()

    def join(self, code: str, cookie: str, again: bool = False) -> None:
        """Make the row of a browser whose page is open, unless it has one.

        Args:
            code: of the class.
            cookie: of the browser.
            again: whether somebody asks to come again after the teacher has removed the row.

        Raises:
            RemovedError: the teacher has removed the row, and nobody asks.
            ClassError: the class has ended, is closed or full.
        """
        with self.transaction(code, writes=True) as db:
            if again:
                gone = "DELETE FROM removed WHERE code = ? AND browser = ?"
                db.execute(gone, (code, student_digest(code, cookie)))
            _member(db, code, cookie)

    def keep(
        self, code: str, cookie: str, lab: str, step: int, answer: StoredAnswer, *, vote: int
    ) -> None:
        """Keep an answer; a browser without a row gets one.

        Args:
            code: of the class.
            cookie: of the browser.
            lab: the key of the step's lab.
            step: counted from 1.
            answer: with its verdict.
            vote: the number of the vote that the student saw open.

        Raises:
            ClassError: the class has ended, has not opened this lab or has paused before the step,
                is full or closed, or votes again by now.
            StoreError: the file cannot be written now.
        """
        with self.transaction(code, writes=True) as db:
            counts_in = _vote(room_of(db, code), lab, step, vote)
            member, now = _member(db, code, cookie), time.time()
            said = answer.typed, answer.bar, answer.right, answer.mistake, answer.title
            new = "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            db.execute(new, (member, lab, step, counts_in, *said, now))
            db.execute("UPDATE class SET latest = ? WHERE code = ?", (now, code))

    def forget_old(self) -> None:
        """Delete the classes whose time is over."""
        if not self.exists():
            return
        with self.transaction(writes=True) as db:
            count = delete_old(db)
        if count:
            self._shred()


def _vote(room: Room, lab: str, step: int, seen: int) -> int:
    """The vote in which an answer counts, given to the vote that the student saw open.

    Raises:
        ClassError: in none.
    """
    if room.ended:
        raise ClassError("The class has ended: no more answers are taken.")
    if lab not in room.labs:
        raise ClassError(f"Your teacher has not opened the lab {quote(lab)} in this class.")
    if 0 < (last := room.paused(lab)) < step:
        raise ClassError(f"Your teacher has paused at step {last}: press again when it goes on.")
    if room.tells(lab, step):
        return LATE
    if seen != room.step(lab, step).vote:
        raise ClassError("The first vote has closed. Press again to vote a second time.")
    return seen


def _member(db: sqlite3.Connection, code: str, cookie: str) -> int:
    """The number of the browser's row, made if there is none."""
    if not cookie:
        raise ClassError("This browser keeps no cookie: allow it, and open the link again.")
    browser = student_digest(code, cookie)
    return members.number_of(db, code, browser) or members.add(db, code, browser)


def _is_teacher(db: sqlite3.Connection, code: str, secret: str) -> bool:
    given = code, teacher_digest(secret)
    found = db.execute("SELECT 1 FROM teacher WHERE code = ? AND secret = ?", given)
    return found.fetchone() is not None
