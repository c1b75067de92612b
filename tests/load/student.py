"""The actions of one student: opens a page, pauses, changes something, and so on.

`ACTIONS` lists the actions of each page, with weights. An action names a widget by its key. It is
skipped while its widget is not on screen or is disabled, so a page need not always show the widget.
"""

from __future__ import annotations

import asyncio
import re
import string
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from echo import TEXT
from figures import Log
from protocol import Screen, Value, Widget
from session import EndedError, NoAnswerError, Session

THINK_S = 2.0  # on average, between two actions
SWITCH = 0.08  # with mixed pages, the share of actions that goes to another page
FIRST = "playground"  # its path is the root
LONGEST_TEXT = 60  # typed characters; then the text begins again
START, STOP = "timing_start_button", "timing_stop_button"  # keys of the timing page's buttons
# The page's sentence about a sweep that ended well, in escaped Markdown.
DONE = re.compile(r"^[\d,]+ cases in [\d.\\]+ s")

# Gives a widget's next value from the one before; None stands for a button.
Next = Callable[[Widget, Value | None, Random], Value]


def keystroke(_widget: Widget, before: Value | None, random: Random) -> Value:
    """The text with one more character."""
    text = before if isinstance(before, str) and len(before) < LONGEST_TEXT else ""
    return text + random.choice(string.ascii_letters + " .,")


def line_of_counts(_widget: Widget, before: Value | None, random: Random) -> Value:
    """The text of the matrix, with one number changed."""
    numbers = re.split(r"(\s+)", str(before))
    numbers[random.randrange(0, len(numbers), 2)] = str(random.randrange(4))
    return "".join(numbers)


def between(low: int, high: int) -> Next:
    """A whole number from a range, within the widget's bounds."""

    def next_value(widget: Widget, _before: Value | None, random: Random) -> Value:
        proto = widget.proto
        least = int(proto.min) if proto.has_min else low
        most = int(proto.max) if proto.has_max else high
        return random.randint(max(low, least), max(min(high, most), max(low, least)))

    return next_value


def other(widget: Widget, before: Value | None, random: Random) -> Value:
    """Another option; for a toggle, the other state."""
    if widget.kind == "checkbox":
        return not before
    chosen = [before] if isinstance(before, str) else before or []
    found = random.choice([one for one in widget.options if one not in chosen] or widget.options)
    return [found] if widget.kind == "button_group" else found


@dataclass(frozen=True)
class Action:
    """One action.

    Attributes:
        name: the key of a widget.
        next: its next value; None for a button.
        weight: how often, beside the page's other actions.
    """

    name: str
    next: Next | None = other
    weight: int = 1

    def possible(self, screen: Screen) -> bool:
        """Whether the widget is on screen, enabled, and has a choice if it offers one."""
        widget = screen.widgets.get(self.name)
        if widget is None or getattr(widget.proto, "disabled", False):
            return False
        return self.next is not other or widget.kind == "checkbox" or bool(widget.options)


MODEL = [
    Action("text", keystroke, 6),
    Action("dim", between(2, 32), 2),
    Action("seed", between(0, 999), 2),
]
# Pages that do not exist are left out. A page without a line is opened only.
ACTIONS: dict[str, list[Action]] = {
    "playground": [*MODEL, Action("panel"), Action("rows", between(100, 300)), Action("dtype")],
    "bag_of_words": [
        Action("x", line_of_counts, 3),
        Action("docs", keystroke, 3),
        Action("row", between(0, 9), 3),
        Action("counts", other, 2),
        Action("bag_seed", between(0, 999)),
        Action("outputs", between(1, 8)),
    ],
    "training": [
        *MODEL,
        Action("lesson", other, 3),
        Action("optimizer", other, 2),
        Action("rate"),
        Action("train_play", None, 6),
        Action("learn_play", None, 2),
        Action("target", lambda _w, _b, random: str(random.randrange(9))),
    ],
    "limits": [
        Action("find", keystroke, 2),
        Action("open_max-norm", None, 4),
        Action("open_out-of-range", None, 4),
        Action("back_to_cards", None, 4),
    ],
    "context": [
        Action("chapter", other, 2),
        Action("text", keystroke, 3),
        Action("places", other, 3),
        Action("attention", other, 2),
        Action("mask", other, 3),
        Action("then"),
        Action("shuffle", between(0, 999), 2),
        Action("seed", between(0, 999)),
        Action("place", between(0, 9), 2),
        Action("edit", keystroke),
    ],
    "timing": [
        Action("vary", other, 2),
        Action("mode", other, 2),
        Action("skew"),
        Action("time_dim", between(1, 256), 2),
        Action("time_tokens", between(1, 512), 2),
    ],
    "labs": [Action("lab_start_row", None), Action("lab_next", None), Action("step_shown")],
}


