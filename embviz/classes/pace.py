"""How often all visitors together may try what a program would try in a loop.

A visitor cannot be told from another one, so all share one pace. It knows no classes and no words.
"""

from __future__ import annotations

import logging
import threading
import time

from embviz.classes.room import ClassError

WRONG_S = 1.0  # seconds that each wrong word or code costs; they are answered one at a time
MOST_WAIT = 5  # wrong ones that wait; further ones are refused at once
TOLD_AFTER = 20  # wrong ones until a line in the log
WITHIN_S = 3600.0  # seconds in which they come, or are forgotten
QUIET_S = 60.0  # seconds between two lines
_LOGGER = logging.getLogger("embviz")


class BusyError(ClassError):
    """Too many wait already; the sentence says what to do."""


class Pace:
    """Turns that lie some seconds apart; a few more may come at once after a pause."""

    def __init__(self) -> None:
        self._due = 0.0  # when the last turn's time is over, on `time.monotonic`
        self._lock = threading.Lock()

    def waits(self, every_s: float, burst: int = 1) -> float:
        """Seconds until the next turn, which is not taken.

        Args:
            every_s: seconds between two turns.
            burst: turns that may come at once.
        """
        return max(0.0, self._due - time.monotonic() - every_s * (burst - 1))

    def turn(self, every_s: float, most_s: float, burst: int = 1) -> float | None:
        """Take the next turn.

        Returns:
            Seconds until it; None if they are more than `most_s`, and then no turn is taken.
        """
        with self._lock:
            wait = self.waits(every_s, burst)
            if wait > most_s:
                return None
            self._due = max(self._due, time.monotonic()) + every_s
            return wait


class Guesses:
    """Wrong words and codes of classes, of all visitors."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._lock = threading.Lock()
        self._count, self._since, self._told = 0, -WITHIN_S, -QUIET_S

    def check_free(self) -> None:
        """Ask before a word is compared: else a program that leaves at once would try thousands.

        Raises:
            BusyError: many wrong ones wait.
        """
        if self._pace.waits(WRONG_S) > MOST_WAIT * WRONG_S:
            raise self._refused()

    def wrong(self) -> float:
        """Count a wrong word or code.

        Returns:
            Seconds until the answer.

        Raises:
            BusyError: many wrong ones wait.
        """
        wait = self._pace.turn(WRONG_S, MOST_WAIT * WRONG_S)
        if wait is None:
            raise self._refused()
        self._count_one()
        return wait + WRONG_S

    def _refused(self) -> BusyError:
        self._count_one()
        return BusyError(
            "Many wrong words or codes of classes come just now. Wait some seconds, and try again."
        )

    def _count_one(self) -> None:
        with self._lock:
            now = time.monotonic()
            if now - self._since > WITHIN_S:
                self._count, self._since = 0, now
            self._count += 1
            if self._count < TOLD_AFTER or now - self._told < QUIET_S:
                return
            count, self._count, self._told = self._count, 0, now
        _LOGGER.warning(
            "%d wrong words or codes of classes; one a second is answered, all others are refused",
            count,
        )


guesses = Guesses()
