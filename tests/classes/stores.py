"""A store in a folder of a test, and members of its class."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embviz.classes.codes import new_token
from embviz.classes.record import Answer
from embviz.classes.store import Store

TEACHER = "the teacher's secret"


class AClass:
    """A class in a store.

    Attributes:
        store: the store; `reopen` gives it another process's view.
        path: its file.
        code: the class's code.
        token: of its first member.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = Store(path)
        self.code = self.store.start("row", TEACHER).code
        self.token = self.joined()

    def joined(self) -> str:
        """The token of a new member."""
        token = new_token()
        self.store.join(self.code, token).result()
        return token

    def post(self, nth: int, typed: str = "3", *, step: str = "ids", token: str = "") -> None:
        """One answer, acknowledged."""
        answer = Answer(step, nth, typed, nth)
        self.store.post(self.code, token or self.token, [answer]).result()

    def kept(self) -> list[tuple[int, str]]:
        """All answers as (nth, typed), in the order of their ids."""
        found = self.store.news(self.code).answers
        assert [one.id for one in found] == sorted({one.id for one in found})
        return [(one.answer.nth, one.answer.typed) for one in found]

    def reopen(self) -> None:
        """Close the store, and open it as after a restart of the server."""
        self.store.close()
        self.store = Store(self.path)

    def sql(self, query: str) -> list[tuple[object, ...]]:
        """What another program's connection gets."""
        db = sqlite3.connect(self.path, isolation_level=None)
        try:
            return db.execute(query).fetchall()
        finally:
            db.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Another program writes meanwhile."""
        db = sqlite3.connect(self.path, isolation_level=None)
        try:
            db.execute("BEGIN IMMEDIATE")
            yield
        finally:
            db.close()

    @contextmanager
    def held(self) -> Iterator[None]:
        """The store's thread is busy meanwhile, so that jobs gather."""
        busy, free = threading.Event(), threading.Event()

        def work(_: sqlite3.Connection) -> None:
            busy.set()
            assert free.wait(60)

        job = self.store._writer.submit(work)
        assert busy.wait(60)
        try:
            yield
        finally:
            free.set()
            job.result()

    def settle(self) -> None:
        """Wait until the store's thread has done what it has, and what follows from that."""
        for _ in range(4):
            self.store._writer.submit(lambda _: None).exception()
