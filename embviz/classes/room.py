"""Classes as their viewers see them: each is read from the store once for all viewers.

A room asks the store for what is new, checks each new last answer again, and keeps the results. It
writes nothing. If the store cannot be read, it keeps what it knows and says since when.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol

from embviz.classes import board as board_of
from embviz.classes import rows as rows_of
from embviz.classes import spread as spread_of
from embviz.classes.board import Line
from embviz.classes.codes import guest_of
from embviz.classes.record import Answer, ClassError, Classroom, Member, News, Stored, StoreError
from embviz.classes.spread import Spread
from embviz.classes.work import Work
from embviz.labs.check import Result, check
from embviz.labs.exercises import lab as lab_of
from embviz.labs.exercises import values_of
from embviz.labs.record import Step
from embviz.labs.student import Student

POLL_S = 0.5  # seconds between two questions to the store
FRESH = 3  # a student's page takes news up to this age, in units of POLL_S
IDLE_S = 3600.0  # a room that nobody looked at for so long is forgotten


class Source(Protocol):
    """Gives what is new in a class, as `store.Store` does."""

    def news(self, code: str, since: int = 0) -> News:
        """What happened after an id."""


class Room:
    """One class. Thread-safe.

    Attributes:
        lab: the class's lab.
        classroom: the class, and what its teacher pressed last.
        members: in the order in which they came.
        version: grows when anything changes that a viewer sees.
        silent_since: when the store was last heard, in seconds since 1970, if it cannot be read
            now; else None.
        why: then the reason.
        gone: whether the class no longer exists.
        asked: when the store was last asked.
        made: when this room was made, in seconds since 1970.

    Raises:
        ClassError: there is no such class.
        StoreError: the store cannot be read now.
    """

    def __init__(self, code: str, source: Source, clock: Callable[[], float] = time.time) -> None:
        self._code, self._source, self._clock = code, source, clock
        self._asking, self._lock = Lock(), Lock()
        self._works: dict[int, Work] = {}
        self._spreads: dict[tuple[str, int | None], Spread] = {}  # of revealed steps
        self._by_guest: dict[str, Member] = {}
        self._lines: dict[int, Line] = {}
        self._last = 0
        self._board: tuple[int, tuple[Line, ...]] | None = None
        self.version = 1
        self.members: tuple[Member, ...] = ()
        self.silent_since: float | None = None
        self.why = ""
        self.gone = False
        self.made = self.asked = self._heard = clock()
        self._first: News | None = source.news(code)
        self.classroom: Classroom = self._first.classroom
        self.lab = lab_of(self.classroom.lab)
        self._steps = {step.name: step for step in self.lab.steps}

    def begin(self) -> None:
        """Check the first answers. One thread does it, and the others wait for it."""
        if self._first is None:
            return
        with self._asking:
            if self._first is not None:
                self._take(self._first)
                self._first = None

    def refresh(self, age: int = 1) -> None:
        """Ask the store for news, unless that was just done or another thread does it now.

        Args:
            age: how old the last news may be, in units of POLL_S; 0 asks in any case.

        Raises:
            ClassError: the class has been deleted.
        """
        is_new = 0 <= self._clock() - self.asked < age * POLL_S
        if is_new or not self._asking.acquire(blocking=False):
            return
        try:
            self.asked = self._clock()
            self._take(self._source.news(self._code, self._last))
        except StoreError as error:
            self._fails(str(error))
        except ClassError:
            self.gone = True
            raise
        finally:
            self._asking.release()

    def board(self) -> tuple[Line, ...]:
        """The lines of the board; the same object until the version grows."""
        with self._lock:
            if self._board is None or self._board[0] != self.version:
                for number, work in self._works.items():
                    if number not in self._lines:
                        self._lines[number] = board_of.line(self.lab, work)
                lines = tuple(self._lines[number] for number in self._works)
                self._board = self.version, lines
            return self._board[1]

    def spread(self, step: str) -> Spread:
        """The spread of the answers to a step; of a revealed one, as it was at that moment."""
        with self._lock:
            until = self.classroom.revealed.get(step)
            found = self._spreads.get((step, until))
            given = [
                (work.member, one, work.results[step] if one is work.last(step) else None)
                for work in self._works.values()
                if found is None and (one := work.last(step, until))
            ]
        if found is None:
            # After a reveal the last answer may be a later one, which is not shown.
            last = [
                (one.answer.typed, result or self._check(member, one))
                for member, one, result in given
            ]
            found = spread_of.spread(self.lab, self._steps[step], last)
            if until is not None:
                with self._lock:
                    self._spreads[step, until] = found
        return found

    def csv_file(self) -> bytes:
        """All answers as a CSV file."""
        with self._lock:
            return rows_of.csv_file(self.lab, self._works.values())

    def member(self, token: str) -> Member | None:
        """The member with this token, or None."""
        return self._by_guest.get(guest_of(token))

    def answers(self, token: str) -> set[Answer]:
        """What the member with this token has answered."""
        member = self.member(token)
        with self._lock:
            tries = self._works[member.number].tries.values() if member else ()
            return {one.answer for some in tries for one in some}

    def _take(self, news: News) -> None:
        """Put news into the room. Values and checks, which take long, are computed unlocked."""
        members = {one.number: one for one in (*self.members, *news.members)}
        newest = {(one.member, one.answer.step): one for one in news.answers}
        results = {place: self._check(members[place[0]], one) for place, one in newest.items()}
        with self._lock:
            before = self.classroom, self.silent_since
            self.members = tuple(members.values())
            self._by_guest.update({one.guest: one for one in news.members})
            self._works.update({one.number: Work(one) for one in news.members})
            for one in news.answers:
                self._works[one.member].tries.setdefault(one.answer.step, []).append(one)
            for (number, step), result in results.items():
                self._works[number].results[step] = result
            for number in {one.member for one in news.answers}:
                self._lines.pop(number, None)
            self._heard = self._clock()
            self.classroom, self.silent_since, self._last = news.classroom, None, news.last
            if news.members or news.answers or before != (self.classroom, None):
                self.version += 1

    def _check(self, member: Member, one: Stored) -> Result:
        step: Step[Any] = self._steps[one.answer.step]
        values = values_of(self.lab.code, Student(member.guest))
        return check(step, values, one.answer.typed)

    def _fails(self, why: str) -> None:
        with self._lock:
            if self.silent_since is None or why != self.why:
                self.version += 1
            self.silent_since, self.why = self._heard, why


class Rooms:
    """The rooms of this server, by code. Thread-safe."""

    def __init__(self, source: Source, clock: Callable[[], float] = time.time) -> None:
        self._source, self._clock = source, clock
        self._lock = Lock()
        self._rooms: dict[str, Room] = {}

    def get(self, code: str) -> Room:
        """The room of a class, read from the store at the first call.

        Raises:
            ClassError: there is no such class.
            StoreError: the store cannot be read now, and the class was never read.
        """
        with self._lock:
            idle = self._clock() - IDLE_S
            self._rooms = {
                name: one for name, one in self._rooms.items() if not one.gone and one.asked > idle
            }
            room = self._rooms.get(code)
        if room is None:
            room = Room(code, self._source, self._clock)
            with self._lock:
                room = self._rooms.setdefault(code, room)
        room.begin()
        return room
