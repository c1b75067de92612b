"""The deletion of old classes, and of those that nobody has joined.

A program that starts classes in a loop must neither keep a teacher out nor take a class away that a
teacher has just begun. So one that nobody has joined gives way to a new one, but not within
`OPEN_S` of its start, in which its board opens, nor within `SEEN_S` after its board was last open.
The route that starts classes lets fewer come within `OPEN_S` than a server keeps.
"""

from __future__ import annotations

import sqlite3
import time

from embviz.classes.room import ClassError
from embviz.system.bounds import CLASSES

KEPT_S = 30 * 86_400  # seconds after the last answer of a class, or after its start
UNUSED_S = 86_400  # seconds after the start, or the last look at the board, of one without members
OPEN_S = 120  # seconds after its start in which the board of a class opens
SEEN_S = 600  # seconds after the last look at it until a board counts as left
OLD = """
DELETE FROM class WHERE latest < :kept
    OR (max(latest, seen) < :unused AND code NOT IN (SELECT code FROM member))
"""
FREE = """
SELECT code FROM (SELECT code, max(latest + :open_s, seen + :seen_s) AS since FROM class
    WHERE code NOT IN (SELECT code FROM member))
WHERE since < :now ORDER BY since LIMIT :most
"""


def delete_old(db: sqlite3.Connection) -> int:
    """Delete the classes whose time is over.

    Returns:
        How many.
    """
    now = time.time()
    return db.execute(OLD, {"kept": now - KEPT_S, "unused": now - UNUSED_S}).rowcount


def delete_unused(db: sqlite3.Connection) -> None:
    """Delete the oldest classes without members, where the bound is reached, for one new class.

    Raises:
        ClassError: too few can go.
    """
    most = CLASSES.value()
    surplus = db.execute("SELECT count(*) FROM class").fetchone()[0] - most + 1
    if surplus <= 0:
        return
    given = {"open_s": OPEN_S, "seen_s": SEEN_S, "now": time.time(), "most": surplus}
    codes = db.execute(FREE, given).fetchall()
    if len(codes) < surplus:
        raise ClassError(
            f"This server keeps {most} classes at most, and all are used or new. Delete one of "
            "yours, or try again in some minutes."
        )
    db.executemany("DELETE FROM class WHERE code = ?", codes)
