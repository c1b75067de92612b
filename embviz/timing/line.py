"""One sweep at a time on this machine: a line of tickets, first come, first served.

Two sweeps at once would time each other. A ticket is a file in a folder that
all embviz processes of a user share, locked by its holder; when a process dies
the system drops its lock, and whoever comes next throws the ticket away.
"""

from __future__ import annotations

import getpass
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

MAX_WAITING = 32  # sweeps in line, the one under way included
POLL_S = 0.05


class QueueFull(ValueError):
    """There are too many sweeps in line already."""


def folder() -> Path:
    """Where the tickets lie: in the system's temporary folder, this user's own."""
    try:
        user = str(os.getuid())
    except AttributeError:  # no such number on Windows
        user = getpass.getuser()
    place = Path(tempfile.gettempdir()) / f"embviz-{user}"
    place.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and place.stat().st_uid != os.getuid():
        raise PermissionError(f"{place} belongs to somebody else.")
    return place


class Ticket:
    """A place in the line, held from `take` to `give_back`.

    Raises:
        QueueFull: (a ValueError) when MAX_WAITING sweeps are in line.
    """

    def __init__(self) -> None:
        self._folder = folder()
        self._line = FileLock(self._folder / "line.lock", thread_local=False)
        with self._line:
            waiting = self._waiting()
            if len(waiting) >= MAX_WAITING:
                raise QueueFull(
                    f"{len(waiting)} sweeps are in line already; try again in a minute."
                )
            last = int(waiting[-1].stem) if waiting else 0
            self._path = self._folder / f"{last + 1:012d}.ticket"
            self._held = FileLock(self._path, thread_local=False)
            self._held.acquire(timeout=0)

    def position(self) -> tuple[int, int]:
        """Place in line, from 1, and how many are in it: `(2, 3)`."""
        with self._line:
            waiting = self._waiting()
        names = [path.name for path in waiting]
        return names.index(self._path.name) + 1, len(names)

    def wait(self, told: Callable[[int, int], None], stopped: Callable[[], bool]) -> bool:
        """Wait for the first place; whether it was reached before `stopped()` said so."""
        while not stopped():
            place, length = self.position()
            told(place, length)
            if place == 1:
                return True
            time.sleep(POLL_S)
        return False

    def give_back(self) -> None:
        """Leave the line."""
        with self._line:
            self._held.release()
            self._path.unlink(missing_ok=True)

    def _waiting(self) -> list[Path]:
        """The tickets whose holders live, in order; call with the line locked."""
        found = []
        for path in sorted(self._folder.glob("*.ticket")):
            mine = getattr(self, "_path", None) == path
            if mine or _is_held(path):
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
