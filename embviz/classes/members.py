"""The members of a class: one row for each browser, which is the digest of its cookie."""

from __future__ import annotations

import sqlite3
import time

from embviz.classes.names import pseudonym
from embviz.classes.room import ClassError, RemovedError
from embviz.system.bounds import MEMBERS


def number_of(db: sqlite3.Connection, code: str, browser: bytes) -> int:
    """The number of a browser's row, or 0."""
    query = "SELECT number FROM member WHERE code = ? AND browser = ?"
    found = db.execute(query, (code, browser)).fetchone()
    return int(found[0]) if found else 0


def add(db: sqlite3.Connection, code: str, browser: bytes) -> int:
    """The number of a new row for a browser that has none.

    Raises:
        RemovedError: the teacher has removed the browser's row, and it has not asked to come again.
        ClassError: the class has ended, is closed or full.
    """
    removed = "SELECT 1 FROM removed WHERE code = ? AND browser = ?"
    if db.execute(removed, (code, browser)).fetchone():
        raise RemovedError("Your teacher has removed your row and its answers.")
    query = "SELECT ended, closed FROM class WHERE code = ?"
    ended, closed = db.execute(query, (code,)).fetchone()
    if ended:
        raise ClassError("The class has ended: it takes no further members.")
    if closed:
        raise ClassError("The class takes no further members: ask your teacher to open it.")
    rows = db.execute("SELECT name FROM member WHERE code = ?", (code,))
    names = [name for (name,) in rows]
    if len(names) >= MEMBERS.value():
        raise ClassError(f"This class is full: {MEMBERS.value()} members at most.")
    new = "INSERT INTO member (code, browser, name, joined) VALUES (?, ?, ?, ?)"
    return db.execute(new, (code, browser, pseudonym(names), time.time())).lastrowid or 0
