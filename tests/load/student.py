"""A student on the pages: opens one, pauses, changes something, and so on.

An action is skipped while its widget is not on screen or is disabled, so a page need not always
show the widget. One of several may press Start on the timing page, again and again.
"""

from __future__ import annotations

import asyncio
import re
import string
import time
from random import Random
from typing import Any

from tests.load.client import Widget
from tests.load.figures import Visitor
from tests.load.server import TEXT

THINK_S = 2.0  # on average, between two actions
SWITCH = 0.08  # the share of actions that goes to another page
FIRST = "playground"  # its path is the root
LONGEST_TEXT = 60  # typed characters; then the text begins again
START = "timing_start_button"
# For each page, keys of widgets, and how often each is used beside the others.
ACTIONS = {
    FIRST: "text*6 dim*2 seed*2 panel rows dtype",
    "bag_of_words": "x*3 docs*3 row*3 counts*2 bag_seed outputs",
    "training": "text*6 dim*2 seed*2 lesson*3 optimizer*2 rate target train_play*6 "
    "learn_characters_play*2",
    "limits": "find*2 open_max-norm*4 open_out-of-range*4 back_to_cards*4",
    "context": "chapter*2 text*3 places*3 attention*2 mask*3 then shuffle*2 seed place*2 edit",
    "timing": "vary*2 mode*2 skew time_dim*2 time_tokens*2",
    "labs": "lab_start_row lab_next step_shown",
}
LEAST = {"dim": 2, "rows": 100, "outputs": 1, "time_dim": 1, "time_tokens": 1}
MOST = {"dim": 32, "rows": 300, "row": 9, "outputs": 8, "place": 9, "time_dim": 256}


def next_value(name: str, widget: Widget, sent: Any, chance: Random) -> Any:
    """A widget's next value, by its kind; `sent` is the last one that was sent."""
    kind, proto = widget.kind, widget.proto
    if kind == "button":
        return True
    if kind == "number_input":
        most = MOST.get(name, 512)
        return chance.randint(LEAST.get(name, 0), min(most, int(proto.max or most)))
    if offered := [getattr(one, "content", one) for one in getattr(proto, "options", [])]:
        found = chance.choice([one for one in offered if sent not in (one, [one])] or offered)
        return [found] if kind == "button_group" else found
    before = sent if sent is not None else proto.value if proto.set_value else proto.default
    if kind == "checkbox":
        return not before
    if name in ("x", "target"):  # a text of numbers: one of them changes
        numbers = re.split(r"(\s+)", before)
        numbers[chance.randrange(0, len(numbers), 2)] = str(chance.randrange(4))
        return "".join(numbers)
    return (before if len(before) < LONGEST_TEXT else TEXT) + chance.choice(
        string.ascii_letters + " .,"
    )


class Student(Visitor):
    """One student, who begins on one of the pages, and goes to others now and then."""

    async def attend(self, place: int, pages: list[str], measures: bool, until: float) -> None:
        """Open a page, and act until the end, on `time.monotonic`; or press Start till then."""
        self.page, self.pages = "timing" if measures else pages[place % len(pages)], pages
        self.until = until
        self.tab.on_fragment = self.log.seconds["automatic run"].append
        await self._timed("open", self.tab.open(self._place()))
        while await self._think():
            await (self._measure() if measures else self._act())

    def _place(self) -> str:
        return "" if self.page == FIRST else self.page

    async def _timed(self, action: str, run: Any) -> None:
        self.log.seconds[f"{action}: {self.page}"].append(await run)
        self.log.look(f"{self.page}, {action}", self.tab)

    async def _think(self) -> bool:
        """Pause; return whether there is time for another action."""
        left = self.until - time.monotonic()
        await asyncio.sleep(max(0.0, min(left, self.chance.expovariate(1 / THINK_S))))
        return time.monotonic() < self.until

    async def _act(self) -> None:
        tab = self.tab
        if len(self.pages) > 1 and self.chance.random() < SWITCH:
            self.page = self.chance.choice([one for one in self.pages if one != self.page])
            await self._timed("run", tab.turn(self._place()))
            return
        possible = []
        for name, _, weight in (one.partition("*") for one in ACTIONS[self.page].split()):
            if name in tab.widgets and not getattr(tab.widgets[name].proto, "disabled", False):
                possible += [name] * int(weight or 1)
        if possible:
            name = self.chance.choice(possible)
            value = next_value(name, tab.widgets[name], tab.sent.get(name), self.chance)
            await self._timed("run", tab.change(name, value))

    async def _measure(self) -> None:
        """Press Start, and wait until the sweep has ended."""
        if START in self.tab.widgets:
            await self._timed("run", self.tab.change(START))
        while START not in self.tab.widgets and time.monotonic() < self.until:
            await asyncio.sleep(0.1)
            self.log.look("a sweep", self.tab)
        self.log.seconds["sweep"] += [0.0] * (START in self.tab.widgets)
