"""A student who works through a lab, in a class or alone.

In a class the student joins by its link and asks the route `class/state` as the page does. Alone it
is a guest. Each step is answered, some wrong at first; the right answer follows from the address.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlencode

from figures import Log
from route import Route
from session import EndedError, NoAnswerError, Session

from embviz.labs.answers import Choice, written
from embviz.labs.exercises import lab as lab_of
from embviz.labs.record import Step
from embviz.labs.student import Student

LAB = lab_of("row")
WRONG = 0.4  # share of the steps that are answered wrong first
ACTIONS = len(LAB.steps) * (2 + WRONG)  # of one student: answers, and going on
POLL_S, SOON_S, JITTER = 2.0, 0.6, 0.2  # as the page asks; soon, while answers are under way
LINE = "class_line"  # the component's key


def data_of(session: Session, name: str) -> dict[str, Any]:
    """What a component of the app shows; nothing where it is not on the page."""
    found: dict[str, Any] = json.loads(session.screen.data.get(f"embviz_{name}", b"{}"))
    return found


@dataclass
class Pupil:
    """One student.

    Attributes:
        code: of the class; `""` for a student alone.
        think_s: the mean pause before each action.
        sent: when each answer was sent, by step.
    """

    session: Session
    chance: Random
    log: Log
    code: str
    think_s: float
    sent: dict[str, list[float]] = field(default_factory=dict)
    _route: Route = field(init=False)
    _asking: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._route = Route(self.session.address)

    @property
    def pseudonym(self) -> str:
        """As the page says it."""
        return str(data_of(self.session, LINE).get("name", ""))

    async def attend(self, after_s: float) -> None:
        """Come after a delay, work through the lab, and keep the tab open."""
        await asyncio.sleep(after_s)
        alone = {"lab": [LAB.code], "student": [f"guest-{self.chance.getrandbits(24):06x}"]}
        self.session.screen.query = {"class": [self.code]} if self.code else alone
        try:
            self.log.opens.append(await self.session.open("labs"))
            self._look("opening")
            if self.code:
                self._asking = asyncio.create_task(self._ask())
            student = Student(self.session.screen.query["student"][0])
            values = LAB.values(student)
            for step in LAB.steps:
                for typed in self._typed(step, values):
                    await self._think()
                    await self._answer(step, f"answer {LAB.code} {step.name} {student.key}", typed)
                await self._think()
                self._rerun("next", await self.session.press("lab_next"))
        except (NoAnswerError, KeyError) as error:
            self.log.wrong[f"a student: {type(error).__name__} {error}"] += 1

    async def leave(self) -> None:
        """Close the tab."""
        if self._asking is not None:
            self._asking.cancel()
        await self._route.close()
        await self.session.close()
        self.log.received += self.session.received

    def _typed(self, step: Step[Any], values: Any) -> Iterator[str]:
        """The answers to a step: perhaps a wrong one, then the right one."""
        solution = step.solution(values)
        assert solution is not None
        if self.chance.random() < WRONG:
            kind = step.answer_kind(values)
            others = (
                kind.options
                if isinstance(kind, Choice)
                else [one.answer(values) for one in step.mistakes]
            )
            wrong = [one for one in others if one is not None and not step.accepts(values, one)]
            yield written(self.chance.choice(wrong))
        yield written(solution)

    async def _answer(self, step: Step[Any], name: str, typed: str) -> None:
        self.session.screen.set(name, typed)
        self.sent.setdefault(step.name, []).append(time.perf_counter())
        self._rerun("answer", await self.session.press(f"check {name}"))

    async def _ask(self) -> None:
        """Ask for the state of the class again and again, and rerun where it has changed."""
        pause_s = POLL_S
        while True:
            await asyncio.sleep(pause_s * (1 + JITTER * (self.chance.random() - 0.5)))
            shown = data_of(self.session, LINE)
            if not shown:
                continue
            try:
                given = {"code": shown["code"], "member": shown["member"], "seen": shown["version"]}
                begun = time.perf_counter()
                answer = await self._route.get(f"/class/state?{urlencode(given)}")
                self.log.polls.append(time.perf_counter() - begun)
                if answer.status != 200:
                    raise EndedError(f"class/state answers {answer.status}")
                found = answer.json()
                pause_s = SOON_S if found["waiting"] else POLL_S
                if found["version"] != shown["version"]:
                    await asyncio.sleep(found["spread_s"] * self.chance.random())
                    self._rerun("news", await self.session.tell(LINE, "news", found["version"]))
            except NoAnswerError as error:
                self.log.wrong[f"class/state: {error}"] += 1

    async def _think(self) -> None:
        await asyncio.sleep(self.think_s * self.chance.uniform(0.2, 1.8))

    def _rerun(self, action: str, seconds: float) -> None:
        self.log.rerun("labs", action, seconds)
        self._look(action)

    def _look(self, action: str) -> None:
        screen = self.session.screen
        self.log.complain([f"labs, {action}: {one}" for one in screen.wrong])
        screen.wrong.clear()
