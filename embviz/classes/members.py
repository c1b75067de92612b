"""The rows of a browser in a class: one counts, and at most three are kept.

*Not you?* makes a new row for somebody else at the same browser, and can be undone. A row that no
longer counts keeps its answers: only the file of all answers has them. A browser is the digest of
its cookie.
"""

from __future__ import annotations

import sqlite3
import time

from embviz.classes.names import pseudonym
from embviz.classes.room import ClassError, RemovedError
from embviz.system.bounds import MEMBERS

OF_ONE_BROWSER = 3  # Rows of a browser in a class, at most.


def current(db: sqlite3.Connection, code: str, browser: bytes) -> int:
    """The number of the browser's row that counts, or 0."""
    query = "SELECT number FROM member WHERE code = ? AND browser = ? AND current"
    found = db.execute(query, (code, browser)).fetchone()
    return int(found[0]) if found else 0


def add(db: sqlite3.Connection, code: str, browser: bytes) -> int:
    """The number of a new row, which counts; the one that did is kept.

    Raises:
        RemovedError: the teacher has removed the browser's row, and it has not asked to come again.
        ClassError: the class has ended, is closed or full, or the browser has too many rows.
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
    rows = db.execute("SELECT name, browser FROM member WHERE code = ?", (code,)).fetchall()
    if len(rows) >= MEMBERS.value():
        raise ClassError(f"This class is full: {MEMBERS.value()} members at most.")
    if sum(one == browser for _, one in rows) >= OF_ONE_BROWSER:
        raise ClassError(f"This browser has had {OF_ONE_BROWSER} names, the most that it may have.")
    earlier = current(db, code, browser)
    db.execute("UPDATE member SET current = 0 WHERE number = ?", (earlier,))
    new = "INSERT INTO member (code, browser, name, joined, earlier) VALUES (?, ?, ?, ?, ?)"
    name = pseudonym({name for name, _ in rows})
    return db.execute(new, (code, browser, name, time.time(), earlier)).lastrowid or 0


def earlier(db: sqlite3.Connection, number: int) -> tuple[int, str]:
    """Number and name of the row that a row has taken the place of; 0 and `""` for none."""
    query = (
        "SELECT old.number, old.name FROM member AS new JOIN member AS old "
        "ON old.number = new.earlier WHERE new.number = ?"
    )
    return db.execute(query, (number,)).fetchone() or (0, "")


def go_back(db: sqlite3.Connection, number: int) -> None:
    """Let the earlier row count instead of this one, which goes if it has no answers."""
    old, _ = earlier(db, number)
    if old:
        db.execute(
            "UPDATE member SET current = (number = ?) WHERE number IN (?, ?)", (old, old, number)
        )
        unused = "DELETE FROM member WHERE number = ? AND number NOT IN (SELECT member FROM answer)"
        db.execute(unused, (number,))
