"""The one thread that writes the file of the classes.

Jobs that arrive while it writes, or that can wait, are committed together. A job is done when its
transaction is on the disk and the file is still in its place; only then does its future have a
result. It retries nothing by itself: a caller asks with `again`, and is called later.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from embviz.classes.database import Identity, NoFileError, connect, explained, identity
from embviz.classes.record import ClassError, StoreError

MOST_JOBS = 256  # of one transaction
HOUSEKEEPING_S = 3600.0
CLOSING_S = 5.0
FRESH_S = 10.0  # a failure is news for so long; sessions with answers try again sooner
_CLOSED = "The server is stopping."
_LOGGER = logging.getLogger("embviz")

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


@dataclass(frozen=True)
class _Job:
    work: Work[Any]
    future: Future[Any]
    create: bool
    due: float


class Writer:
    """Writes one file.

    Attributes:
        path: the file.
        opened: which file the thread has open, as `identity` says; None for none.
        seen: whether there has been a file since this process began.
    """

    def __init__(self, path: Path, housekeeping: Work[bool]) -> None:
        """Start nothing: the thread begins with the first job.

        Args:
            path: the file.
            housekeeping: a job of every hour; returns whether it deleted something.
        """
        self.path = path
        self.opened: Identity | None = None
        self.seen = path.exists()
        self._housekeeping = housekeeping
        self._db: sqlite3.Connection | None = None
        self._jobs: list[_Job] = []
        self._again: list[tuple[float, Callable[[], None]]] = []
        self._waked = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._cleaned = -HOUSEKEEPING_S
        self._shred = False
        self._failed = -FRESH_S, ""

    def failure(self) -> str:
        """Why writing fails now; empty if it does not."""
        at, why = self._failed
        return why if time.monotonic() < at + FRESH_S else ""

    def submit(
        self, work: Work[T | Exception], *, create: bool = False, within_s: float = 0.0
    ) -> Future[T]:
        """Do it in a transaction; its errors go to the future.

        An exception that `work` returns goes there too, after the commit.

        Args:
            work: gets the connection; a ClassError undoes this job alone.
            create: whether a missing file is made.
            within_s: when to begin at the latest. All jobs that are there then begin.
        """
        future: Future[T] = Future()
        with self._waked:
            if self._closed:
                future.set_exception(StoreError(_CLOSED))
                return future
            self._jobs.append(_Job(work, future, create, time.monotonic() + within_s))
            self._begin()
        return future

    def again(self, call: Callable[[], None], seconds: float) -> None:
        """Call it in the thread, so many seconds from now; it must not wait for a job."""
        with self._waked:
            if not self._closed:
                self._again.append((time.monotonic() + seconds, call))
                self._begin()

    def shred(self) -> None:
        """After this transaction, remove deleted content from the log as well; from a job."""
        self._shred = True

    def close(self) -> None:
        """Write what waits, end the thread and close the file."""
        with self._waked:
            self._closed = True
            self._waked.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(CLOSING_S)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="embviz-classes", daemon=True)
            self._thread.start()
        self._waked.notify()

    def _run(self) -> None:
        while True:
            jobs, calls, closed = self._next()
            for call in calls:
                try:
                    call()
                except Exception:  # else nobody would write any more
                    _LOGGER.exception("a call of the classes' writer failed")
            self._clean()
            if jobs:
                self._write(jobs)
            self._empty_log()
            if closed and not jobs:
                break
        self._disconnect()

    def _next(self) -> tuple[list[_Job], list[Callable[[], None]], bool]:
        """Wait until a job or a call is due, or for the next hour."""
        with self._waked:
            while not self._closed:
                times = [when for when, _ in self._again] + [job.due for job in self._jobs]
                wait = min([self._cleaned + HOUSEKEEPING_S, *times]) - time.monotonic()
                if wait <= 0:
                    break
                self._waked.wait(wait)
            now = time.monotonic()
            calls = [call for when, call in self._again if when <= now]
            self._again = [one for one in self._again if one[0] > now]
            jobs, self._jobs = self._jobs[:MOST_JOBS], self._jobs[MOST_JOBS:]
            return jobs, calls, self._closed

    def _write(self, jobs: list[_Job]) -> None:
        jobs = [job for job in jobs if job.future.set_running_or_notify_cancel()]
        failure: Exception
        try:
            db = self._connected(any(job.create for job in jobs))
            db.execute("BEGIN IMMEDIATE")
            done = [_alone(db, job.work) for job in jobs]
            db.execute("COMMIT")
            self._check()  # else it was written to a file that nobody finds
        except NoFileError as error:
            failure = error if self.seen else ClassError("There are no classes on this server.")
        except Exception as error:  # each job gets an answer, whatever happened
            failure = explained(error, self.path)
            self._recover(error)
        else:
            self._failed = -FRESH_S, ""
            for job, result in zip(jobs, done, strict=True):
                if isinstance(result, Exception):
                    job.future.set_exception(result)
                else:
                    job.future.set_result(result)
            return
        if isinstance(failure, StoreError):
            self._failed = time.monotonic(), str(failure)
        for job in jobs:
            job.future.set_exception(failure)

    def _connected(self, create: bool) -> sqlite3.Connection:
        """The connection to the file that is there now."""
        if self._db is not None:
            if identity(self.path) == self.opened:
                return self._db
            self._disconnect(moved=True)
        self._db = connect(self.path, create=create)
        self.opened, self.seen = identity(self.path), True
        return self._db

    def _check(self) -> None:
        if identity(self.path) != self.opened:
            self._disconnect(moved=True)
            raise StoreError(f"The file {self.path.name} with the classes was removed or replaced.")

    def _recover(self, error: Exception) -> None:
        """Undo the transaction; open the file anew, unless it was only locked or full."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if self._db is None:
            return
        with contextlib.suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL):
                return
        self._disconnect()

    def _clean(self) -> None:
        """The housekeeping of every hour."""
        now = time.monotonic()
        if now < self._cleaned + HOUSEKEEPING_S:
            return
        self._cleaned = now
        try:
            db = self._connected(create=False)
            db.execute("BEGIN IMMEDIATE")
            self._shred = self._housekeeping(db) or self._shred
            db.execute("COMMIT")
        except Exception as error:  # it is tried again in an hour
            self._recover(error)

    def _empty_log(self) -> None:
        """Remove deleted content from the log; if somebody reads, after the next job."""
        try:
            if self._shred and self._db is not None:
                ((busy, _, _),) = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._shred = bool(busy)
        except sqlite3.Error as error:
            self._recover(error)

    def _disconnect(self, moved: bool = False) -> None:
        """Close the file.

        Args:
            moved: whether it was removed or replaced. SQLite then leaves its log in place, which
                would be read with the next file, so it is emptied into the file it belongs to.
        """
        db, self._db, self.opened = self._db, None, None
        if db is None:
            return
        with contextlib.suppress(sqlite3.Error):
            if moved:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()


def _alone(db: sqlite3.Connection, work: Work[T]) -> T | Exception:
    """The result of one job, or its error after its own changes are undone.

    Raises:
        sqlite3.OperationalError, sqlite3.DatabaseError: the file failed, not the job.
    """
    db.execute("SAVEPOINT job")
    try:
        result = work(db)
    except (sqlite3.OperationalError, MemoryError):
        raise
    except Exception as error:
        if type(error) is sqlite3.DatabaseError:
            raise
        db.execute("ROLLBACK TO job")
        result_or_error: T | Exception = error
    else:
        result_or_error = result
    db.execute("RELEASE job")
    return result_or_error
