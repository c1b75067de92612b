"""A student who types words, pauses, and types on; the bare echo app serves to compare.

On the playground each key asks the route `live`, as the stage does: at most one request is under
way, and the newest text is asked next. A rerun follows 0.6 s after the last key, as the field does.
In the echo app each key asks for a rerun, as its field does. The latency of a key is the time until
an answer to its text, or to a later one, has come.
"""

from __future__ import annotations

import asyncio
import json
import string
import time
from urllib.parse import urljoin

from tests.load.client import EndedError, Http
from tests.load.figures import Visitor
from tests.load.student import LONGEST_TEXT, THINK_S

GAP_S = (0.15, 0.25)  # from key to key: 5 keys a second
WORD = (3, 10)  # letters and a space
PAUSE_S = 0.6
BUSY = 429


class Typist(Visitor):
    """One student who types."""

    async def arrive(self, echo: bool) -> None:
        """Open the page; `echo` says of which app."""
        self.echo, self.text, self._asks = echo, "", False
        self._typed: list[float] = []  # keys without an answer: when
        self._http = Http(self.tab.address)
        self.log.seconds["open"].append(await self.tab.open())

    async def type(self, until: float) -> None:
        """Type until a time of `time.monotonic`, and wait for the last answers."""
        async with asyncio.TaskGroup() as tasks:
            while time.monotonic() < until:
                for _ in range(self.chance.randint(*WORD)):
                    self._key(tasks)
                    await asyncio.sleep(self.chance.uniform(*GAP_S))
                pause = self.chance.expovariate(1 / THINK_S)
                await asyncio.sleep(min(pause, PAUSE_S))
                if pause > PAUSE_S and not self.echo:
                    tasks.create_task(self._rerun([*self._typed]))
                await asyncio.sleep(max(0.0, pause - PAUSE_S))
        self.log.look("typing", self.tab)

    async def leave(self) -> None:
        """Close the tab."""
        self._http.close()
        await super().leave()

    def _key(self, tasks: asyncio.TaskGroup) -> None:
        kept = self.text if len(self.text) < LONGEST_TEXT else ""
        self.text = kept + self.chance.choice(string.ascii_letters)
        self._typed.append(time.perf_counter())
        if self.echo:
            tasks.create_task(self._rerun([*self._typed]))
        elif not self._asks:
            self._asks = True
            tasks.create_task(self._ask())

    async def _ask(self) -> None:
        """Ask the route until no key is without an answer; a refused one waits for the rerun."""
        status = 200
        while self._typed and status == 200:
            page, keys = json.loads(self.tab.data["embviz_stage"]), [*self._typed]
            body = {"settings": {**page["question"], "text": self.text}, "part": page["part"]}
            path = urljoin("/assets/", page["live"])
            status, _, _ = await self._http.ask(path, json.dumps(body).encode())
            if status == 200:
                self._answered("key", keys)
        self._asks = False
        if status == BUSY:
            self.log.seconds["refused as busy"].append(0.0)
        elif status != 200:
            raise EndedError(f"the route answers {status}")

    async def _rerun(self, keys: list[float]) -> None:
        seconds = await self.tab.change("text", self.text)
        if not self.echo:
            self.log.seconds["run"].append(seconds)
        self._answered("echo" if self.echo else "key", keys)

    def _answered(self, name: str, keys: list[float]) -> None:
        for pressed in keys:
            if pressed in self._typed:
                self._typed.remove(pressed)
                self.log.seconds[name].append(time.perf_counter() - pressed)
