"""The SQLite file of the classes: its tables, and one transaction for each call.

One connection makes one transaction at a time. A page that must wait for it, or for another program
that has locked the file, lets other pages compute meanwhile. What an answer or a press changes is
in `store.py`.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from embviz.classes.room import NoClassError, StoreError
from embviz.server.scheduler import run_queue
from embviz.system.data_folder import FILE_MODE, make_private
from embviz.text.wording import quote

VERSION = 8  # Number of the tables' form.
BUSY_S = 3.0  # Seconds that a call waits for others.
# With a log (WAL), NORMAL keeps every answer when the server is killed, and waits for no disk.
PRAGMAS = "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL;"
FAULTS = {
    sqlite3.SQLITE_BUSY: "is locked by another program",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
    sqlite3.SQLITE_NOTADB: "is no database",
    0: "cannot be opened, read or written",
}
OTHER = (
    "in embviz's data folder is of another version of embviz. Students: tell your teacher. The one "
    "who runs embviz can move it away; its classes go with it"
)
# A column that refers to another has the type of it: else SQLite compares them without an index.
TABLES = f"""
PRAGMA journal_mode = WAL;
BEGIN IMMEDIATE;
CREATE TABLE class (code TEXT PRIMARY KEY, seed INTEGER, lab TEXT, at INTEGER DEFAULT 0,
    moved INTEGER DEFAULT 0, ended INTEGER DEFAULT 0, version INTEGER DEFAULT 1,
    until REAL DEFAULT 0, closed INTEGER DEFAULT 0, latest REAL,
    shown_lab TEXT DEFAULT '', shown_step INTEGER DEFAULT 0);
CREATE TABLE teacher (code TEXT REFERENCES class ON DELETE CASCADE, secret BLOB,
    PRIMARY KEY (code, secret));
CREATE TABLE opened (place INTEGER PRIMARY KEY, code TEXT REFERENCES class ON DELETE CASCADE,
    lab TEXT, UNIQUE (code, lab));
CREATE TABLE step (code TEXT REFERENCES class ON DELETE CASCADE, lab TEXT, step INTEGER,
    vote INTEGER DEFAULT 1, revealed INTEGER DEFAULT 0, paused INTEGER DEFAULT 0,
    PRIMARY KEY (code, lab, step));
CREATE TABLE member (number INTEGER PRIMARY KEY AUTOINCREMENT,
    code TEXT REFERENCES class ON DELETE CASCADE, browser BLOB, name TEXT, joined REAL,
    UNIQUE (code, browser), UNIQUE (code, name));
CREATE TABLE removed (code TEXT REFERENCES class ON DELETE CASCADE, browser BLOB,
    PRIMARY KEY (code, browser));
CREATE TABLE answer (member INTEGER REFERENCES member ON DELETE CASCADE, lab TEXT, step INTEGER,
    vote INTEGER, typed TEXT, bar TEXT, right INTEGER, mistake TEXT, title TEXT, at REAL,
    PRIMARY KEY (member, lab, step, vote)) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
COMMIT;
"""


class File:
    """The file at a path, which the first class makes.

    Attributes:
        path: of the file.
        db: the open connection, or None.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # device and number of the one that is open
        self._one = threading.Lock()

    def __del__(self) -> None:
        """Close the file with its store: Python 3.13 warns of a connection that is forgotten."""
        self.close()

    def exists(self) -> bool:
        """Whether the file is there; `Path.exists` raises below a folder closed to this user."""
        return os.access(self.path, os.F_OK)

    def close(self) -> None:
        """Close the file; the next call opens it again. No other thread may be in a transaction."""
        if self.db is not None:
            self.db.close()
            self.db = None

    def _make(self) -> None:
        """An empty file, for its owner alone, if there is none."""
        try:
            make_private(self.path.parent)
            self.path.touch(FILE_MODE)  # SQLite gives the files beside it the same
        except OSError:
            raise self._explained(FAULTS[0], True) from None

    def _shred(self) -> None:
        """Remove deleted content from the log as well."""
        with self._one:
            if self.db is not None:
                self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def transaction(
        self, code: str | None = None, writes: bool = False
    ) -> Iterator[sqlite3.Connection]:
        """The connection for one transaction; a code must be that of a class."""
        missing = NoClassError(f"There is no class {quote(code or '')} here. Check the code.")
        if not self.exists():
            raise missing
        # A page that has waited takes its slot again after all else has ended.
        with ExitStack() as slot, self._alone(slot, writes), self._faults(writes):
            if self._is_replaced():
                self.close()
            db = self.db = self.db or self._connect()
            with db:  # an error undoes all
                _begin(db, "BEGIN IMMEDIATE" if writes else "BEGIN", slot)
                chosen = db.execute("SELECT 1 FROM class WHERE code = ?", (code,))
                if code is not None and not chosen.fetchone():
                    raise missing
                yield db

    @contextmanager
    def _alone(self, slot: ExitStack, writes: bool) -> Iterator[None]:
        """One thread at a time; a page that must wait lets other pages compute."""
        if not self._one.acquire(blocking=False):
            slot.enter_context(run_queue.released())
            if not self._one.acquire(timeout=BUSY_S):
                raise self._explained("is busy", writes)
        try:
            yield
        finally:
            self._one.release()

    @contextmanager
    def _faults(self, writes: bool) -> Iterator[None]:
        """Explain a fault of the file, which the next call opens again."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            self.close()
            number = getattr(error, "sqlite_errorcode", 0) & 0xFF
            raise self._explained(FAULTS.get(number, FAULTS[0]), writes) from None

    def _is_replaced(self) -> bool:
        """Whether another file has this name now: a backup, or one after the first was removed."""
        found = self.path.stat()
        before, self._file = self._file, (found.st_dev, found.st_ino)
        return before not in (None, self._file)

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            db.executescript(PRAGMAS)
            if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
                db.executescript(TABLES)
            if db.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise self._explained(OTHER, False)
        except Exception:
            db.close()
            raise
        return db

    def _explained(self, what: str, writes: bool) -> StoreError:
        hint = "Not stored yet, press again. " if writes else ""
        return StoreError(f"{hint}The file {self.path.name} {what}.")


def _begin(db: sqlite3.Connection, begin: str, slot: ExitStack) -> None:
    """Begin a transaction; where another program has locked the file, let other pages compute."""
    db.execute("PRAGMA busy_timeout = 0")
    try:
        db.execute(begin)
    except sqlite3.OperationalError:
        slot.enter_context(run_queue.released())
        db.execute(f"PRAGMA busy_timeout = {1000 * BUSY_S:.0f}")
        db.execute(begin)
