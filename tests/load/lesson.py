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
from asyncio import TaskGroup
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from embviz.classes.store import Store
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import written
from tests.load.client import EndedError, NoAnswerError, Tab, fetch
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
        code: of the class, or `""`.
        seed: of the numbers, which in a class only a test may know.
    """

    code, seed = "", 0

    async def open(self, folder: Path) -> None:
        """Start a class and open its board; the file of the classes is below the folder."""
        content = f"lab={LAB}".encode()
        _, _, self.tab.cookie = await fetch(self.tab.address, "/class/start", content)
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
        self.tab.on_run = self._drawn
        await self.tab.open("labs")

    def _drawn(self) -> None:
        """Note how many have answered each step."""
        now = time.perf_counter()
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
                sorted(one.first_sent[step] for one in pupils if step in one.first_sent)
            )
        }
        until = time.monotonic() + SHOWN_S
        while expected.keys() - self.seen and time.monotonic() < until:
            await asyncio.sleep(0.2)
        await self.tab.close()
        self.log.seconds[f"on the board, {kind}"] += [
            self.seen[one] - sent for one, sent in expected.items() if one in self.seen
        ]
        # Rows of the file: step, vote, typed; None where a member has not answered.
        kept = Counter(row[2:5] for row in self.store.answers(self.code) if row[2])
        given = Counter((step, 1, typed) for one in pupils for step, typed in one.last.items())
        self.log.wrong["the board: an answer is missing, or too much"] += len(
            expected.keys() ^ self.seen.keys()
        )
        self.log.wrong["the file: an answer is missing, or too much"] += (
            (given - kept) + (kept - given)
        ).total()


class Pupil(Visitor):
    """One student."""

    async def attend(self, kind: str, code: str, seed: int, think_s: float) -> None:
        """Come, work through the lab in a class or alone, and keep the tab open."""
        self.kind, self.think_s = kind, think_s
        # By step: when an answer was sent first, and what was typed last.
        self.first_sent, self.last = dict[int, float](), dict[int, str]()
        seed = seed or self.chance.randrange(1000)
        self.tab.query = {"lab": [LAB], "numbers": [str(seed)]}
        if code:
            _, _, self.tab.cookie = await fetch(self.tab.address, f"/class/{code}")
            self.tab.query = {"class": [code]}
        self.log.seconds["open"].append(await self.tab.open("labs"))
        async with TaskGroup() as tasks:
            polling = tasks.create_task(self._poll(code))
            for step, asked in enumerate(questions(LAB, seed), 1):
                wrong = [self.chance.choice([*asked.mistakes])] * (self.chance.random() < WRONG)
                for answer in [*wrong, asked.right]:
                    await self._think()
                    self.last[step] = written(answer)
                    self.first_sent.setdefault(step, time.perf_counter())
                    await self._do("answer", "check ", self.last[step])
                await self._think()
                await self._do("next", "lab_next")
            polling.cancel()

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
        while code:
            await asyncio.sleep(POLL_S)
            with suppress(EndedError):  # the server restarts
                begun, path = time.perf_counter(), f"/class/{code}/version"
                status, version, _ = await fetch(self.tab.address, path, cookie=self.tab.cookie)
                self.log.seconds["poll"].append(time.perf_counter() - begun)
                self.log.wrong["a version is refused"] += status != 200
                shown = json.loads(self.tab.data.get("embviz_class_poll", b"{}"))
                if shown.get("version", version.decode()) != version.decode():
                    news = {"event": "news", "value": 1}
                    self.log.seconds["news"].append(await self.tab.change("class_poll", news))

    async def _think(self) -> None:
        await asyncio.sleep(self.think_s * self.chance.uniform(0.2, 1.8))
