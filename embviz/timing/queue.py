"""One sweep at a time on this machine: a queue of tickets, first come, first served.

Two sweeps at once would time each other. A ticket is a file in a folder that all embviz processes
of a user share, locked by its holder. When a process dies the system drops its lock, and the next
process that looks removes the ticket.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from embviz.core import bounds
from embviz.core.refused import Refused

POLL_S = 0.05  # of the second ticket; those behind look less often
LONGEST_POLL_S = 0.5
LOCKED_S = 5.0  # a look takes milliseconds: a process that holds the lock longer has hung
FOLDER_VARIABLE = "EMBVIZ_QUEUE_FOLDER"
# Not /run/user: it ends with the user's last login, and a sweep may go on.
FIXED = ("/tmp", "/var/tmp") if os.name == "posix" else ()  # noqa: S108 - checked for its owner

_own: set[Path] = set()  # tickets of this process: no need to try their locks


class QueueFull(Refused):
    """There is no place: too many sweeps wait already, or the queue's lock is never released."""


def folder() -> Path:
    """The folder of the tickets: this user's own, the same one whatever TMPDIR says.

    EMBVIZ_QUEUE_FOLDER names another place.

    Raises:
        PermissionError: it belongs to another user, or no place can be written.
    """
    user = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()  # none on Windows
    given = os.environ.get(FOLDER_VARIABLE)
    for place in [given] if given else [*FIXED, tempfile.gettempdir()]:
        mine = Path(place) / f"embviz-{user}"
        with contextlib.suppress(OSError):
            mine.mkdir(mode=0o700, exist_ok=True)
        if mine.is_dir():
            if hasattr(os, "getuid") and mine.stat().st_uid != os.getuid():
                raise PermissionError(f"{mine} belongs to somebody else.")
            if os.access(mine, os.W_OK):
                return mine
    if given:
        raise PermissionError(f"the folder that {FOLDER_VARIABLE} names cannot be written.")
    raise PermissionError(f"sweeps need a folder that can be written; set {FOLDER_VARIABLE}.")


class Ticket:
    """A place in the queue, held until `give_back`.

    Raises:
        QueueFull: (a ValueError) when EMBVIZ_SWEEPS_IN_LINE sweeps wait, or the lock is held.
    """

    def __init__(self) -> None:
        self._folder = folder()
        self._lock = FileLock(self._folder / "queue.lock", timeout=LOCKED_S, thread_local=False)
        with self._locked():
            waiting = _holders(self._folder)
            if len(waiting) >= bounds.SWEEPS.value():
                raise QueueFull(
                    f"{len(waiting)} sweeps are in the queue already; try again in a minute."
                )
            last = int(waiting[-1].stem) if waiting else 0
            self._path = self._folder / f"{last + 1:012d}.ticket"
            self._held = FileLock(self._path, thread_local=False)
            self._held.acquire(timeout=0)
            _own.add(self._path)

    def position(self) -> tuple[int, int]:
        """Place in the queue, from 1, and its length: `(2, 3)`."""
        with self._locked():
            waiting = _holders(self._folder)
        return waiting.index(self._path) + 1, len(waiting)

    def wait(self, moved: Callable[[int, int], None], stopped: Callable[[], bool]) -> bool:
        """Wait for the first place; False when `stopped()` was true before it was reached.

        `moved` is called with each position.
        """
        while not stopped():
            place, length = self.position()
            moved(place, length)
            if place == 1:
                return True
            time.sleep(min(POLL_S * (place - 1) ** 2, LONGEST_POLL_S))
        return False

    def give_back(self) -> None:
        """Leave the queue."""
        _own.discard(self._path)
        with contextlib.suppress(QueueFull):  # then only the file remains, without its lock
            with self._locked():
                self._held.release()
                self._path.unlink(missing_ok=True)
            return
        self._held.release()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the queue's lock for a moment.

        Raises:
            QueueFull: a process has held it for longer than any look takes.
        """
        try:
            self._lock.acquire()
        except Timeout:
            raise QueueFull(
                "the queue of sweeps is locked: a process has held its lock for "
                f"{LOCKED_S:g} s. On this machine, end that process or remove "
                f"{self._folder.name} from the temporary folder."
            ) from None
        try:
            yield
        finally:
            self._lock.release()


def busy() -> bool:
    """Whether any sweep runs or waits on this machine.

    Raises:
        PermissionError: as `folder`.
    """
    place = folder()
    try:
        with FileLock(place / "queue.lock", timeout=LOCKED_S, thread_local=False):
            return bool(_holders(place))
    except Timeout:
        return True


def _holders(place: Path) -> list[Path]:
    """The tickets whose holders live, in order; call with the queue's lock held."""
    found = []
    for path in sorted(place.glob("*.ticket")):
        if path in _own or _is_held(path):
            found.append(path)
        else:
            path.unlink(missing_ok=True)
    return found


def _is_held(path: Path) -> bool:
    probe = FileLock(path, thread_local=False)
    try:
        probe.acquire(timeout=0)
    except Timeout:
        return True
    probe.release()
    return False
