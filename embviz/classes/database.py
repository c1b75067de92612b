"""The file of the classes: its tables, how it is opened, and its failures in words.

One SQLite file with a write-ahead log (WAL). A file that was removed is not made anew here unless
the caller asks for it, and a file of another version is refused.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from embviz.classes.record import StoreError

VERSION = 2  # of the tables
APPLICATION = 0x656D6276  # "embv": marks the file as embviz's
BUSY_S = 2.0  # so long one write waits for another program
LOG_BYTES = 4_000_000  # of the write-ahead log, after a checkpoint

# One counter gives the ids of answers and of members who came, so that "what is new since" is
# one number. An id is taken inside the transaction that uses it: ids become visible in order.
TABLES = """
CREATE TABLE counter (last INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
CREATE TABLE class (
    number INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, lab TEXT NOT NULL,
    teacher BLOB NOT NULL, begun INTEGER NOT NULL, latest REAL NOT NULL,
    version INTEGER NOT NULL DEFAULT 0, paused INTEGER, revealed TEXT NOT NULL DEFAULT '',
    ended INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX of_teacher ON class (teacher);
CREATE TABLE member (
    token BLOB NOT NULL, class INTEGER NOT NULL, number INTEGER NOT NULL,
    pseudonym TEXT NOT NULL, came INTEGER NOT NULL,
    PRIMARY KEY (token, class), UNIQUE (class, number), UNIQUE (class, pseudonym)
) WITHOUT ROWID;
CREATE INDEX news_of_members ON member (class, came);
CREATE TABLE answer (
    id INTEGER PRIMARY KEY, class INTEGER NOT NULL, member INTEGER NOT NULL,
    step TEXT NOT NULL, nth INTEGER NOT NULL, typed TEXT NOT NULL,
    seconds INTEGER NOT NULL, written REAL NOT NULL,
    UNIQUE (class, member, step, nth, typed)
);
CREATE INDEX news_of_answers ON answer (class, id);
"""

Identity = tuple[tuple[int, int] | None, ...]


class NoFileError(StoreError):
    """There is no file."""


def connect(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """A connection that writes; close it in the thread that opened it.

    Args:
        path: the file.
        create: whether a missing or empty file gets its tables.

    Raises:
        NoFileError: it is missing or empty.
        StoreError: it belongs to another program or to another version of embviz.
        sqlite3.Error, OSError: it cannot be opened.
    """
    if create:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)
    db = _open(path, "rw")
    try:
        db.execute("PRAGMA secure_delete = ON")
        # An acknowledged answer is on the disk: it survives a crash of the machine too.
        db.execute("PRAGMA synchronous = FULL")
        if not _has_tables(db, path):
            if not create:
                raise NoFileError(_gone(path))
            _make_tables(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        db.execute("SELECT last FROM counter").fetchone()  # opens the log, so that it has a file
    except BaseException:
        db.close()
        raise
    return db


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that only reads; the errors are those of `connect`."""
    db = _open(path, "ro")
    try:
        if not _has_tables(db, path):
            raise NoFileError(_gone(path))
    except BaseException:
        db.close()
        raise
    return db


def identity(path: Path) -> Identity:
    """Which file this is, and which log: another one if somebody removes or replaces a file."""
    return tuple(map(_inode, (path, path.with_name(f"{path.name}-wal"))))


def explained(error: Exception, path: Path) -> StoreError:
    """The error as a sentence without folders, for pages."""
    if isinstance(error, StoreError):
        return error
    file = f"The file {path.name} with the classes"
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(f"{file} is locked by another program.")
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"The disk is full: {file[0].lower()}{file[1:]} cannot grow.")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return StoreError(f"{file} is damaged or is no database.")
    if code == sqlite3.SQLITE_READONLY:
        return StoreError(f"{file} may not be written.")
    return StoreError(f"{file} cannot be opened, read or written.")


def _open(path: Path, mode: str) -> sqlite3.Connection:
    if not path.exists():
        raise NoFileError(_gone(path))
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, timeout=BUSY_S, isolation_level=None, uri=True)


def _has_tables(db: sqlite3.Connection, path: Path) -> bool:
    """Whether the file has our tables; an empty one has none."""
    ((application,),) = db.execute("PRAGMA application_id")
    ((version,),) = db.execute("PRAGMA user_version")
    if application != APPLICATION:
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            return False
        raise StoreError(f"The file {path.name} is of another program: move it away.")
    if version != VERSION:
        raise StoreError(f"The file {path.name} is of another version of embviz: move it away.")
    return True


def _make_tables(db: sqlite3.Connection, path: Path) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    if not _has_tables(db, path):  # else another process made them meanwhile
        for statement in TABLES.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("COMMIT")


def _gone(path: Path) -> str:
    return f"The file {path.name} with the classes was removed."


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