@dataclass
class Student:
    """One student.

    Attributes:
        page: where the student begins, and mostly stays.
        others: pages the student goes to now and then.
        measures: whether this one goes to the timing page and presses Start again and again.
        until: when to stop, on `time.monotonic`.
    """

    session: Session
    random: Random
    log: Log
    page: str
    others: list[str]
    measures: bool
    until: float

    async def attend(self, after_s: float) -> None:
        """Connect after a delay, act until the end, and keep the tab open."""
        await asyncio.sleep(after_s)
        todo = self._open
        try:
            while True:
                try:
                    await todo()
                except EndedError:
                    raise
                except NoAnswerError as error:  # the tab is still open: try again
                    self.log.wrong[f"{self.page}: {error}"] += 1
                if not await self._think():
                    return
                todo = self._measure if self.measures else self._act
        except EndedError as error:
            self.log.wrong[f"{self.page}: {error}"] += 1

    async def _open(self) -> None:
        # On all pages, because the playground shows its small example without a text.
        self.session.screen.query = {"text": [TEXT]}
        self.log.opens.append(await self.session.open(self._place()))
        self._look("opening")

    async def leave(self) -> None:
        """Close the tab."""
        await self.session.close()
        self.log.received += self.session.received

    def _place(self) -> str:
        return "" if self.page == FIRST else self.page

    async def _think(self, mean_s: float = THINK_S) -> bool:
        """Pause; return whether there is time for another action."""
        pause = self.random.expovariate(1 / mean_s)
        await asyncio.sleep(min(pause, max(0.0, self.until - time.monotonic())))
        return time.monotonic() < self.until

    async def _act(self) -> None:
        screen = self.session.screen
        if self.others and self.random.random() < SWITCH:
            self.page = self.random.choice([one for one in self.others if one != self.page])
            self._rerun("page", await self.session.turn(self._place()))
            return
        possible = [one for one in ACTIONS.get(self.page, []) if one.possible(screen)]
        if not possible:
            return
        (action,) = self.random.choices(possible, [one.weight for one in possible])
        if action.next is None:
            seconds = await self.session.press(action.name)
        else:
            widget = screen.widgets[action.name]
            value = action.next(widget, screen.values.get(action.name), self.random)
            seconds = await self.session.change(action.name, value)
        self._rerun(action.name, seconds)

    async def _measure(self) -> None:
        """Press Start and wait until the sweep or the lesson has ended."""
        screen = self.session.screen
        if START not in screen.widgets and STOP not in screen.widgets:
            self.log.wrong["timing: neither Start nor Stop is there"] += 1
            return
        if START in screen.widgets:
            self._rerun("start", await self.session.press(START))
        while START not in screen.widgets and time.monotonic() < self.until:
            await asyncio.sleep(0.1)
            self._look("a sweep")
        self.log.sweeps_done += any(DONE.match(said) for said in screen.captions)

    def _rerun(self, action: str, seconds: float) -> None:
        self.log.rerun(self.page, action, seconds)
        self._look(action)

    def _look(self, action: str) -> None:
        """Record exceptions and errors that the page shows."""
        screen = self.session.screen
        self.log.complain([f"{self.page}, {action}: {one}" for one in screen.wrong])
        screen.wrong.clear()
