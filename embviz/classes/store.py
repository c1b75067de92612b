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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from embviz.classes import queries
from embviz.classes.database import NoFileError, connect_to_read, explained, identity
from embviz.classes.record import Answer, ClassError, Classroom, Member, News, StoreError
from embviz.classes.writer import Writer


class Store:
    """All classes of a server."""

    def __init__(self, path: Path) -> None:
        """Make no file: the first `start` does."""
        self.path = path
        self._writer = Writer(path, queries.delete_old)
        self._told: dict[str, int] = {}  # versions of classes that `news` gave
        if self._writer.seen:
            self.again(lambda: None, 0.0)  # the thread begins, and deletes what is too old

    def start(self, lab: str, teacher: str) -> Classroom:
        """A new class of that lab; `teacher` is the secret of the teacher's browser."""
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
        return self._writer.submit(lambda db: queries.join(db, code, token))

    def post(
        self, code: str, token: str, answers: Sequence[Answer], within_s: float = 0.0
    ) -> Future[None]:
        """Keep these answers of a member; an answer that is there already counts once.

        They may wait `within_s` seconds, so that one transaction takes the answers of several
        members. Of more answers than a minute allows, the first are kept; the error is a
        TooFastError.
        """

        def work(db: sqlite3.Connection) -> Exception | None:
            number, room = queries.classroom(db, code)
            who = queries.member(db, number, token)
            if room.ended:
                raise ClassError(f"The class {code} has ended: it takes no more answers.")
            return queries.keep(db, number, who, answers)

        return self._writer.submit(work, within_s=within_s)

    def change(self, code: str, teacher: str, **changes: Any) -> Future[Classroom]:
        """Set `paused`, `revealed` or `ended`; refused for anybody but the teacher."""

        def work(db: sqlite3.Connection) -> Classroom:
            number, room = queries.of_teacher(db, code, teacher)
            new = replace(room, **changes)
            if "revealed" in changes:
                last = queries.last_id(db)
                known = {name: room.revealed.get(name, last) for name in changes["revealed"]}
                new = replace(new, revealed=known)
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
