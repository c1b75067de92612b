"""A student who types words, pauses, and types on; the bare echo app serves to compare.

On the playground each key asks the route `live`, as the stage does: at most one request is under
way, and the newest text is asked next. A rerun follows after a pause, and on Enter. In the echo app
each key asks for a rerun, as its field does. The latency of a key is the time until an answer to
its text, or to a later one, has come.
"""

from __future__ import annotations

import asyncio
import json
import string
import time
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urljoin

from figures import Log
from protocol import Screen
from route import Route
from session import EndedError, NoAnswerError, Session
from student import LONGEST_TEXT, THINK_S

GAP_S = (0.15, 0.25)  # from key to key: 5 keys a second
WORD = (2, 9)  # letters
ENTER = 0.25  # share of the words that end with Enter
PAUSE_S = 0.25  # from the last key to the rerun, as the field waits
STAGE = "embviz_stage"  # the component whose data names the route
FIELD = "text"
BUSY = 429


def head_of(data: bytes) -> dict[str, object]:
    """The head of the stage's message: a length of 4 bytes, then so many of JSON."""
    found: dict[str, object] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return found


def question(screen: Screen, text: str) -> tuple[str, bytes] | None:
    """Path and body of the request for a text; None where the stage has no route."""
    head = head_of(screen.data[STAGE])
    if head["live"] is None:
        return None
    settings = {**head["settings"], FIELD: text}  # type: ignore[dict-item]
    body = {"settings": settings, "window": {"token": 0, "dim": 0}}
    return urljoin("/assets/", str(head["live"])), json.dumps(body).encode()


@dataclass
class Typist:
    """One student who types.

    Attributes:
        echo: whether the app is the echo app.
    """

    session: Session
    random: Random
    log: Log
    echo: bool
    text: str = ""
    _route: Route = field(init=False)
    _typed: list[float] = field(default_factory=list)  # keys without an answer: when
    _asking: asyncio.Task[None] | None = None
    _timer: asyncio.TimerHandle | None = None
    _sent: str = ""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._route = Route(self.session.address)

    async def arrive(self, after_s: float) -> None:
        """Open the page."""
        await asyncio.sleep(after_s)
        try:
            self.log.opens.append(await self.session.open(""))
            self.text = self._sent = str(self.session.screen.values[FIELD])
        except NoAnswerError as error:
            self.log.wrong[f"opening: {error}"] += 1

    async def type(self, until: float) -> None:
        """Type until a time of `time.monotonic`, and wait for the last answers."""
        if FIELD not in self.session.screen.widgets:
            return
        while time.monotonic() < until:
            await asyncio.sleep(self.random.expovariate(1 / THINK_S))
            for _ in range(self.random.randint(*WORD)):
                self._key(self.random.choice(string.ascii_letters))
                await asyncio.sleep(self.random.uniform(*GAP_S))
            self._key(" ")
            if self.random.random() < ENTER:
                await asyncio.sleep(self.random.uniform(*GAP_S))
                self._commit()
        await asyncio.sleep(2 * PAUSE_S)
        while self._tasks:
            await asyncio.gather(*self._tasks)
        self.log.complain(self.session.screen.wrong)
        self.session.screen.wrong.clear()

    async def leave(self) -> None:
        """Close the tab."""
        await self._route.close()
        await self.session.close()
        self.log.received += self.session.received

    def _key(self, letter: str) -> None:
        self.text = (self.text if len(self.text) < LONGEST_TEXT else "") + letter
        if self.echo:
            self._commit()
            return
        self._typed.append(time.perf_counter())
        if self._asking is None or self._asking.done():
            self._asking = self._start(self._ask())
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_S, self._commit)

    def _start(self, work: object) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._noted(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _noted(self, work: object) -> None:
        try:
            await work  # type: ignore[misc]
        except NoAnswerError as error:
            self.log.wrong[str(error)] += 1

    async def _ask(self) -> None:
        """Ask the route until no key is without an answer; one that it refuses as busy waits."""
        while self._typed:
            asked = question(self.session.screen, self.text)
            if asked is None:
                return
            keys = len(self._typed)
            try:
                async with asyncio.timeout(self.session.limit_s):
                    answer = await self._route.post(*asked)
            except TimeoutError:
                raise NoAnswerError("the route does not answer in time") from None
            self.log.route_bytes.append(answer.received)
            if answer.status == BUSY:
                self.log.busy += 1
                return
            if answer.status != 200:
                raise EndedError(f"the route answers {answer.status}")
            self._answered(keys)

    def _answered(self, keys: int) -> None:
        now = time.perf_counter()
        self.log.keys += [now - one for one in self._typed[:keys]]
        del self._typed[:keys]

    def _commit(self) -> None:
        """Ask for the rerun, if the text is not that of the last one."""
        if self._timer is not None:
            self._timer.cancel()
        if self.text != self._sent:
            self._sent = self.text
            self._start(self._rerun(len(self._typed)))

    async def _rerun(self, keys: int) -> None:
        seconds = await self.session.change(FIELD, self.text)
        if self.echo:
            self.log.keys.append(seconds)
        else:
            self.log.rerun("playground", FIELD, seconds)
            if self._asking is None or self._asking.done():
                self._answered(min(keys, len(self._typed)))  # those that the route refused
