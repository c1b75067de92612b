"""Pages in Chromium: keys are typed into them, and `probe.js` measures.

A visit keeps the requests that the page sends to the route `live`. The page counts messages and
bytes of the websocket, without the frames' headers.
"""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Request

from keys.pages import Kind
from tests.load.server import Server

VIEWPORT: Any = {"width": 1440, "height": 900}
PROBE = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8")
ROUTE = "/live"  # the end of the route's path

PACE_MS = 150  # from key to key, as a quick typist; longer if painting takes longer
BURST_PACE_MS = 30
KEY_LIMIT_MS = 10_000  # a key that is not painted by then ends the benchmark
PAGE_LIMIT_MS = 60_000  # for a page to appear
QUIET_MS = 400  # of rest; longer than the pause before a rerun
SETTLE_MS = 500  # of rest before the first key and before frames are counted


@dataclass(frozen=True)
class Cost:
    """The cost of some settled keys together.

    Attributes:
        keys: how many.
        settled_ms: from each key until the page has settled.
        cpu_s: processor time of the server.
        traffic: messages and bytes of the websocket.
        requests: what the page asked the route.
    """

    keys: int
    settled_ms: list[float]
    cpu_s: float
    traffic: dict[str, int]
    requests: list[Request]


@dataclass
class Visit:
    """One page, and what was measured in it.

    Attributes:
        value: the field's value.
        requests: finished requests of the route.
        key_ms: from each counted key to its paint.
        slow_ms: the same, at a pace at which each key meets the rerun of the one before.
        burst_ms: from the last key of each burst to its paint.
        cost: of keys with a rest after each.
    """

    page: Page
    kind: Kind
    server: Server
    value: str = ""
    requests: list[Request] = field(default_factory=list)
    key_ms: list[float] = field(default_factory=list)
    slow_ms: list[float] = field(default_factory=list)
    burst_ms: list[float] = field(default_factory=list)
    cost: Cost | None = None

    def press(self, key: str, pace_ms: float = PACE_MS) -> float:
        """Press a key at the end of the field: milliseconds to its paint."""
        due = time.monotonic() + pace_ms / 1000
        self.value = self.kind.after(self.value, key)
        self._expect(rest=not self.kind.painted)
        self.page.keyboard.press(key)
        if self.kind.painted:
            taken = float(self.page.evaluate("bench.painted"))
        else:
            taken = float(self.page.evaluate("bench.settled.then((one) => one.drawn)"))
        self.page.wait_for_timeout(max(0.0, due - time.monotonic()) * 1000)
        return taken

    def block(self, keys: tuple[str, ...], pace_ms: float = PACE_MS) -> list[float]:
        """Press the keys one after another, then rest."""
        self.page.bring_to_front()
        taken = [self.press(key, pace_ms) for key in keys]
        if self.kind.painted:
            self.page.wait_for_timeout(QUIET_MS)  # so that no rerun falls into another page's keys
            self.page.wait_for_function("bench.idle()")
        return taken

    def settle(self, keys: tuple[str, ...]) -> None:
        """Press keys with a rest after each, and keep what they cost."""
        self.page.bring_to_front()
        cpu, asked, traffic = self.server.cpu_s(), len(self.requests), self.traffic()
        taken = []
        for key in keys:
            self.value = self.kind.after(self.value, key)
            self._expect(rest=True)
            self.page.keyboard.press(key)
            taken.append(float(self.page.evaluate("bench.settled.then((one) => one.settled)")))
        spent = {name: count - traffic[name] for name, count in self.traffic().items()}
        cpu = self.server.cpu_s() - cpu
        self.cost = Cost(len(keys), taken, cpu, spent, self.requests[asked:])

    def burst(self, letters: str) -> None:
        """Type fast, keep the time from the last key to its paint, and restore the text.

        Raises:
            RuntimeError: the field or the address has lost a key.
        """
        self.page.bring_to_front()
        before = self.value
        self.value += letters
        self._expect(rest=True)
        begun = time.monotonic()
        for place, letter in enumerate(letters):
            due = begun + place * BURST_PACE_MS / 1000
            self.page.wait_for_timeout(max(0.0, due - time.monotonic()) * 1000)
            self.page.keyboard.press(letter)
        self.burst_ms.append(float(self.page.evaluate("bench.painted")))
        self.page.evaluate("bench.settled")
        if (found := self.page.locator(self.kind.field).input_value()) != self.value:
            raise RuntimeError(f"keys were lost: {found!r} instead of {self.value!r}")
        select = "(field, from) => field.setSelectionRange(from, field.value.length)"
        self.page.locator(self.kind.field).evaluate(select, len(before))
        self.value = before
        self._expect(rest=True)
        self.page.keyboard.press("Backspace")
        self.page.evaluate("bench.settled")

    def frames(self, milliseconds: int) -> dict[str, float]:
        """Play, point and press tokens: frames per second, longest frame, messages meanwhile."""
        self.page.bring_to_front()
        found = {}
        for what in ("playing", "pointing", "scrubbing"):
            self.page.wait_for_timeout(SETTLE_MS)
            before, asked = self.traffic(), len(self.requests)
            times = self.page.evaluate("(given) => bench.frames(...given)", [what, milliseconds])
            after = self.traffic()  # at once: a pressed token goes into the address after a pause
            gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
            messages = sum(after[name] - before[name] for name in ("received", "sent"))
            found |= {
                f"{what}_frames_per_second": 1000 * len(gaps) / sum(gaps),
                f"{what}_longest_frame_ms": max(gaps),
                f"{what}_messages": messages + len(self.requests) - asked,
            }
        return found

    def traffic(self) -> dict[str, int]:
        """Messages and bytes that the websocket has sent and received so far."""
        counts: dict[str, int] = self.page.evaluate("({ ...bench.traffic })")
        return counts

    def _expect(self, rest: bool) -> None:
        expected = asdict(self.kind.expected(self.value))
        if self.kind.painted:
            self.page.evaluate("(given) => bench.expect(...given)", [expected, KEY_LIMIT_MS])
        if rest:
            given = [expected, QUIET_MS, KEY_LIMIT_MS]
            self.page.evaluate("(given) => bench.rest(...given)", given)


