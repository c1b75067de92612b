"""The deletion of old classes, and of those that nobody has joined.

Where a server has as many classes as it may, the oldest one without members gives way to a new one,
but not within an hour of its start: a teacher prepares it before its students come.
"""

from __future__ import annotations

import sqlite3
import time

from embviz.classes.room import ClassError
from embviz.system.bounds import CLASSES

KEPT_S = 30 * 86_400  # seconds after the last answer of a class, or after its start
OPEN_S = 3600  # seconds after the start of a class until it may give way
UNUSED = """
SELECT code FROM class WHERE latest < :since AND code NOT IN (SELECT code FROM member)
ORDER BY latest LIMIT :most
"""


def delete_old(db: sqlite3.Connection) -> int:
    """Delete the classes whose time is over.

    Returns:
        How many.
    """
    return db.execute("DELETE FROM class WHERE latest < ?", (time.time() - KEPT_S,)).rowcount


def delete_unused(db: sqlite3.Connection) -> None:
    """Delete the oldest classes without members, where the bound is reached, for one new class.

    Raises:
        ClassError: too few can go.
    """
    most = CLASSES.value()
    surplus = db.execute("SELECT count(*) FROM class").fetchone()[0] - most + 1
    if surplus <= 0:
        return
    codes = db.execute(UNUSED, {"since": time.time() - OPEN_S, "most": surplus}).fetchall()
    if len(codes) < surplus:
        raise ClassError(
            f"This server keeps {most} classes at most, and all are used or new. Delete one of "
            "yours, or try again in an hour."
        )
    db.executemany("DELETE FROM class WHERE code = ?", codes)
