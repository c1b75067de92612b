"""A student on the pages: opens one, pauses, changes something, and so on.

Without it nobody would know how the pages answer while others use them.

An action is skipped while its widget is not on screen or is disabled, so a page need not always
show the widget.
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
LONGER = 30  # characters at most after the text
WIDER = 60  # a number is at most so far from its least
START = "timing_start_button"
# By the path of a page, keys of widgets; one that stands twice is used twice as often.
ACTIONS = {
    "": "text text text text text text dim dim seed seed panel rows dtype",
    "bag_of_words": "x x x docs docs docs row row row counts counts bag_seed outputs",
    "training": "text text text text text text dim dim seed seed lesson lesson lesson optimizer "
    "optimizer rate target steps_play steps_play steps_play steps_play steps_play "
    "steps_play learn_steps_play learn_steps_play",
    "limits": "find open_max-norm open_max-norm open_out-of-range open_out-of-range back_to_cards "
    "back_to_cards",
    "context": "chapter chapter text text text places places places attention attention mask "
    "mask mask seed place place edit edit edit",
    "timing": "vary vary mode mode skew time_dim time_dim time_tokens time_tokens",
    "labs": "lab_start_row lab_next step_shown",
}


def next_value(name: str, widget: Widget, chance: Random) -> Any:
    """Some value of a widget, by its kind."""
    kind, proto = widget.kind, widget.proto
    if kind in ("button", "checkbox"):
        return kind == "button" or chance.random() < 0.5
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
        page = self.chance.choice(pages)
        await self.timed(self.tab.open(page), "open", page)
        while await self._think(until):
            if len(pages) > 1 and self.chance.random() < SWITCH:
                page = self.chance.choice([one for one in pages if one != page])
                await self.timed(self.tab.turn(page), "run", page)
                continue
            shown = {
                name: widget
                for name, widget in self.tab.widgets.items()
                if not getattr(widget.proto, "disabled", False)
            }
            if names := [one for one in ACTIONS[page].split() if one in shown]:
                name = self.chance.choice(names)
                value = next_value(name, shown[name], self.chance)
                await self.timed(self.tab.ask({name: value}), "run", page)

    async def sweep(self, until: float) -> None:
        """Press Start on the timing page again and again, until the end."""
        await self.timed(self.tab.open("timing"), "open", "timing")
        while await self._think(until):
            begun = time.perf_counter()
            await self.timed(self.tab.ask({START: True}), "run", "timing")
            while START not in self.tab.widgets:  # it is Stop meanwhile
                if time.monotonic() > until:
                    return
                await asyncio.sleep(0.1)
            self.log.seconds["sweep"].append(time.perf_counter() - begun)

    async def _think(self, until: float) -> bool:
        """Pause; return whether there is time for another action."""
        pause = self.chance.expovariate(1 / THINK_S)
        await asyncio.sleep(min(until - time.monotonic(), pause))
        return time.monotonic() < until