def new_context(browser: Browser) -> BrowserContext:
    """A context without a cache."""
    context = browser.new_context(viewport=VIEWPORT)
    context.set_default_timeout(PAGE_LIMIT_MS)
    return context


def hide_route(context: BrowserContext) -> None:
    """The route is missing for all pages that are opened from now on."""
    context.route(f"**{ROUTE}", lambda route: route.fulfill(status=404, body="Not found"))


def visit(context: BrowserContext, server: Server, kind: Kind) -> Visit:
    """Open a page, at rest, with the caret at the end of its field."""
    opened = _open(context, server, kind)
    page = opened.page
    # Streamlit fills the field after it has drawn it.
    page.wait_for_function("(field) => document.querySelector(field)?.value", arg=kind.field)
    page.wait_for_timeout(SETTLE_MS)
    page.wait_for_function("bench.idle()")
    box = page.locator(kind.field)
    opened.value = box.input_value()
    box.press("End")
    return opened


def first_paint(context: BrowserContext, server: Server, kind: Kind) -> float:
    """Seconds from the process's start to the first painted text or token strip."""
    opened = _open(context, server, kind)
    opened.page.wait_for_function("bench.paintedAt")
    painted_at = float(opened.page.evaluate("bench.paintedAt")) / 1000
    opened.page.close()
    return painted_at - server.started_at


def _open(context: BrowserContext, server: Server, kind: Kind) -> Visit:
    page = context.new_page()
    opened = Visit(page, kind, server)

    def keep(request: Request) -> None:
        if request.url.partition("?")[0].endswith(ROUTE):
            opened.requests.append(request)

    page.on("requestfinished", keep)
    page.add_init_script(f"window.benchKind = {json.dumps(kind.name)};\n{PROBE}")
    page.goto(server.address + kind.path, wait_until="commit")
    return opened
