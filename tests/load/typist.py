"""A student who types words, pauses, and types on; the bare echo app serves to compare.

Without it nobody would know how many students can type at once.

On the playground each key asks the route `live`, as the stage does: at most one request is under
way, and the newest text is asked next. A rerun follows `PAUSE` after the last key, as the field
does, or at once where the route is busy. In the echo app each key asks for a rerun, as its field
does.
"""

import asyncio
import json
import string
import time

from embviz.ui.elements.widgets import PAUSE
from tests.load.figures import Visitor
from tests.load.student import THINK_S

GAP_S = (0.15, 0.25)  # from key to key: 5 keys a second
WORD = (3, 10)  # letters and a space
LONGEST_TEXT = 60  # typed characters; then the text begins again
PAUSE_S = int(PAUSE.removesuffix("ms")) / 1_000


class Typist(Visitor):
    """One student who types."""

    async def arrive(self, app):
        """Open the page of the app; `"echo"` is the bare one."""
        self.app, self.text, self._keys, self._asked = app, "", 0, 0
        self._one_by_one = asyncio.Lock()
        await self.timed(self.open(), "open", app)

    async def type(self, until):
        """Type until a time of `time.monotonic`, and wait for the last answers."""
        is_echo = self.app == "echo"
        async with asyncio.TaskGroup() as tasks:
            while time.monotonic() < until:
                for _ in range(self.chance.randint(*WORD)):
                    kept = self.text[: self._keys % LONGEST_TEXT]
                    self.text = kept + self.chance.choice(string.ascii_letters)
                    self._keys += 1
                    answer = self._rerun() if is_echo else self._live(self._keys)
                    tasks.create_task(self.timed(answer, "key", self.app))
                    await asyncio.sleep(self.chance.uniform(*GAP_S))
                await asyncio.sleep(PAUSE_S)
                if not is_echo:
                    tasks.create_task(self.timed(self._rerun(), "run", self.app))
                await asyncio.sleep(self.chance.expovariate(1 / (THINK_S - PAUSE_S)))

    async def _rerun(self):
        await self.ask({"text": self.text})

    async def _live(self, key):
        async with self._one_by_one:
            if self._asked >= key:  # an answer to a later text has come
                return
            self._asked = self._keys
            page = json.loads(self.data["embviz_stage"])
            model = json.loads(page["question"]) | {"text": self.text}
            body = json.dumps({"settings": model, "part": page["part"]})
            status, _ = await self.fetch("/live", body.encode())
            if status == 429:  # busy
                await self.timed(self._rerun(), "refused as busy", self.app)
            else:
                assert status == 200, status
