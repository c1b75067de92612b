"""The store of classes: one SQLite file that outlives the server.

Methods that write give a future, which is done when the change is on the disk; `start` waits for
it. Methods that read do so in the calling thread. None of them belongs on an event loop. The store
takes canonical answers and computes no verdicts. It keeps digests of the secrets of members and
teachers, not the secrets.

All methods raise, or give to the future:
    ClassError: the class, the member or the answer is refused; asking again does not help.
    StoreError: the file cannot be used now; ask again later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from embviz.classes import queries
from embviz.classes.codes import is_token
from embviz.classes.database import NoFileError, connect_to_read, explained, identity
from embviz.classes.record import Answer, ClassError, Classroom, Member, News, StoreError
from embviz.classes.writer import Writer
from embviz.core.wording import quote
from embviz.labs.answers import MAX_TYPED

MOST_AT_ONCE = 200  # answers of one call
MOST_SECONDS = 10_000_000
MOST_NTH = 1_000_000


def steps_of_lab(lab: str) -> tuple[str, ...]:
    """Names of a lab's steps; a LabError for an unknown one."""
    from embviz.labs.exercises import lab as lab_of  # imports PyTorch

    return tuple(step.name for step in lab_of(lab).steps)


class Store:
    """All classes of a server."""

    def __init__(self, path: Path, steps_of: Callable[[str], Sequence[str]] = steps_of_lab) -> None:
        """Make no file: the first `start` does.

        Args:
            path: the file.
            steps_of: names of the steps of a lab.
        """
        self.path = path
        self._steps_of = steps_of
        self._writer = Writer(path, queries.delete_old)
        self._told: dict[str, int] = {}  # versions of classes that `news` gave
        if self._writer.seen:
            self.again(lambda: None, 0.0)  # the thread begins, and deletes what is too old

    def start(self, lab: str, teacher: str) -> Classroom:
        """A new class of that lab; `teacher` is the secret of the teacher's browser."""
        self._steps_of(lab)
        return self._writer.submit(lambda db: queries.start(db, lab, teacher), create=True).result()

    def classes_of(self, teacher: str) -> tuple[Classroom, ...]:
        """The classes that this teacher began, the newest first."""
        with self._reading() as db:
            return () if db is None else queries.classes_of(db, teacher)

    def is_teacher(self, code: str, teacher: str) -> bool:
        """Whether this is the secret of the class's teacher; False for an unknown class."""
        with self._reading() as db:
            return db is not None and queries.is_teacher(db, code, teacher)

    def has(self, code: str, token: str) -> bool:
        """Whether this token is of a member of that class.

        The time that it takes does not tell whether the code exists.
        """
        with self._reading() as db:
            return db is not None and queries.has(db, code, token)

    def join(self, code: str, token: str) -> Future[Member]:
        """The member of that token, who is new or was here before."""
        if not is_token(token):
            return _refused(f"{quote(str(token))} is no member's token. Open the class's link.")
        return self._writer.submit(lambda db: queries.join(db, code, token))

    def post(
        self, code: str, token: str, answers: Sequence[Answer], within_s: float = 0.0
    ) -> Future[None]:
        """Keep these answers of a member; an answer that is there already counts once.

        They may wait `within_s` seconds, so that one transaction takes the answers of several
        members. Of more answers than a minute allows, the first are kept; the error is a
        TooFastError.
        """
        if len(answers) > MOST_AT_ONCE:
            return _refused(f"{len(answers):,} answers at once are more than {MOST_AT_ONCE}.")
        if fault := next(filter(None, map(_fault, answers)), ""):
            return _refused(fault)

        def work(db: sqlite3.Connection) -> Exception | None:
            number, room = queries.classroom(db, code)
            who = queries.member(db, number, token)
            if room.ended:
                raise ClassError(f"The class {code} has ended: it takes no more answers.")
            steps = self._steps_of(room.lab)
            if unknown := [one.step for one in answers if one.step not in steps]:
                raise ClassError(f"{quote(str(unknown[0]))} is not a step of {room.lab!r}.")
            return queries.keep(db, number, who, answers)

        return self._writer.submit(work, within_s=within_s)

    def change(self, code: str, teacher: str, **changes: Any) -> Future[Classroom]:
        """Set `paused`, `revealed` or `ended`; refused for anybody but the teacher."""

        def work(db: sqlite3.Connection) -> Classroom:
            number, room = queries.of_teacher(db, code, teacher)
            checked = _checked(changes, self._steps_of(room.lab))
            if "revealed" in checked:
                last = queries.last_id(db)
                known = {name: room.revealed.get(name, last) for name in checked["revealed"]}
                checked["revealed"] = known
            new = replace(room, **checked)
            if new != room:
                new = replace(new, version=room.version + 1)
                queries.change(db, number, new)
            return new

        return self._writer.submit(work)

    def delete(self, code: str, teacher: str) -> Future[None]:
        """Delete a class with all that belongs to it; refused for anybody but the teacher."""

        def work(db: sqlite3.Connection) -> None:
            number, _ = queries.of_teacher(db, code, teacher)
            queries.delete(db, number)
            self._told.pop(code, None)
            self._writer.shred()

        return self._writer.submit(work)

    def classroom(self, code: str) -> Classroom:
        """The class as it is now."""
        with self._reading() as db:
            return queries.no_class(code) if db is None else queries.classroom(db, code)[1]

    def news(self, code: str, since: int = 0) -> News:
        """What happened in a class since the `last` of an earlier look.

        While writing fails and there is nothing new, that failure is raised: a full
        disk can be read, but a board that is silent for this reason must say so.
        """
        with self._reading() as db:
            found = queries.no_class(code) if db is None else queries.news(db, code, since)
        told, self._told[code] = self._told.get(code), found.classroom.version
        is_new = found.members or found.answers or told != found.classroom.version
        if since and not is_new and (why := self._writer.failure()):
            raise StoreError(why)
        return found

    def again(self, call: Callable[[], None], seconds: float) -> None:
        """Call it in the writing thread, so many seconds from now; it must wait for nothing."""
        self._writer.again(call, seconds)

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._writer.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection that sees one moment; None where there never was a file."""
        try:
            opened = self._writer.opened
            if opened is not None and identity(self.path) != opened:
                # The writer opens the new file first, so that its old log is not read with it.
                self._writer.submit(lambda _: None).result()
            db = connect_to_read(self.path)
        except NoFileError:
            if self._writer.seen:
                raise
            yield None
            return
        except (sqlite3.Error, OSError) as error:
            raise explained(error, self.path) from None
        try:
            db.execute("BEGIN")
            yield db
        except sqlite3.Error as error:
            raise explained(error, self.path) from None
        finally:
            db.close()


def _refused(why: str) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(ClassError(why))
    return future


def _fault(one: Answer) -> str:
    """What is wrong with an answer, whatever its class; empty for nothing."""
    if not isinstance(one.typed, str) or len(one.typed) > MAX_TYPED:
        return f"An answer is not a text of up to {MAX_TYPED} characters."
    if not one.typed.isprintable():
        return f"The answer {quote(one.typed)} has characters that cannot be shown."
    if not _is_whole(one.nth, 1, MOST_NTH) or not _is_whole(one.seconds, 0, MOST_SECONDS):
        return "The number or the time of an answer is out of range."
    return ""


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _checked(changes: dict[str, Any], steps: Collection[str]) -> dict[str, Any]:
    """The changes that a teacher may make, each of its type."""
    if unknown := changes.keys() - {"paused", "revealed", "ended"}:
        raise ClassError(f"A class has no {quote(min(unknown))} to change.")
    paused = changes.get("paused")
    if paused is not None and not _is_whole(paused, 1, len(steps)):
        raise ClassError(f"The pause at {quote(str(paused))} is not at a step 1 to {len(steps)}.")
    if not isinstance(changes.get("ended", False), bool):
        raise ClassError(f"'ended' is not True or False but {quote(str(changes['ended']))}.")
    if "revealed" in changes:
        revealed = frozenset(map(str, changes["revealed"]))
        if strange := revealed - set(steps):
            raise ClassError(f"{quote(min(strange))} is not a step of this lab.")
        return {**changes, "revealed": revealed}
    return changes
