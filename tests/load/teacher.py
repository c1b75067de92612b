"""The teacher of a class: starts it, keeps the board open, and notes when each answer is on it."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from figures import Log
from pupil import LAB, STEPS, Pupil
from route import Route
from session import EndedError, Session

from embviz.classes.store import Store
from embviz.labs.catalogue import questions
from embviz.labs.question import judge, read

STEP_ROW = "board_step"  # the key of the steps as a row


@dataclass
class Teacher:
    """The teacher, with the board open.

    Attributes:
        store: the server's file, read to know the seed, and to count at the end.
        redraws: seconds of each redraw of the board.
        seen: when so many students had answered a step, by the step and this number.
    """

    address: str
    folder: Path
    limit_s: float
    log: Log
    code: str = ""
    seed: int = 0
    redraws: list[float] = field(default_factory=list)
    seen: dict[tuple[int, int], float] = field(default_factory=dict)
    _session: Session | None = None

    @property
    def store(self) -> Store:
        """What the server keeps."""
        return Store(self.folder / "data" / "votes.sqlite3")

    async def open(self) -> None:
        """Start a class and open its board.

        Raises:
            EndedError: the class cannot be started.
        """
        route = Route(self.address)
        answer = await route.post("/class/start", f"lab={LAB}".encode())
        await route.close()
        if answer.status != 303:
            raise EndedError(f"class/start answers {answer.status}: {answer.content!r}")
        room = self.store.classes_of(answer.cookie.partition("=")[2])[0]
        self.code, self.seed, self.cookie = room.code, room.seed, answer.cookie
        await self.look()

    async def look(self) -> None:
        """Open the board, again if the connection has ended."""
        if self._session is not None:
            await self._session.close()
        self._session = Session(self.address, self._redrawn, self.limit_s, self.cookie)
        self._session.screen.query = {"board": [self.code]}
        await self._session.open("labs")

    async def close(self) -> None:
        """Close the board."""
        assert self._session is not None
        await self._session.close()

    def _redrawn(self, seconds: float) -> None:
        """Note how many have answered each step."""
        assert self._session is not None
        self.redraws.append(seconds)
        screen, now = self._session.screen, time.perf_counter()
        self.log.complain([f"board: {one}" for one in screen.wrong])
        screen.wrong.clear()
        for step, option in enumerate(screen.widgets[STEP_ROW].proto.options, 1):
            found = re.search(r"(\d+) of", option.content)
            for count in range(1, int(found[1]) + 1 if found else 0):
                self.seen.setdefault((step, count), now)

    def missing(self, pupils: Sequence[Pupil]) -> int:
        """How many answers are not on the board."""
        expected = {(step, place) for step, place, _ in _first(pupils)}
        return len(expected - {*self.seen})

    def delays(self, pupils: Sequence[Pupil]) -> list[float]:
        """Seconds from sending each answer until it was on the board; notes what is wrong."""
        expected = {(step, place): sent for step, place, sent in _first(pupils)}
        self.log.wrong["the board: an answer is missing"] += len({*expected} - {*self.seen})
        self.log.wrong["the board: an answer that nobody gave"] += len({*self.seen} - {*expected})
        asked = questions(LAB, self.seed)
        kept = Counter(
            (step, vote, read(asked[step - 1], typed), bool(right))
            for _, _, step, vote, typed, _, right, _ in self.store.answers(self.code)
            if step
        )
        given = Counter(
            (step, 1, sent[-1][1], judge(asked[step - 1], sent[-1][1]).right)
            for one in pupils
            for step, sent in one.sent.items()
        )
        self.log.wrong["the file: an answer is missing"] += (given - kept).total()
        self.log.wrong["the file: an answer that nobody gave"] += (kept - given).total()
        self.log.wrong = +self.log.wrong
        return [self.seen[one] - sent for one, sent in expected.items() if one in self.seen]


def _first(pupils: Sequence[Pupil]) -> list[tuple[int, int, float]]:
    """For each step and number of students, when so many had sent their first answer."""
    return [
        (step, place, sent)
        for step in range(1, STEPS + 1)
        for place, sent in enumerate(
            sorted(one.sent[step][0][0] for one in pupils if step in one.sent), 1
        )
    ]
