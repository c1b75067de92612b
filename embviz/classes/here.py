"""The classes of this server: its one store, its rooms, and a limit for wrong codes.

A stranger could try codes until one fits. So the server answers a limited number of wrong codes.
At the limit nobody new comes into any class, and members go on.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from embviz.classes.codes import is_code
from embviz.classes.queries import no_class
from embviz.classes.record import ClassError, Classroom
from embviz.classes.room import FRESH, Rooms
from embviz.classes.store import Store
from embviz.core.bounds import classes_on
from embviz.core.data_folder import data_folder

FILE = "classes.sqlite3"
WRONG_CODES = 60  # at once, for the whole server
WRONG_CODE_S = 6.0  # and then one more each time
REMEMBERED = 20_000  # pairs of code and token, and wrong codes

_lock = threading.Lock()
_here: Here | None = None


def here() -> Here | None:
    """The classes of this server; None where classes are off."""
    global _here
    if not classes_on():
        return None
    path = data_folder() / FILE
    with _lock:
        if _here is None or _here.store.path != path:
            if _here is not None:
                _here.store.close()
            _here = Here(Store(path))
        return _here


def close() -> None:
    """Write what waits, and close the file; a later `here()` opens it again."""
    global _here
    with _lock:
        found, _here = _here, None
    if found is not None:
        found.store.close()


class Here:
    """The classes of one file.

    Attributes:
        store: writes them.
        rooms: what viewers see.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.store = store
        self.rooms = Rooms(store)
        self._allowed = Allowance(WRONG_CODES, WRONG_CODE_S, clock)
        self._met, self._wrong = Recent(REMEMBERED), Recent(REMEMBERED)
        self._teachers = Recent(REMEMBERED)

    def known(self, code: str, token: str = "") -> Classroom:
        """The class of that code, for a member, or for somebody who is not in yet.

        Raises:
            ClassError: there is none, or too many wrong codes were tried lately.
            StoreError: the store cannot be read now.
        """
        if not is_code(code):
            no_class(code)
        pair = code, token
        if pair in self._met or (token and self.store.has(code, token)):
            self._met.add(pair)
            return self._classroom(code)
        # A wrong code costs once: a page that asks again and again for a deleted class tries none.
        free = code in self._wrong
        if not free and not self._allowed.take():
            raise ClassError("Too many wrong codes were tried on this server. Wait a minute.")
        try:
            found = self._classroom(code)
        except ClassError:
            self._wrong.add(code)
            raise
        except BaseException:
            self._allowed.give_back()
            raise
        if not free:
            self._allowed.give_back()
        return found

    def joined(self, code: str, token: str) -> None:
        """Remember that this token is of a member of that class, so that `known` asks no store."""
        self._met.add((code, token))

    def is_teacher(self, code: str, secret: str) -> bool:
        """Whether this is the secret of the class's teacher; False for an unknown class.

        Raises:
            StoreError: the store cannot be read now, and was not asked for this pair before.
        """
        pair = code, secret
        if pair in self._teachers:
            return True
        found = bool(secret) and self.store.is_teacher(code, secret)
        if found:
            self._teachers.add(pair)
        return found

    def _classroom(self, code: str) -> Classroom:
        room = self.rooms.get(code)
        # The board and the waiting pages refresh it, so a student's rerun seldom has to.
        room.refresh(FRESH)
        return room.classroom


class Allowance:
    """So many at once, and one more after each interval. Thread-safe."""

    def __init__(self, most: int, interval_s: float, clock: Callable[[], float]) -> None:
        self._most, self._interval_s, self._clock = most, interval_s, clock
        self._left, self._at = float(most), clock()
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Use one, if one is left."""
        with self._lock:
            now = self._clock()
            self._left = min(self._most, self._left + (now - self._at) / self._interval_s)
            self._at = now
            if self._left < 1:
                return False
            self._left -= 1
            return True

    def give_back(self) -> None:
        """One was not used."""
        with self._lock:
            self._left = min(self._most, self._left + 1)


class Recent:
    """The values that were added last, so many of them. Thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, value: Hashable) -> bool:
        return value in self._values

    def add(self, value: Hashable) -> None:
        """Remember it; the oldest is forgotten."""
        with self._lock:
            self._values[value] = None
            self._values.move_to_end(value)
            if len(self._values) > self._most:
                self._values.popitem(last=False)
