"""What is kept of the classes, in one SQLite file, and every change of it.

Each call opens the file, makes one transaction and closes it; one more connection keeps the log
(WAL). The file holds digests of cookies, pseudonyms and answers: no names. What a vote allows is
decided here, in the transaction that stores the answer.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from embviz.classes.names import new_code, pseudonym
from embviz.core.bounds import CLASSES, MEMBERS
from embviz.core.refused import Refused
from embviz.core.wording import quote

VERSION = 3  # of the tables
BUSY_S = 3.0  # that a call waits for others
KEPT_S = 30 * 86_400  # after the last answer of a class, or after its start
ROWS = 3  # of one browser in a class
LATE = 0  # the vote of an answer that is in no bar
SEEDS = 2**31
TABLES = """
CREATE TABLE class (code TEXT PRIMARY KEY, lab TEXT, seed INTEGER, own_pace INTEGER,
    paused INTEGER DEFAULT 0, ended INTEGER DEFAULT 0, version INTEGER DEFAULT 1, latest REAL);
CREATE TABLE teacher (code REFERENCES class ON DELETE CASCADE, secret BLOB,
    PRIMARY KEY (code, secret));
CREATE TABLE step (code REFERENCES class ON DELETE CASCADE, step INTEGER, vote INTEGER DEFAULT 1,
    revealed INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0, PRIMARY KEY (code, step));
CREATE TABLE member (number INTEGER PRIMARY KEY AUTOINCREMENT,
    code REFERENCES class ON DELETE CASCADE, browser BLOB, name TEXT, UNIQUE (code, name));
CREATE INDEX of_browser ON member (code, browser);
CREATE TABLE answer (member REFERENCES member ON DELETE CASCADE, step INTEGER, vote INTEGER,
    typed TEXT, bar TEXT, right INTEGER, mistake TEXT, PRIMARY KEY (member, step, vote));
