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
from collections.abc import Awaitable
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urljoin

from echo import TEXT
from figures import Log
from protocol import Screen
from route import Route
from session import EndedError, NoAnswerError, Session
from student import LONGEST_TEXT, THINK_S

GAP_S = (0.15, 0.25)  # from key to key: 5 keys a second
WORD = (2, 9)  # letters
ENTER = 0.25  # share of the words that end with Enter
PAUSE_S = 0.6  # from the last key to the rerun, as the field waits
STAGE = "embviz_stage"  # the component whose data names the route
FIELD = "text"
BUSY = 429


def question(screen: Screen, text: str) -> tuple[str, bytes]:
    """Path and body of the request for a text, as the stage's message says."""
    page = json.loads(screen.data[STAGE])
    body = {"settings": {**page["question"], FIELD: text}, "part": page["part"]}
    return urljoin("/assets/", page["live"]), json.dumps(body).encode()


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
    _tasks: asyncio.TaskGroup = field(init=False)

    def __post_init__(self) -> None:
        self._route = Route(self.session.address)

    async def arrive(self, after_s: float) -> None:
        """Open the page."""
        await asyncio.sleep(after_s)
        self.session.screen.query = {FIELD: [TEXT]}  # without it the small example
        try:
            self.log.opens.append(await self.session.open(""))
            self.text = self._sent = str(self.session.screen.values[FIELD])
        except NoAnswerError as error:
            self.log.wrong[f"opening: {error}"] += 1

    async def type(self, until: float) -> None:
        """Type until a time of `time.monotonic`, and wait for the last answers."""
        if FIELD not in self.session.screen.widgets:
            return
        async with asyncio.TaskGroup() as self._tasks:
            while time.monotonic() < until:
                await self._type_word()
            await asyncio.sleep(2 * PAUSE_S)
        self.log.complain(self.session.screen.wrong)
        self.session.screen.wrong.clear()

    async def _type_word(self) -> None:
        await asyncio.sleep(self.random.expovariate(1 / THINK_S))
        for _ in range(self.random.randint(*WORD)):
            self._key(self.random.choice(string.ascii_letters))
            await asyncio.sleep(self.random.uniform(*GAP_S))
        self._key(" ")
        if self.random.random() < ENTER:
            await asyncio.sleep(self.random.uniform(*GAP_S))
            self._commit()

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

    def _start(self, work: Awaitable[None]) -> asyncio.Task[None]:
        return self._tasks.create_task(self._noted(work))

    async def _noted(self, work: Awaitable[None]) -> None:
        try:
            await work
        except NoAnswerError as error:
            self.log.wrong[str(error)] += 1

    async def _ask(self) -> None:
        """Ask the route until no key is without an answer; one that it refuses as busy waits."""
        while self._typed:
            asked, keys = question(self.session.screen, self.text), len(self._typed)
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
