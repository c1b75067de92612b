"""What the store asks the file, in SQL: functions of a connection inside a transaction.

None of them begins or ends a transaction, and none checks what an answer says.
"""

from __future__ import annotations

import hmac
import sqlite3
import time
from collections.abc import Sequence
from typing import Any, NoReturn

from embviz.classes.codes import digest, guest_from, is_code, is_token, new_code, pseudonym
from embviz.classes.record import Answer, ClassError, Classroom, Member, News, Stored, StoreError
from embviz.core.bounds import ANSWERS, CLASSES, MEMBERS
from embviz.core.wording import quote

KEPT_DAYS = 30  # after the last answer of a class, or after its start
DAY_S = 86_400
MOST_OF_MEMBER = 300  # answers of one member that are kept: 30 at each of ten steps
MINUTE_S = 60.0

_CLASS = "SELECT number, code, lab, begun, version, paused, revealed, ended FROM class"
_MEMBER = "SELECT number, pseudonym, token FROM member"
_ANSWERS = (
    "SELECT id, member, step, nth, typed, seconds FROM answer"
    " WHERE class = ? AND id > ? ORDER BY id"
)


class TooFastError(StoreError):
    """More answers in a minute than are kept: the others have to wait."""


def start(db: sqlite3.Connection, lab: str, teacher: str) -> Classroom:
    """A new class, after those whose time is over are deleted."""
    delete_old(db)
    if _one(db, "SELECT count(*) FROM class")[0] >= CLASSES.value():
        raise ClassError(
            f"This server keeps {CLASSES.value()} classes. End and delete one of yours."
        )
    while _one(db, f"{_CLASS} WHERE code = ?", code := new_code()):
        pass
    now = time.time()
    db.execute(
        "INSERT INTO class (code, lab, teacher, begun, latest) VALUES (?, ?, ?, ?, ?)",
        (code, lab, digest(teacher), int(now), now),
    )
    return classroom(db, code)[1]


def classroom(db: sqlite3.Connection, code: str) -> tuple[int, Classroom]:
    """The class's number in the file, and the class."""
    row = _one(db, f"{_CLASS} WHERE code = ?", code) if is_code(code) else None
    return _numbered(row) if row else no_class(code)


def no_class(code: str) -> NoReturn:
    """Say that this code is of no class."""
    raise ClassError(f"There is no class {quote(str(code))} on this server. Check the code.")


def classes_of(db: sqlite3.Connection, teacher: str) -> tuple[Classroom, ...]:
    """The classes of a teacher, the newest first."""
    rows = db.execute(f"{_CLASS} WHERE teacher = ? ORDER BY number DESC", (digest(teacher),))
    return tuple(_numbered(row)[1] for row in rows)


def is_teacher(db: sqlite3.Connection, code: str, teacher: str) -> bool:
    """Whether this is the secret of the class's teacher."""
    row = _one(db, "SELECT teacher FROM class WHERE code = ?", code)
    return row is not None and hmac.compare_digest(row[0], digest(teacher))


def of_teacher(db: sqlite3.Connection, code: str, teacher: str) -> tuple[int, Classroom]:
    """As `classroom`, for its teacher alone."""
    found = classroom(db, code)
    if not is_teacher(db, code, teacher):
        raise ClassError(f"Only the browser that started the class {code} may change it.")
    return found


def change(db: sqlite3.Connection, number: int, new: Classroom) -> None:
    """Set what a teacher may change."""
    revealed = " ".join(f"{name}:{last}" for name, last in sorted(new.revealed.items()))
    db.execute(
        "UPDATE class SET version = ?, paused = ?, revealed = ?, ended = ? WHERE number = ?",
        (new.version, new.paused, revealed, new.ended, number),
    )


def has(db: sqlite3.Connection, code: str, token: str) -> bool:
    """Whether a class has this member; finds the token first, whatever the code."""
    query = "SELECT code FROM member JOIN class ON class.number = member.class WHERE token = ?"
    return (code,) in db.execute(query, (digest(token),)).fetchall()


