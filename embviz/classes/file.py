"""The SQLite file of the classes: its tables, and one transaction for each call.

Each call opens the file, makes one transaction and closes it; one more connection keeps the log
(WAL). It knows no votes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from embviz.classes.room import NoClassError, StoreError
from embviz.core.wording import quote

VERSION = 3  # of the tables
BUSY_S = 3.0  # that a call waits for others
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


class File:
    """The file at a path, which the first class makes."""

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
