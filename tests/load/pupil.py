"""A student who works through a lab, in a class or alone.

In a class the student joins by its link and asks for its version as the page does. Alone the
address has the numbers. Each step is answered, some wrong at first. A connection that ends is made
anew, and what was under way is done again, as a student would.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from figures import Log
from route import Route
from session import EndedError, NoAnswerError, Session

from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Answer, Question, written

LAB = "row"
STEPS = len(LABS[LAB].steps)
WRONG = 0.4  # share of the steps that are answered wrong first
ACTIONS = STEPS * (2 + WRONG)  # of one student: answers, and going on
POLL_S = 3.0  # as the page asks
AGAIN_S = 1.0  # from the end of a connection to the next
TRIES = 60
POLL = "class_poll"  # the component's key


def version_of(session: Session) -> str:
    """The version of the class that a page shows; `""` where it shows none."""
    found: dict[str, Any] = json.loads(session.screen.data.get(f"embviz_{POLL}", b"{}"))
    return str(found.get("version", ""))


@dataclass
class Pupil:
    """One student.

    Attributes:
        seed: of the numbers; in a class a test alone may know it.
        code: of the class; `""` for a student alone.
        think_s: the mean pause before each action.
        sent: when each answer was sent first, and what it was, by step.
    """

    session: Session
    chance: Random
    log: Log
    seed: int
    code: str
    think_s: float
    sent: dict[int, list[tuple[float, Answer]]] = field(default_factory=dict)
    _asking: asyncio.Task[None] | None = None

    async def attend(self, after_s: float) -> None:
        """Come after a delay, work through the lab, and keep the tab open."""
        await asyncio.sleep(after_s)
        self.session.screen.query = {"lab": [LAB], "numbers": [str(self.seed)]}
        try:
            if self.code:
                route = Route(self.session.address)
                self.session.cookie = (await route.get(f"/class/{self.code}")).cookie
                await route.close()
                self.session.screen.query = {"class": [self.code]}
            self.log.opens.append(await self.session.open("labs"))
            self._look("opening")
            if self.code:
                self._asking = asyncio.create_task(self._ask())
            for step, asked in enumerate(questions(LAB, self.seed)[:STEPS], 1):
                for answer in self._answers(asked):
                    await self._think()
                    self.sent.setdefault(step, []).append((time.perf_counter(), answer))
                    await self._do("answer", answer)
                await self._think()
                await self._do("next")
        except (NoAnswerError, KeyError) as error:
            self.log.wrong[f"a student: {type(error).__name__} {error}"] += 1

    async def leave(self) -> None:
        """Close the tab."""
        if self._asking is not None:
            self._asking.cancel()
        await self.session.close()
        self.log.received += self.session.received

    def _answers(self, asked: Question) -> Iterator[Answer]:
        """The answers to a step: perhaps a wrong one, then the right one."""
        if self.chance.random() < WRONG:
            yield self.chance.choice([*asked.mistakes])
        yield asked.right

    async def _do(self, action: str, answer: Answer | None = None) -> None:
        start = "lab_next" if answer is None else "check "
        for _ in range(TRIES):
            try:
                name = next(one for one in self.session.screen.widgets if one.startswith(start))
                if answer is not None:
                    self.session.screen.set(name.removeprefix(start), written(answer))
                seconds = await self.session.press(name)
            except (EndedError, StopIteration):  # the page may not be there yet
                await self._come_again()
            else:
                self.log.rerun("labs", action, seconds)
                self._look(action)
                return
        raise NoAnswerError(f"{action}: {TRIES} connections ended")

    async def _come_again(self) -> None:
        query = self.session.screen.query
        await self.session.close()
        await asyncio.sleep(AGAIN_S)
        self.session = replace(
            Session(self.session.address, self.log.fragments.append, self.session.limit_s),
            cookie=self.session.cookie,
        )
        self.session.screen.query = query
        try:
            await self.session.open("labs")
        except EndedError:
            return  # it is tried again

    async def _ask(self) -> None:
        """Ask for the version of the class again and again, and rerun where it has changed."""
        route = Route(self.session.address, self.session.cookie)
        while True:
            await asyncio.sleep(POLL_S)
            begun = time.perf_counter()
            try:
                answer = await route.get(f"/class/{self.code}/version")
                self.log.polls.append(time.perf_counter() - begun)
                if answer.status != 200:
                    self.log.wrong[f"the version: {answer.status}"] += 1
                elif version_of(self.session) not in ("", answer.content.decode()):
                    self.log.rerun("labs", "news", await self.session.tell(POLL, "news", 1))
            except EndedError:
                continue  # the server restarts

    async def _think(self) -> None:
        await asyncio.sleep(self.think_s * self.chance.uniform(0.2, 1.8))

    def _look(self, action: str) -> None:
        screen = self.session.screen
        self.log.complain([f"labs, {action}: {one}" for one in screen.wrong])
        screen.wrong.clear()