def join(db: sqlite3.Connection, code: str, token: str) -> Member:
    """The member of that token, who is new or was here before."""
    number, room = classroom(db, code)
    if found := _member(db, number, token):
        return found
    if room.ended:
        raise ClassError(f"The class {code} has ended.")
    others = db.execute("SELECT pseudonym, token FROM member WHERE class = ?", (number,)).fetchall()
    taken, tokens = {name for name, _ in others}, [other for _, other in others]
    if len(taken) >= MEMBERS.value():
        raise ClassError(f"The class {code} is full: it has {len(taken)} members.")
    key = digest(token)
    if any(guest_from(other) == guest_from(key) for other in tokens):  # 1 of 900 classes of 200
        raise ClassError("Another member has the same numbers. Open the class's link again.")
    row = (key, number, len(taken) + 1, pseudonym(key, taken), _next_id(db))
    db.execute("INSERT INTO member VALUES (?, ?, ?, ?, ?)", row)
    return member(db, number, token)


def member(db: sqlite3.Connection, number: int, token: str) -> Member:
    """The member of that token."""
    if found := _member(db, number, token):
        return found
    raise ClassError("This address is of no member of the class. Open the class's link again.")


def keep(
    db: sqlite3.Connection, number: int, who: Member, answers: Sequence[Answer]
) -> ClassError | TooFastError | None:
    """Insert the answers that are new; the error says why the last ones are left out."""
    now = time.time()
    kept, lately = _one(
        db,
        "SELECT count(*), coalesce(sum(written > ?), 0) FROM answer WHERE class = ? AND member = ?",
        now - MINUTE_S,
        number,
        who.number,
    )
    known = (
        "SELECT 1 FROM answer WHERE class = ? AND member = ? AND step = ? AND nth = ? AND typed = ?"
    )
    for one in answers:
        values = (number, who.number, one.step, one.nth, one.typed)
        if _one(db, known, *values):
            continue
        if kept >= MOST_OF_MEMBER:
            return ClassError(f"A class keeps {MOST_OF_MEMBER} answers of one member.")
        if lately >= ANSWERS.value():
            return TooFastError(f"A class takes {lately} answers of one member in a minute.")
        row = (_next_id(db), *values, one.seconds, now)
        db.execute("INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        kept, lately = kept + 1, lately + 1
        db.execute("UPDATE class SET latest = ? WHERE number = ?", (now, number))
    return None


def news(db: sqlite3.Connection, code: str, since: int) -> News:
    """What has an id above `since`."""
    number, room = classroom(db, code)
    came = f"{_MEMBER} WHERE class = ? AND came > ? ORDER BY number"
    members = db.execute(came, (number, since))
    answers = db.execute(_ANSWERS, (number, since))
    return News(
        room,
        tuple(map(_as_member, members)),
        tuple(Stored(row[0], row[1], Answer(*row[2:])) for row in answers),
        last_id(db),
    )


def delete(db: sqlite3.Connection, number: int) -> None:
    """Delete a class with all that belongs to it."""
    db.execute("DELETE FROM answer WHERE class = ?", (number,))
    db.execute("DELETE FROM member WHERE class = ?", (number,))
    db.execute("DELETE FROM class WHERE number = ?", (number,))


def delete_old(db: sqlite3.Connection) -> bool:
    """Delete the classes whose time is over; whether there was one."""
    oldest = time.time() - KEPT_DAYS * DAY_S
    old = db.execute("SELECT number FROM class WHERE latest < ?", (oldest,)).fetchall()
    for (number,) in old:
        delete(db, number)
    return bool(old)


def _one(db: sqlite3.Connection, query: str, *values: object) -> Any:
    return db.execute(query, values).fetchone()


def last_id(db: sqlite3.Connection) -> int:
    """The largest id so far."""
    number: int = _one(db, "SELECT last FROM counter")[0]
    return number


def _next_id(db: sqlite3.Connection) -> int:
    number: int = _one(db, "UPDATE counter SET last = last + 1 RETURNING last")[0]
    return number


def _numbered(row: Sequence[Any]) -> tuple[int, Classroom]:
    number, code, lab, begun, version, paused, revealed, ended = row
    pairs = (one.split(":") for one in revealed.split())
    steps = {name: int(last) for name, last in pairs}
    return number, Classroom(code, lab, begun, version, paused, steps, bool(ended))


def _member(db: sqlite3.Connection, number: int, token: str) -> Member | None:
    if not is_token(token):
        return None
    row = _one(db, f"{_MEMBER} WHERE token = ? AND class = ?", digest(token), number)
    return None if row is None else _as_member(row)


def _as_member(row: Sequence[Any]) -> Member:
    number, name, key = row
    return Member(number, name, guest_from(key))
