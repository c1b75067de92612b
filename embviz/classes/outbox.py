"""What one session has not yet told the store: answers wait here while it fails.

The outbox joins the class, then sends. After a failure it tries again by itself, also when nobody
clicks. A session that ends takes its outbox along: the work is in the page's address, and the next
session sends all of it again.
"""

from __future__ import annotations

import threading
import time
import weakref
from concurrent.futures import Future
from typing import Any

from embviz.classes.queries import TooFastError
from embviz.classes.record import Answer, Member, StoreError
from embviz.classes.store import Store

AGAIN_S = 2.0  # between two tries
MOST_AT_ONCE = 200  # answers that wait
# An answer waits so long for other answers. Its rerun is then over, and does not compete with the
# writing thread.
GATHER_S = 0.1


class Outbox:
    """The answers of one member that are on their way.

    Attributes:
        member: the member, as soon as the store has answered once.
        since: when the store failed first after it last worked, in seconds since 1970; or None.
        refused: why the last answers were refused for good, or None.
    """

    def __init__(self, store: Store, code: str, token: str) -> None:
        """Join the class; it does not wait for the store."""
        self.member: Member | None = None
        self.since: float | None = None
        self.refused: str | None = None
        self._store, self._code, self._token = store, code, token
        self._waiting: list[Answer] = []
        self._sent: list[Answer] = []
        self._busy = self._tries_again = False
        self._lock = threading.Lock()
        self._send()

    @property
    def waiting(self) -> int:
        """How many answers the store has not acknowledged."""
        return len(self._sent) + len(self._waiting)

    def add(self, answer: Answer) -> None:
        """Send this answer, now or later; if too many wait, the oldest are left out."""
        with self._lock:
            if answer in (*self._sent, *self._waiting):  # of another tab
                return
            self._waiting = [*self._waiting, answer][-MOST_AT_ONCE:]
        self._send()

    def _send(self) -> None:
        """Send what waits, unless an earlier message is on its way."""
        with self._lock:
            if self._busy or (self.member and not self._waiting):
                return
            self._busy = True
            if self.member:
                self._sent, self._waiting = self._waiting, []
        future: Future[Any]
        if self.member:
            future = self._store.post(self._code, self._token, self._sent, GATHER_S)
        else:
            future = self._store.join(self._code, self._token)
        future.add_done_callback(self._done)

    def _try_again(self) -> None:
        with self._lock:
            self._tries_again = False
        self._send()

    def _done(self, future: Future[Any]) -> None:
        """The store has answered, in its own thread."""
        error = future.exception()
        with self._lock:
            sent, self._sent, self._busy = self._sent, [], False
            if isinstance(error, StoreError):
                if not isinstance(error, TooFastError):
                    self.since = self.since or time.time()
                self._waiting = [*sent, *self._waiting][-MOST_AT_ONCE:]
                if not self._tries_again:  # each answer that is added meanwhile fails too
                    self._tries_again = True
                    again = weakref.WeakMethod(self._try_again)
                    self._store.again(lambda: (call := again()) and call(), AGAIN_S)
                return
            self.since = None
            self.refused = str(error) if error else None
            if error and not self.member:
                self._waiting = []  # not let in: there is nobody to send them for
                return
            self.member = self.member or future.result()
        self._send()
