"""One sweep at a time on this machine: a line of tickets, first come, first served.

Two sweeps at once would time each other. A ticket is a file in a folder that
all embviz processes of a user share, locked by its holder; when a process dies
the system drops its lock, and whoever comes next throws the ticket away.
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

POLL_S = 0.05  # of the second in line; those behind look less often
LONGEST_POLL_S = 0.5
LOCKED_S = 5.0  # a look at the line takes milliseconds: who holds it longer stands still


_here: set[Path] = set()  # tickets held by this process: to try their locks is work for nothing


class QueueFull(ValueError):
    """There is no place in line: too many sweeps wait already, or the line stands still."""


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
        QueueFull: (a ValueError) when EMBVIZ_SWEEPS_IN_LINE sweeps are in line, or it stands still.
    """

    def __init__(self) -> None:
        self._folder = folder()
        self._line = FileLock(self._folder / "line.lock", timeout=LOCKED_S, thread_local=False)
        with self._look():
            waiting = self._waiting()
            if len(waiting) >= bounds.SWEEPS.value():
                bounds.SWEEPS.refused()
                raise QueueFull(
                    f"{len(waiting)} sweeps are in line already; try again in a minute."
                )
            last = int(waiting[-1].stem) if waiting else 0
            self._path = self._folder / f"{last + 1:012d}.ticket"
            self._held = FileLock(self._path, thread_local=False)
            self._held.acquire(timeout=0)
            _here.add(self._path)

    def position(self) -> tuple[int, int]:
        """Place in line, from 1, and how many are in it: `(2, 3)`."""
        with self._look():
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
            time.sleep(min(POLL_S * (place - 1) ** 2, LONGEST_POLL_S))
        return False

    def give_back(self) -> None:
        """Leave the line."""
        _here.discard(self._path)
        with contextlib.suppress(QueueFull):  # of a line that stands still the file alone remains
            with self._look():
                self._held.release()
                self._path.unlink(missing_ok=True)
            return
        self._held.release()

    @contextlib.contextmanager
    def _look(self) -> Iterator[None]:
        """Hold the line for a moment.

        Raises:
            QueueFull: a process has held it for longer than any look takes.
        """
        try:
            self._line.acquire()
        except Timeout:
            raise QueueFull(
                "the line of sweeps does not move: a process has held it for "
                f"{LOCKED_S:g} s. Whoever runs this machine can end it, or remove "
                f"{self._folder.name} from the temporary folder."
            ) from None
        try:
            yield
        finally:
            self._line.release()

    def _waiting(self) -> list[Path]:
        """The tickets whose holders live, in order; call with the line locked."""
        found = []
        for path in sorted(self._folder.glob("*.ticket")):
            if path in _here or _is_held(path):
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