"""
# What a teacher presses; {step} is the number of a step, or of the member to remove.
PRESSES = {
    "pause": "UPDATE class SET paused = :step WHERE code = :code",
    "go_on": "UPDATE class SET paused = 0 WHERE code = :code",
    "vote_again": "UPDATE step SET vote = 2 WHERE code = :code AND step = :step AND NOT revealed",
    "reveal": "UPDATE step SET revealed = 1, hidden = 0 WHERE code = :code AND step = :step",
    "hide": "UPDATE step SET hidden = revealed WHERE code = :code AND step = :step",
    "remove": "DELETE FROM member WHERE code = :code AND number = :step",
    "end": "UPDATE class SET ended = 1 WHERE code = :code",
    "delete": "DELETE FROM class WHERE code = :code",
}


class ClassError(Refused):
    """What somebody asked of a class cannot be; the sentence says why."""


class NoClassError(ClassError):
    """There is no class with that code."""


class StoreError(Refused):
    """The file cannot be read or written now."""


@dataclass(frozen=True)
class Step:
    """Where a step of a class stands.

    Attributes:
        vote: 1 or 2: the one that is open, or was the last.
        revealed: whether the votes are closed and told.
        hidden: whether the board covers what was revealed.
    """

    vote: int = 1
    revealed: bool = False
    hidden: bool = False


@dataclass(frozen=True)
class Room:
    """A class, as one moment found it.

    Attributes:
        seed: of everybody's numbers; it stays on the server.
        own_pace: whether each step counts as revealed.
        paused: the last step that is open; 0 for all.
        version: changes with each press of the teacher.
        steps: those that a press has changed.
    """

    code: str
    lab: str
    seed: int
    own_pace: bool
    paused: int
    ended: bool
    version: int
    steps: Mapping[int, Step] = field(default_factory=dict)

    def step(self, number: int) -> Step:
        """A step, counted from 1."""
        return self.steps.get(number, Step())

    def tells(self, number: int) -> bool:
        """Whether members learn at once if an answer to this step is right."""
        return self.own_pace or self.step(number).revealed


@dataclass(frozen=True)
class Answer:
    """One answer with its verdict.

    Attributes:
        typed: as the student wrote it.
        bar: the words under which it is counted.
        mistake: the typical mistake in words, or `""`.
    """

    typed: str
    bar: str
    right: bool
    mistake: str = ""


class Store:
    """The classes of one file, which the first class makes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._keeps_log: sqlite3.Connection | None = None
        # SQLite lets one write at a time, and those that wait try again at random: some starve.
        self._one_writes = threading.Lock()
        self._one_opens = threading.Lock()

    def __del__(self) -> None:
        """Close the file with its store: Python 3.13 warns of a connection that is forgotten."""
        self.close()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        if self._keeps_log is not None:
            self._keeps_log.close()
            self._keeps_log = None

    def start(self, lab: str, own_pace: bool, secret: str) -> str:
        """The code of a new class, whose teacher has this cookie.

        Raises:
            ClassError: the server has as many classes as it may.
            StoreError: the file cannot be written now.
        """
        self._make()
        self.forget_old()
        with self._open(writes=True) as db:
            if db.execute("SELECT count(*) FROM class").fetchone()[0] >= CLASSES.value():
                raise ClassError(
                    f"This server keeps {CLASSES.value()} classes at most. Delete one of yours."
                )
            code, seed = new_code(), secrets.randbelow(SEEDS)
            row = code, lab, seed, own_pace, time.time()
            db.execute(
                "INSERT INTO class (code, lab, seed, own_pace, latest) VALUES (?, ?, ?, ?, ?)", row
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

    def version(self, code: str) -> int:
        """Changes with each press of the teacher. Errors as of `room`."""
        with self._open(code) as db:
            return _room(db, code).version

    def classes_of(self, secret: str) -> list[Room]:
        """The classes whose teacher has this cookie, the newest first."""
        if not self.path.exists():
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

    def press(self, code: str, secret: str, press: str, step: int = 0) -> None:
        """One of `PRESSES`, by the browser with this cookie.

        Raises:
            ClassError: it is no teacher's of this class.
        """
        with self._open(code, writes=True) as db:
            if not _is_teacher(db, code, secret):
                raise ClassError("Only the browser that started a class may change it.")
            given = {"code": code, "step": step}
            if press in ("vote_again", "reveal", "hide"):
                db.execute("INSERT OR IGNORE INTO step (code, step) VALUES (:code, :step)", given)
            db.execute(PRESSES[press], given)
            db.execute("UPDATE class SET version = version + 1 WHERE code = :code", given)
        if press in ("delete", "remove"):
            self._shred()

    def another(self, code: str, browser: str) -> str:
        """A new row for somebody else at this browser; its pseudonym.

        Raises:
            ClassError: the browser or the class has as many as it may.
        """
        with self._open(code, writes=True) as db:
            return _join(db, code, browser)[1]

    def keep(self, code: str, browser: str, step: int, vote: int, answer: Answer) -> None:
        """Keep an answer; the first one of a browser makes its row.

        Args:
            code: of the class.
            browser: its cookie.
            step: counted from 1.
            vote: the one that the student saw open.
            answer: with its verdict.

        Raises:
            ClassError: the class has ended or paused before, is full, or votes again by now.
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
            member = _member(db, code, browser)[0] or _join(db, code, browser)[0]
            place = vote
            if room.own_pace:
                before = "SELECT 1 FROM answer WHERE member = ? AND step = ?"
                place = LATE if db.execute(before, (member, step)).fetchone() else 1
            elif room.tells(step):
                place = LATE
            db.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)",
                (member, step, place, *vars(answer).values()),
            )
            db.execute("UPDATE class SET latest = ? WHERE code = ?", (time.time(), code))

    def answers(self, code: str, browser: str = "") -> list[tuple[Any, ...]]:
        """All answers of a class, or of a browser's newest row.

        Returns:
            A row each: number, name, step, vote, typed, bar, right, mistake. A member without
            answers has one with None from the step on.
        """
        with self._open(code) as db:
            number = _member(db, code, browser)[0]
            return db.execute(
                "SELECT number, name, step, vote, typed, bar, right, mistake FROM member "
                "LEFT JOIN answer ON member = number "
                "WHERE code = ? AND number BETWEEN ? AND ? ORDER BY number, step, vote",
                (code, number, number if browser else 2**62),
            ).fetchall()

    def forget_old(self) -> None:
        """Delete the classes whose last answer is 30 days old."""
        if not self.path.exists():
            return
        with self._open(writes=True) as db:
            old = db.execute("DELETE FROM class WHERE latest < ?", (time.time() - KEPT_S,))
        if old.rowcount:
            self._shred()

    def _make(self) -> None:
        """The file, for its owner alone, if it is not there."""
        try:
            if not self.path.exists():
                self.close()  # of a file that was removed
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(0o600)
            with closing(sqlite3.connect(self.path)) as db:
                if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
                    db.executescript(
                        f"PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; {TABLES} "
                        f"PRAGMA user_version = {VERSION}; COMMIT;"
                    )
        except (sqlite3.Error, OSError) as error:
            raise self._explained(error) from None

    def _shred(self) -> None:
        """Remove deleted content from the log as well."""
        with closing(self._connect()) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _open(self, code: str | None = None, writes: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction; a code must be that of a class."""
        missing = NoClassError(
            f"There is no class {quote(code or '')}. Check the code, or ask your teacher."
        )
        if not self.path.exists():
            raise missing
        if writes and not self._one_writes.acquire(timeout=BUSY_S):
            raise StoreError(f"The file {self.path.name} is busy.")
        try:
            with self._one_opens:
                self._keeps_log = self._keeps_log or self._connect()
            with closing(self._connect()) as db:
                db.execute("PRAGMA foreign_keys = ON")
                db.execute("PRAGMA secure_delete = ON")
                db.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                chosen = db.execute("SELECT 1 FROM class WHERE code = ?", (code,))
                if code is not None and not chosen.fetchone():
                    raise missing
                yield db
                db.execute("COMMIT")  # without it, as after an error, closing undoes all
        except (sqlite3.Error, OSError) as error:
            raise self._explained(error) from None
        finally:
            if writes:
                self._one_writes.release()

    def _connect(self) -> sqlite3.Connection:
        uri = f"{self.path.absolute().as_uri()}?mode=rw"
        db = sqlite3.connect(
            uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            if db.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise StoreError(f"The file {self.path.name} is not of this embviz: move it away.")
        except Exception:
            db.close()
            raise
        return db

    def _explained(self, error: Exception) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        what = {
            sqlite3.SQLITE_BUSY: "is locked by another program",
            sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
            sqlite3.SQLITE_NOTADB: "is no database",
        }.get(code, "cannot be opened, read or written")
        return StoreError(f"The file {self.path.name} {what}.")


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).digest()


def _room(db: sqlite3.Connection, code: str) -> Room:
    lab, seed, own_pace, paused, ended, version = db.execute(
        "SELECT lab, seed, own_pace, paused, ended, version FROM class WHERE code = ?", (code,)
    ).fetchone()
    steps = db.execute("SELECT step, vote, revealed, hidden FROM step WHERE code = ?", (code,))
    found = {step: Step(vote, bool(told), bool(hidden)) for step, vote, told, hidden in steps}
    return Room(code, lab, seed, bool(own_pace), paused, bool(ended), version, found)


def _is_teacher(db: sqlite3.Connection, code: str, secret: str) -> bool:
    given = code, _digest(secret)
    found = db.execute("SELECT 1 FROM teacher WHERE code = ? AND secret = ?", given)
    return found.fetchone() is not None


def _member(db: sqlite3.Connection, code: str, browser: str) -> tuple[int, str]:
    found = db.execute(
        "SELECT number, name FROM member WHERE code = ? AND browser = ? "
        "ORDER BY number DESC LIMIT 1",
        (code, _digest(code + browser)),
    )
    number, name = found.fetchone() or (0, "")
    return number, name


def _join(db: sqlite3.Connection, code: str, browser: str) -> tuple[int, str]:
    if not browser:
        raise ClassError("This browser keeps no cookie: allow it, and open the link again.")
    mine = _digest(code + browser)
    rows = db.execute("SELECT name, browser FROM member WHERE code = ?", (code,)).fetchall()
    if len(rows) >= MEMBERS.value():
        raise ClassError(f"This class is full: {MEMBERS.value()} members at most.")
    if sum(browser == mine for _, browser in rows) >= ROWS:
        raise ClassError(f"This browser has {ROWS} rows in the class, the most that it may have.")
    name = pseudonym({name for name, _ in rows})
    new = db.execute(
        "INSERT INTO member (code, browser, name) VALUES (?, ?, ?)", (code, mine, name)
    )
    return int(new.lastrowid or 0), name
