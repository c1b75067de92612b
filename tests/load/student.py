"""A student on the pages: opens one, pauses, changes something, and so on.

An action is skipped while its widget is not on screen or is disabled, so a page need not always
show the widget.
"""

from __future__ import annotations

import asyncio
import re
import string
import time
from collections.abc import Awaitable
from random import Random
from typing import Any

from tests.load.client import Widget
from tests.load.figures import Visitor
from tests.load.server import TEXT

THINK_S = 2.0  # on average, between two actions
SWITCH = 0.08  # the share of actions that goes to another page
FIRST = "playground"  # its path is the root
LONGER = 30  # characters at most after the text
WIDER = 60  # a number is at most so far from its least
START = "timing_start_button"
# For each page, keys of widgets, and how often each is used beside the others.
ACTIONS = {
    FIRST: "text*6 dim*2 seed*2 panel rows dtype",
    "bag_of_words": "x*3 docs*3 row*3 counts*2 bag_seed outputs",
    "training": "text*6 dim*2 seed*2 lesson*3 optimizer*2 rate target steps_play*6 "
    "learn_steps_play*2",
    "limits": "find*2 open_max-norm*4 open_out-of-range*4 back_to_cards*4",
    "context": "chapter*2 text*3 places*3 attention*2 mask*3 seed place*2 edit*3",
    "timing": "vary*2 mode*2 skew time_dim*2 time_tokens*2",
    "labs": "lab_start_row lab_next step_shown",
}


def next_value(name: str, widget: Widget, chance: Random) -> Any:
    """Some value of a widget, by its kind."""
    kind, proto = widget.kind, widget.proto
    if kind == "button":
        return True
    if kind == "checkbox":
        return chance.random() < 0.5
    if kind == "number_input":
        return chance.randint(int(proto.min), int(min(proto.max, proto.min + WIDER)))
    if offered := [getattr(one, "content", one) for one in getattr(proto, "options", [])]:
        found = chance.choice(offered)
        return [found] if kind == "button_group" else found
    if name in ("x", "target"):  # a text of numbers: one of them changes
        numbers = re.split(r"(\s+)", proto.value or proto.default)
        numbers[chance.randrange(0, len(numbers), 2)] = str(chance.randrange(4))
        return "".join(numbers)
    return TEXT + "".join(chance.choices(string.ascii_letters, k=chance.randint(1, LONGER)))


class Student(Visitor):
    """One student, who begins on one of the pages, and goes to others now and then."""

    async def attend(self, pages: list[str], until: float) -> None:
        """Open a page, and act until the end, on `time.monotonic`."""
        self.page = self.chance.choice(pages)
        await self._timed("open", self.tab.open(self._path()))
        while await self._think(until):
            if len(pages) > 1 and self.chance.random() < SWITCH:
                self.page = self.chance.choice([one for one in pages if one != self.page])
                await self._timed("run", self.tab.turn(self._path()))
            else:
                await self._act()

    async def sweep(self, until: float) -> None:
        """Press Start on the timing page again and again, until the end."""
        self.page = "timing"
        await self._timed("open", self.tab.open(self.page))
        while await self._think(until):
            begun = time.perf_counter()
            await self._timed("run", self.tab.change(START))
            while START not in self.tab.widgets and time.monotonic() < until:
                await asyncio.sleep(0.1)
            self.log.look("a sweep", self.tab)
            if START in self.tab.widgets:
                self.log.seconds["sweep"].append(time.perf_counter() - begun)

    def _path(self) -> str:
        return "" if self.page == FIRST else self.page

    async def _timed(self, action: str, run: Awaitable[float]) -> None:
        seconds = await run
        for name in (action, f"{action}: {self.page}"):
            self.log.seconds[name].append(seconds)
        self.log.look(f"{self.page}, {action}", self.tab)

    async def _think(self, until: float) -> bool:
        """Pause; return whether there is time for another action."""
        pause = self.chance.expovariate(1 / THINK_S)
        await asyncio.sleep(min(until - time.monotonic(), pause))
        return time.monotonic() < until

    async def _act(self) -> None:
        possible = []
        for name, _, weight in (one.partition("*") for one in ACTIONS[self.page].split()):
            widget = self.tab.widgets.get(name)
            if widget and not getattr(widget.proto, "disabled", False):
                possible += [name] * int(weight or 1)
        if possible:
            name = self.chance.choice(possible)
            value = next_value(name, self.tab.widgets[name], self.chance)
            await self._timed("run", self.tab.change(name, value))
