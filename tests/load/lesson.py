"""A class together: its teacher with the board open, and students who work through a lab.

In a class a student joins by its link and asks for its version as the page does. Alone the address
has the numbers. Each step is answered, some wrong at first. A connection that ends is made anew,
and what was under way is done again, as a student would. The board must count each student once for
each step, and the file must have each last answer once.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from embviz.classes.store import Store
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, judge, read, written
from tests.load.client import EndedError, Http, NoAnswerError, Tab
from tests.load.figures import Visitor

LAB = "row"
STEPS = len(LABS[LAB].steps)
WRONG = 0.4  # share of the steps that are answered wrong first
ACTIONS = STEPS * (2 + WRONG)  # of one student: answers, and going on
POLL_S = 3.0  # as the page asks
AGAIN_S, TRIES = 1.0, 60  # from the end of a connection to the next, and how often
SHOWN_S = 20.0  # in which the last answers are on the board


class Teacher(Visitor):
    """The teacher, with the board open.

    Attributes:
        seed: of the numbers, which in a class only a test may know.
    """

    async def open(self, folder: Path) -> None:
        """Start a class and open its board; the file of the classes is below the folder."""
        content = f"lab={LAB}".encode()
        status, body, self.tab.cookie = await Http(self.tab.address).ask("/class/start", content)
        assert status == 303, body
        self.store = Store(folder / "data" / "votes.sqlite3")
        (room,) = self.store.classes_of(self.tab.cookie.partition("=")[2])
        self.code, self.seed = room.code, room.seed
        # When so many students had answered a step, by the step and this number.
        self.seen: dict[tuple[int, int], float] = {}
        await self.look()

    async def look(self) -> None:
        """Open the board, again if the connection has ended."""
        await self.tab.close()
        self.tab = Tab(self.tab.address, self.tab.cookie, board=[self.code])
        self.tab.on_fragment = self._redrawn
        await self.tab.open("labs")

    def _redrawn(self, seconds: float) -> None:
        """Note how many have answered each step."""
        now = time.perf_counter()
        self.log.seconds["redraw"].append(seconds)
        self.log.look("board", self.tab)
        for step, option in enumerate(self.tab.widgets["board_step"].proto.options, 1):
            for counted in re.findall(r"(\d+) of", option.content):
                for count in range(int(counted)):
                    self.seen.setdefault((step, count), now)

    async def compare(self, pupils: Sequence[Pupil], kind: str) -> None:
        """Wait for the last answers on the board; note what is late, missing or too much."""
        expected = {
            (step, count): sent
            for step in range(1, STEPS + 1)
            for count, sent in enumerate(
                sorted(one.sent[step][0][0] for one in pupils if step in one.sent)
            )
        }
        until = time.monotonic() + SHOWN_S
        while expected.keys() - self.seen and time.monotonic() < until:
            await asyncio.sleep(0.2)
        await self.tab.close()
        self.log.seconds[f"on the board, {kind}"] += [
            self.seen[one] - sent for one, sent in expected.items() if one in self.seen
        ]
        asked = dict(enumerate(questions(LAB, self.seed), 1))
        kept = Counter(
            (step, vote, read(asked[step], typed), bool(right))
            for _, _, step, vote, typed, _, right, _ in self.store.answers(self.code)
            if step
        )
        given = Counter(
            (step, 1, sent[-1][1], judge(asked[step], sent[-1][1]).right)
            for one in pupils
            for step, sent in one.sent.items()
        )
        self.log.wrong += Counter(
            {
                "the board: an answer is missing": len(expected.keys() - self.seen),
                "the board: an answer that nobody gave": len(self.seen.keys() - expected),
                "the file: an answer is missing": (given - kept).total(),
                "the file: an answer that nobody gave": (kept - given).total(),
            }
        )


class Pupil(Visitor):
    """One student."""

    _polling: asyncio.Task[None] | None = None

    async def attend(self, kind: str, code: str, seed: int, think_s: float) -> None:
        """Come, work through the lab in a class or alone, and keep the tab open."""
        self.kind, self.think_s = kind, think_s
        # When each answer was sent first, and what it was, by step.
        self.sent: dict[int, list[tuple[float, Answer]]] = {}
        self.tab.query = {"lab": [LAB], "numbers": [str(seed)]}
        if code:
            _, _, self.tab.cookie = await Http(self.tab.address).ask(f"/class/{code}")
            self.tab.query = {"class": [code]}
        self.log.seconds["open"].append(await self.tab.open("labs"))
        self._polling = asyncio.create_task(self._poll(code))
        for step, asked in enumerate(questions(LAB, seed), 1):
            first = [self.chance.choice([*asked.mistakes])] * (self.chance.random() < WRONG)
            for answer in [*first, asked.right]:
                await self._think()
                self.sent.setdefault(step, []).append((time.perf_counter(), answer))
                await self._do("answer", "check ", written(answer))
            await self._think()
            await self._do("next", "lab_next")

    async def leave(self) -> None:
        """Close the tab."""
        if self._polling is not None:
            self._polling.cancel()
        await super().leave()

    async def _do(self, action: str, start: str, typed: str = "") -> None:
        for _ in range(TRIES):
            try:
                name = next(one for one in self.tab.widgets if one.startswith(start))
                states = {name.removeprefix(start): typed} if typed else {}
                run = self.tab.request({**states, name: True}, self.tab.widgets[name].fragment)
                seconds = await self.tab.ask(run)
            except (EndedError, StopIteration):  # the page may not be there yet
                await self.tab.close()
                await asyncio.sleep(AGAIN_S)
                self.tab = Tab(self.tab.address, self.tab.cookie, **self.tab.query)
                with suppress(EndedError):  # it is tried again
                    await self.tab.open("labs")
            else:
                self.log.seconds[f"{action}, {self.kind}"].append(seconds)
                self.log.look("labs", self.tab)
                return
        raise NoAnswerError(f"{action}: {TRIES} connections ended")

    async def _poll(self, code: str) -> None:
        """Ask for the version of a class again and again, and rerun where it has changed."""
        http, log = Http(self.tab.address, self.tab.cookie), self.log
        while code:
            await asyncio.sleep(POLL_S)
            begun = time.perf_counter()
            with suppress(EndedError):  # the server restarts
                status, version, _ = await http.ask(f"/class/{code}/version")
                log.seconds["poll"].append(time.perf_counter() - begun)
                log.wrong["a version is refused"] += status != 200
                shown = json.loads(self.tab.data.get("embviz_class_poll", b"{}"))
                if shown.get("version", version.decode()) != version.decode():
                    news = {"event": "news", "value": 1}
                    log.seconds["news"].append(await self.tab.change("class_poll", news))

    async def _think(self) -> None:
        await asyncio.sleep(self.think_s * self.chance.uniform(0.2, 1.8))
