"""The teacher of a class: starts it, keeps the board open, and notes when each answer is on it."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from figures import Log
from pupil import LAB, Pupil, data_of
from route import Route
from session import EndedError, NoAnswerError, Session

BOARD = "class_board"  # the component's key
NEWS_S = 0.7  # between two questions to the route, as the board asks


@dataclass
class Teacher:
    """The teacher, with the board open.

    Attributes:
        redraws: seconds of each answer of the route `class/board` that had news.
        looks: seconds of each answer without news.
        bytes: of each board that was sent.
        seen: when each answer was on the board first, by pseudonym, place of the step and try.
        states: what the last board says, by pseudonym.
    """

    address: str
    limit_s: float
    log: Log
    code: str = ""
    redraws: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    seen: dict[tuple[str, int, int], float] = field(default_factory=dict)
    states: dict[str, list[str]] = field(default_factory=dict)
    _session: Session = field(init=False)
    _route: Route = field(init=False)
    _watching: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start a class and open its board.

        Raises:
            EndedError: the class cannot be started.
        """
        route = Route(self.address)
        answer = await route.post("/class/start", json.dumps({"lab": LAB.code}).encode())
        await route.close()
        if answer.status != 200:
            raise EndedError(f"class/start answers {answer.status}: {answer.content!r}")
        self.code = answer.json()["code"]
        self._session = Session(
            self.address, self.log.fragments.append, self.limit_s, answer.cookie
        )
        self._session.screen.query = {"board": [self.code]}
        await self._session.open("labs")
        self._route = Route(self.address, answer.cookie)
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Close the board."""
        if self._watching is not None:
            self._watching.cancel()
            await self._route.close()
        await self._session.close()

    async def _watch(self) -> None:
        """Ask the route for news again and again, as the board does."""
        found: dict[str, Any] = json.loads(data_of(self._session, BOARD).get("text", "{}"))
        self.log.complain([f"board: {one}" for one in self._session.screen.wrong])
        while True:
            self._look(found)
            await asyncio.sleep(NEWS_S)
            given = {"code": self.code, "question": 0, "version": found["version"]}
            begun = time.perf_counter()
            try:
                answer = await self._route.get(f"/class/board?{urlencode(given)}")
            except NoAnswerError as error:
                self.log.wrong[f"the board: {error}"] += 1
                continue
            took = time.perf_counter() - begun
            if answer.status == 200:
                self.redraws.append(took)
                self.bytes.append(len(answer.content))
                found |= answer.json()
            elif answer.status == 204:
                self.looks.append(took)
            else:
                self.log.wrong[f"the board: class/board answers {answer.status}"] += 1

    def _look(self, found: dict[str, Any]) -> None:
        """Note which answers are on the board now."""
        now = time.perf_counter()
        names = [state["name"] for state in found.get("states", [])]
        for line in found.get("lines", []):
            cells = [(*cell, 0, 0)[:2] for cell in line["cells"]]  # zeros at the end are left out
            self.states[line["who"]] = [names[state] for state, _ in cells]
            for place, (_, tries) in enumerate(cells):
                if (line["who"], place, tries + 1) in self.seen:
                    self.log.wrong["the board: an answer is gone"] += 1
                for one in range(1, tries + 1):
                    self.seen.setdefault((line["who"], place, one), now)

    def missing(self, pupils: list[Pupil]) -> int:
        """How many answers are not on the board."""
        return sum(
            (one.pseudonym, place, number) not in self.seen
            for one in pupils
            for place, step in enumerate(LAB.steps)
            for number in range(1, len(one.sent.get(step.name, [])) + 1)
        )

    def delays(self, pupils: list[Pupil]) -> list[float]:
        """Seconds from sending each answer until it was on the board; notes what is wrong."""
        found, expected = [], set()
        for one in pupils:
            for place, step in enumerate(LAB.steps):
                for number, sent in enumerate(one.sent.get(step.name, []), 1):
                    expected.add(key := (one.pseudonym, place, number))
                    if key in self.seen:
                        found.append(self.seen[key] - sent)
                last = self.states.get(one.pseudonym, ["none"] * len(LAB.steps))[place]
                if last != "right":
                    self.log.wrong[f"the board: {step.name} ends as {last}"] += 1
        self.log.wrong["the board: an answer is missing"] += len(expected - {*self.seen})
        self.log.wrong["the board: an answer that nobody gave"] += len({*self.seen} - expected)
        self.log.wrong = +self.log.wrong
        return found
