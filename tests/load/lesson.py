"""A class together: its teacher with the board open, and students who work through a lab.

Without it nobody would know whether a class loses an answer, or waits for it.

In a class a student joins by its link and asks for its version as the page does. Alone the address
has the numbers. Each step is answered, some wrong at first. A connection that ends is made anew,
and what was under way is done again, as a student would. The board must count each student once for
each step, and the file must have each last answer once.
"""

import asyncio
import json
import re
import time
from collections import Counter
from contextlib import suppress
from operator import sub

from embviz.classes.store import Store
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import written
from tests.load.client import ENDED, LIMIT_S
from tests.load.figures import Visitor

LAB, WORD = "row", "correct-horse-battery"  # the word with which a class is started
WRONG = 0.4  # share of the steps that are answered wrong first
PRESSES = len(LABS[LAB].steps) * (2 + WRONG)  # of one student: answers, and going on
POLL_S = 3.0  # as the page asks
AGAIN_S = 1.0  # from the end of a connection to the next
SHOWN_S = 60.0  # in which the last answers are on the board


class Teacher(Visitor):
    """The teacher, with the board open; of students alone, the record of what they sent.

    Attributes:
        code: of the class, or `""`.
        seed: of the numbers, which in a class only a test may know.
        sent: by student and step, when it was answered first, on `time.perf_counter`.
        seen: when the board first showed so many answers.
        last: by student and step, what was typed last.
    """

    code, seed = "", 7

    def __init__(self, address, log):
        super().__init__(address, log)
        self.sent, self.seen, self.last = {}, [], {}

    async def begin(self, folder):
        """Start a class and open its board; the file of the classes is below the folder."""
        await self.fetch("/class/start", f"lab={LAB}&word={WORD}".encode())
        self.store = Store(folder / "data" / "votes.sqlite3")
        (room,) = self.store.classes_of(self.cookie.partition("=")[2])
        self.code, self.seed = room.code, room.seed
        self.query = {"board": [self.code]}
        await self.look()
        await self.ask({f"labs_large {self.code}": False})  # a new board shows the code alone

    async def look(self):
        """Open the board, again if the connection has ended."""
        await self.timed(self.open("labs"), "open", "board")

    def on_run(self):
        """Note how many answers the board shows: `3 of 4` students have answered a step."""
        labels = [one.proto.label for one in self.widgets.values() if one.kind == "button"]
        shown = sum(map(int, re.findall(r"(\d+) of", str(labels))))
        self.seen += [time.perf_counter()] * (shown - len(self.seen))

    async def compare(self, kind):
        """Wait for the last answers on the board; note what is late, missing or too much."""
        until = time.monotonic() + SHOWN_S
        while len(self.seen) != len(self.sent) and time.monotonic() < until:
            await asyncio.sleep(0.2)
        await self.close()
        self.log.seconds[f"on the board: {kind}"] += map(sub, self.seen, self.sent.values())
        found = self.store.snapshot(self.code)
        kept = Counter((one.lab, one.step, one.vote, one.typed) for one in found.answers)
        given = Counter((LAB, step, 1, typed) for (_, step), typed in self.last.items())
        differ, wrong = (kept - given) + (given - kept), self.log.wrong
        rows = len(found.members) - len({pupil for pupil, _ in self.last})
        wrong["a student has no row, or more than one"] += abs(rows)
        wrong["the board lacks answers, or has too many"] += abs(len(self.seen) - len(self.sent))
        wrong["the file lacks answers, or has too many"] += differ.total()


class Pupil(Visitor):
    """One student."""

    async def attend(self, kind, teacher, think_s):
        """Come, work through the lab in a class or alone, and keep the tab open."""

        async def think():
            await asyncio.sleep(think_s * self.chance.uniform(0.2, 1.8))

        self.query = {"lab": [LAB], "numbers": [str(teacher.seed)]}
        if teacher.code:
            await self.fetch(f"/class/{teacher.code}")
            self.query = {"class": [teacher.code]}
        await self.timed(self.open("labs"), "open", kind)
        polling = asyncio.create_task(self._poll(teacher.code))
        for step, asked in enumerate(questions(LAB, teacher.seed), 1):
            wrong = [self.chance.choice([*asked.mistakes])] * (self.chance.random() < WRONG)
            for answer in (*wrong, asked.right):
                await think()
                teacher.sent.setdefault((self, step), time.perf_counter())
                typed = teacher.last[self, step] = written(answer)
                await self._press("answer", kind, "check ", typed)
            await think()
            await self._press("next", kind, "lab_next")
        polling.cancel()

    async def _press(self, action, kind, start, typed=""):
        """Press the button whose key starts so, on a new connection if the old one ends.

        The server may have taken the press before it ended: then the address has the next step.
        """
        before = self.query
        async with asyncio.timeout(LIMIT_S):
            while self.query == before:
                try:
                    name = next(one for one in self.widgets if one.startswith(start))
                    states = {name: True} | ({name.removeprefix(start): typed} if typed else {})
                    await self.timed(self.ask(states), action, kind)
                    return
                except (*ENDED, StopIteration):  # the page may not be there yet
                    await self.close()
                    await asyncio.sleep(AGAIN_S)
                    with suppress(*ENDED):  # it is tried again
                        await self.open("labs")

    async def _poll(self, code):
        """Ask for the version of a class again and again, and rerun where it has changed."""
        while code:
            await asyncio.sleep(POLL_S)
            with suppress(*ENDED):  # the server restarts
                asked = self.fetch(f"/class/{code}/version")
                status, version = await self.timed(asked, "poll", "class")
                self.log.wrong["a version is refused"] += status != 200
                shown = json.loads(self.data.get("embviz_class_poll", b"{}"))
                if shown.get("version", version) != version:
                    place = self.widgets["class_poll"].fragment
                    await self.timed(self.ask(fragment_id=place), "news", "class")
