"""A student on the pages: opens one, pauses, changes something, and so on.

Without it nobody would know how the pages answer while others use them.

An action is skipped while its widget is not on screen or is disabled, so a page need not always
show the widget.
"""

import asyncio
import string
import time
from itertools import count

from tests.load.figures import Visitor
from tests.load.server import TEXT

THINK_S = 2.0  # on average, between two actions
SWITCH = 0.08  # the share of actions that goes to another page
LONGER = 30  # characters at most after the text
WIDER = 60  # a number is at most so far from its least
START = "timing_start_button"
# By the path of a page, keys of widgets; one that stands twice is used twice as often.
ACTIONS = {
    "": "text, text, text, text, text, text, dim, dim, seed, seed, panel, rows, dtype",
    "bag_of_words": "bag, docs, docs, docs, row, row, row, row, row, row, counts, counts, "
    "bag_seed, outputs",
    "training": "text, text, text, text, text, text, dim, dim, seed, seed, lesson, lesson, lesson, "
    "fold And after 100 steps?, fold And after 100 steps?, fold And after 100 steps?, optimizer, "
    "optimizer, rate, target, steps_play, steps_play, steps_play, steps_play, steps_play, "
    "steps_play, learn_steps_play, learn_steps_play",
    "limits": "find, open_max-norm, open_max-norm, open_out-of-range, open_out-of-range, "
    "back_to_cards, back_to_cards",
    "context": "chapter, chapter, text, text, text, places, places, places, attention, attention, "
    "mask, mask, mask, seed, fold How is a vector computed?, edit, edit, edit",
    "timing": "ask Can matmul win?, ask Can matmul win?, ask Backward, ask What does it cost?, "
    "own_settings, vary, mode, time_dim, time_tokens",
    "labs": "lab_start_row, lab_next, step_shown",
}


class Student(Visitor):
    """One student, who begins on one of the pages, and goes to others now and then."""

    async def attend(self, pages, until):
        """Open a page, and act until the end, on `time.monotonic`."""
        page = self.chance.choice(pages)
        own = self.chance.random()
        await self.timed(self.open(page), "open", page)
        for number in count():
            # Each turn has its own seed: what a page offers changes no later turn, so two versions
            # of the app have the same students.
            self.chance.seed(f"{own} {number}")
            if not await self._think(until):
                return
            others = [one for one in pages if one != page]
            if others and self.chance.random() < SWITCH:
                page = self.chance.choice(others)
                await self.timed(self.turn(page), "run", page)
                continue
            names = ACTIONS[page].split(", ")
            self.chance.shuffle(names)
            if offered := [*filter(self._offered, names)]:
                name = offered[0]
                await self.timed(self.ask({name: self._value(name)}), "run", page)

    async def sweep(self, until):
        """Press Start on the timing page again and again, until the end."""
        await self.timed(self.open("timing"), "open", "timing")
        while await self._think(until):
            begun = time.perf_counter()
            await self.timed(self.ask({START: True}), "run", "timing")
            while START not in self.widgets:  # it is Stop meanwhile
                if time.monotonic() > until:
                    return
                await asyncio.sleep(0.1)
            self.log.seconds["sweep"].append(time.perf_counter() - begun)

    async def _think(self, until):
        """Pause; return whether there is time for another action."""
        pause = self.chance.expovariate(1 / THINK_S)
        await asyncio.sleep(min(until - time.monotonic(), pause))
        return time.monotonic() < until

    def _offered(self, name):
        """Whether a widget is on screen, and can be used."""
        widget = self.widgets.get(name)
        return widget and not getattr(widget.proto, "disabled", False)

    def _value(self, name):
        """Some value of a widget, by its kind."""
        chance, (kind, proto, *_) = self.chance, self.widgets[name]
        if kind in ("button", "expandable", "checkbox"):
            return kind != "checkbox" or chance.random() < 0.5
        if kind == "number_input":
            return chance.randint(int(proto.min), int(min(proto.max, proto.min + WIDER)))
        if offered := [getattr(one, "content", one) for one in getattr(proto, "options", [])]:
            found = chance.choice(offered)
            return [found] if kind == "button_group" else found
        if name == "target":  # a text of numbers
            return chance.choice("0123")
        return TEXT + "".join(chance.choices(string.ascii_letters, k=chance.randint(1, LONGER)))
