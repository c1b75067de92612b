"""A class together: its teacher with the board open, and students who work through a lab.

Without it nobody would know whether a class loses an answer, or waits for it.

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
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

from embviz.classes.store import Store
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import written
from tests.load.client import ENDED, LIMIT_S, Tab, fetch
from tests.load.figures import Log, Visitor

LAB = "row"
WRONG = 0.4  # share of the steps that are answered wrong first
ACTIONS = len(LABS[LAB].steps) * (2 + WRONG)  # of one student: answers, and going on
POLL_S = 3.0  # as the page asks
AGAIN_S = 1.0  # from the end of a connection to the next
SHOWN_S = 20.0  # in which the last answers are on the board


class Teacher(Visitor):
    """The teacher, with the board open; of students alone, the record of what they sent.

    Attributes:
        code: of the class, or `""`.
        seed: of the numbers, which in a class only a test may know, or 0.
        sent: by step, when each student answered it first, in seconds of `time.perf_counter`.
        seen: by step, when the board first showed so many students.
        last: by student and step, what was typed last.
    """

    code, seed = "", 0

    def __init__(self, address: str, log: Log) -> None:
        super().__init__(address, log)
        self.sent: defaultdict[int, list[float]] = defaultdict(list)
        self.seen: defaultdict[int, list[float]] = defaultdict(list)
        self.last: dict[tuple[Pupil, int], str] = {}

    async def open(self, folder: Path) -> None:
        """Start a class and open its board; the file of the classes is below the folder."""
        content = f"lab={LAB}".encode()
        _, _, self.tab.cookie = await fetch(self.tab.address, "/class/start", content)
        self.store = Store(folder / "data" / "votes.sqlite3")
        (room,) = self.store.classes_of(self.tab.cookie.partition("=")[2])
        self.code, self.seed = room.code, room.seed
        await self.look()

    async def look(self) -> None:
        """Open the board, again if the connection has ended."""
        await self.tab.close()
        self.tab = Tab(self.tab.address, self.tab.cookie, board=[self.code])
        self.tab.on_run = self._drawn
        await self.timed(self.tab.open("labs"), "open", "board")

    def _drawn(self) -> None:
        """Note how many have answered each step."""
        now = time.perf_counter()
        for step in range(1, len(LABS[LAB].steps) + 1):
            for counted in re.findall(r"(\d+) of", self.tab.widgets[f"step {step}"].proto.label):
                self.seen[step] += [now] * (int(counted) - len(self.seen[step]))

    async def compare(self, kind: str) -> None:
        """Wait for the last answers on the board; note what is late, missing or too much."""

        def differ() -> int:
            return sum(abs(len(self.seen[one]) - len(sent)) for one, sent in self.sent.items())

        until = time.monotonic() + SHOWN_S
        while differ() and time.monotonic() < until:
            await asyncio.sleep(0.2)
        await self.tab.close()
        pairs = [
            pair for one in self.sent for pair in zip(self.sent[one], self.seen[one], strict=False)
        ]
        self.log.seconds[f"on the board: {kind}"] += [seen - sent for sent, seen in pairs]
        self.log.wrong["the board: an answer is missing, or too much"] += differ()
        # Rows of the file: step, vote, typed; None where a member has not answered.
        kept = Counter(row[2:5] for row in self.store.answers(self.code) if row[2])
        given = Counter((step, 1, typed) for (_, step), typed in self.last.items())
        lost, added = given - kept, kept - given
        self.log.wrong["the file: an answer is missing, or too much"] += (lost + added).total()


class Pupil(Visitor):
    """One student."""

    async def attend(self, kind: str, teacher: Teacher, think_s: float) -> None:
        """Come, work through the lab in a class or alone, and keep the tab open."""

        async def think() -> None:
            await asyncio.sleep(think_s * self.chance.uniform(0.2, 1.8))

        seed = teacher.seed or self.chance.randrange(1000)
        self.tab.query = {"lab": [LAB], "numbers": [str(seed)]}
        if teacher.code:
            _, _, self.tab.cookie = await fetch(self.tab.address, f"/class/{teacher.code}")
            self.tab.query = {"class": [teacher.code]}
        await self.timed(self.tab.open("labs"), "open", kind)
        polling = asyncio.create_task(self._poll(teacher.code))
        for step, asked in enumerate(questions(LAB, seed), 1):
            wrong = [self.chance.choice([*asked.mistakes])] * (self.chance.random() < WRONG)
            for number, answer in enumerate([*wrong, asked.right]):
                await think()
                typed = teacher.last[self, step] = written(answer)
                if number == 0:
                    teacher.sent[step].append(time.perf_counter())
                await self._do("answer", kind, "check ", typed)
            await think()
            await self._do("next", kind, "lab_next")
        polling.cancel()

    async def _do(self, action: str, kind: str, start: str, typed: str = "") -> None:
        """Press the button whose key starts so, on a new connection if the old one ends."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                try:
                    name = next(one for one in self.tab.widgets if one.startswith(start))
                    states = {name: True} | ({name.removeprefix(start): typed} if typed else {})
                    return await self.timed(self.tab.ask(states), action, kind)
                except (*ENDED, StopIteration):  # the page may not be there yet
                    await self.tab.close()
                    await asyncio.sleep(AGAIN_S)
                    self.tab = Tab(self.tab.address, self.tab.cookie, **self.tab.query)
                    with suppress(*ENDED):  # it is tried again
                        await self.tab.open("labs")

    async def _poll(self, code: str) -> None:
        """Ask for the version of a class again and again, and rerun where it has changed."""
        while code:
            await asyncio.sleep(POLL_S)
            with suppress(*ENDED):  # the server restarts
                begun, path = time.perf_counter(), f"/class/{code}/version"
                status, version, _ = await fetch(self.tab.address, path, cookie=self.tab.cookie)
                self.log.seconds["poll"].append(time.perf_counter() - begun)
                self.log.wrong["a version is refused"] += status != 200
                shown = json.loads(self.tab.data.get("embviz_class_poll", b"{}"))
                if shown.get("version", version) != version:
                    place = self.tab.widgets["class_poll"].fragment
                    await self.timed(self.tab.ask(fragment_id=place), "news", "class")
