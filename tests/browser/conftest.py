"""A real server and a real browser for the tests in this folder.

A page fails its test at the end if it logged an error, raised an exception or requested anything
from another host than the server. A server fails the run if it printed more than its address.
"""

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import unquote, urlencode, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Locator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as TimedOut

from embviz.settings.given import defaults
from embviz.settings.pages import PAGES
from tests.browser.chromium import FLAGS, require
from tests.load.server import Server, start

T = TypeVar("T")
USUAL = "/?" + urlencode({"text": "WTF does nn.Embedding do?"})  # "/" is the small example
SCREEN: ViewportSize = {"width": 1440, "height": 900}
# No script runs, the frame's styles are there, the stage has drawn if the page has a place for it
# (after a run the place exists for a while before the component does), and the rerun for what was
# typed has come.
EXAMPLES = sorted({page.example for page in PAGES.values()})
SETTLED = """() => {
  const hosts = [...document.querySelectorAll("*")].filter((one) => one.shadowRoot);
  const stage = hosts.map((one) => one.shadowRoot.querySelector(".stage")).find(Boolean);
  const styles = [...document.querySelectorAll("style")];
  const field = document.activeElement?.matches("[class*=st-key-] input") && document.activeElement;
  const name = ["text", "ids"].find((one) => field && field.closest(`.st-key-${one}`));
  const linked = [new URLSearchParams(location.search).get(name) ?? UNTYPED].flat();
  return styles.some((style) => style.textContent.includes("st-key-pages"))
    && document.querySelector(".stApp")?.dataset.testScriptState === "notRunning"
    && !!stage === !!document.querySelector(".st-key-stage")
    && (!stage || stage.querySelector(".ways .cell, .refusal:not([hidden])"))
    && !stage?.matches(".waiting")
    && (!name || linked.includes(field.value));
}""".replace("UNTYPED", json.dumps([defaults()["text"], defaults()["ids"], *EXAMPLES]))
# Functions, not texts: the page forbids to evaluate a text.
IDLE = "() => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'"
MOVE = """(address) => {
  history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""
# Streamlit places a popover once, and anew when the window's size changes. On a busy machine what
# is drawn above its button comes later, and leaves it partly below the window.
PLACED = """() => {
  dispatchEvent(new Event("resize"));
  const box = document.querySelector("[data-testid=stPopoverBody]")?.getBoundingClientRect();
  return !!box && box.top >= 0 && box.bottom <= innerHeight;
}"""
SOON_S = 60.0  # limit for what comes at once on a quiet machine and later on a busy one
CLASS_WORD = "correct horse battery"  # with which a class is started on the shared server
QUIET_S = 0.1  # a page is at rest when it sent and received nothing for this time
expect.set_options(timeout=SOON_S * 1000)
# On a deep link Streamlit first requests its host below the page, and gets a 404. Chromium logs a
# class that was deleted or whose server was restarted.
EXPECTED = re.compile(r"/_stcore/|/class/[^/]+/version$")
REFUSED = re.compile(r"status of (413|422|429)\b")  # by the route `live`; 429 where it is busy


@contextlib.contextmanager
def serving(folder: Path, **environment: str) -> Iterator[Server]:
    """A server of the app, with its files in `folder`, until the end of the block."""
    temporary = folder / "temporary"  # its sweeps do not wait for those of another server
    temporary.mkdir()
    with start(folder=folder, TMPDIR=str(temporary), **environment) as started:
        yield started
        assert "\n".join(started.printed()) == "", "the console must stay silent"


class Course(BaseHTTPRequestHandler):
    """Every page of a course: a frame with the address that is its query."""

    def do_GET(self) -> None:
        """One page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        address = unquote(urlsplit(self.path).query)
        self.wfile.write(f"<iframe src='{address}' width=1200 height=800></iframe>".encode())

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture(scope="session")
def course() -> Iterator[str]:
    """A server of a course, as `course.localhost`; its pages may show the other server's."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Course) as serves:
        Thread(target=serves.serve_forever, daemon=True).start()
        yield f"http://course.localhost:{serves.server_port}"
        serves.shutdown()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, course: str) -> Iterator[Server]:
    """One server for all tests that need no fresh one."""
    folder, given = tmp_path_factory.mktemp("server"), {"EMBVIZ_CLASS_WORD": CLASS_WORD}
    with serving(folder, EMBVIZ_FRAMES=course, **given) as started:
        yield started


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start another server, with an environment; it is stopped after the test."""
    with contextlib.ExitStack() as stack:
        yield lambda **given: stack.enter_context(serving(tmp_path, **given))


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a worker process; without one they are skipped.

    It ends with these tests: while Playwright runs, tests of other folders cannot use asyncio.
    """
    path = require()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The context of all pages.

    They share only the cache of scripts: loading Streamlit's scripts again takes longer than most
    tests.
    """
    opened = browser.new_context()
    opened.set_default_timeout(SOON_S * 1000)
    yield opened
    TABS.clear()
    GOING.clear()


@dataclass
class Visit:
    """One browser page on one server, with its websocket frames and its problems.

    A request of the route `live` counts as a frame sent, and its end as one received. Where a test
    makes that route fail, it sets `route_fails`.
    """

    page: Page
    base: str
    problems: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    listeners: dict[str, Callable[[Any], object]] = field(default_factory=dict)
    route_fails: bool = False

    def open(self, path: str = USUAL) -> "Visit":
        """Go to a path and wait until the page has settled."""
        self.page.goto(self.base + path)
        self.page.locator("h1, [data-testid=stAlert]").first.wait_for()  # every page has one
        return self.settle()

    def move(self, path: str) -> "Visit":
        """Go to a path as Back and Forward do, and wait until the page has settled.

        The session goes on. It takes a third of the time of `open`, which the first path needs.
        """
        if not self.page.url.startswith(self.base):
            return self.open(path)
        self.page.evaluate(MOVE, self.base + path)
        return self.settle()

    def reload(self) -> "Visit":
        """Load the page again, as a new session."""
        return self.open(self.page.url.removeprefix(self.base))

    def settle(self) -> "Visit":
        """Wait until no script runs and nothing was sent or received for a moment."""
        self.page.wait_for_function(SETTLED, polling=25)
        seen, since = -1, time.monotonic()
        end = since + SOON_S
        # A busy machine answers late, so a frame that was sent must be answered too.
        while time.monotonic() - since < QUIET_S or self._unanswered(since):
            # A page that is redrawn more often than each QUIET_S would never rest.
            assert time.monotonic() < end, "the page is not at rest"
            if len(self.frames) != seen:
                seen, since = len(self.frames), time.monotonic()
            self.page.wait_for_timeout(25)
        self.page.wait_for_function(SETTLED, polling=25)
        return self

    def rest(self) -> None:
        """Wait until no script runs, and forget what a test has stored and routed."""
        with contextlib.suppress(TimedOut):  # for example a page that measures never rests
            since = time.monotonic()
            while self._unanswered(since):
                self.page.wait_for_timeout(20)
            self.page.wait_for_function(IDLE, timeout=5_000)
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")

    def forget(self) -> None:
        """Forget the entries of the tab's history."""
        history = self.page.context.new_cdp_session(self.page)
        history.send("Page.resetNavigationHistory")
        history.detach()

    def leave(self) -> None:
        """Leave the page at rest: leaving it in a run makes Streamlit print a traceback."""
        self.rest()
        self.page.goto("about:blank")
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)  # type: ignore[arg-type]

    def _unanswered(self, since: float) -> bool:
        """Whether the browser sent the last frame; False after 5 s, as some need no answer."""
        return self.frames[-1:] == ["sent"] and time.monotonic() - since < 5

    def until(self, read: Callable[[], T], wanted: T) -> None:
        """Assert that `read()` gives `wanted`, now or soon."""
        end = time.monotonic() + SOON_S
        while (found := read()) != wanted and time.monotonic() < end:
            self.page.wait_for_timeout(25)
        assert found == wanted

    def text(self) -> Locator:
        """The field of text or ids."""
        return self.page.locator(":is(.st-key-text, .st-key-ids) input:visible")

    def type(self, text: str) -> None:
        """Replace the text, key by key."""
        self.text().fill("")
        self.text().press_sequentially(text, delay=5)
        self.settle()

    def ask(self, text: str) -> None:
        """Ask in the row of page links, and wait until the answer is drawn."""
        field = self.page.locator("form.ask input[type=search]")
        field.fill(text)
        field.press("Enter")
        self.settle()

    def pop(self, name: str) -> None:
        """Press the button of a popover, and wait until the whole popover is in the window."""
        button = self.page.get_by_role("button", name=name, exact=True)
        expect(button).to_have_count(1)  # a rerun may show the one of before for an instant
        button.click()
        self.until(lambda: self.page.evaluate(PLACED), True)

    def go(self, page: str) -> None:
        """Follow a link of the row of pages."""
        self.page.locator(".st-key-pages").get_by_text(page, exact=True).click()
        self.settle()

    def number(self, name: str, value: str) -> None:
        """Type a number into a field of the sidebar."""
        field = self.page.get_by_role("spinbutton", name=name)
        field.fill(value)
        field.press("Enter")
        self.settle()

    def chips(self) -> list[tuple[str, str]]:
        """Glyph and id of each token in the token strip."""
        ends = "all => all.map((one) => [one.firstChild.textContent, one.lastChild.textContent])"
        return [(glyph, id) for glyph, id in self.page.locator(".chip").evaluate_all(ends)]

    def glyphs(self) -> list[str]:
        """The glyphs of the token strip, without the ids."""
        return [glyph for glyph, _ in self.chips()]

    def sees(self, part: str, *words: str | re.Pattern[str]) -> None:
        """Assert that the first such part of the page contains each text, now or soon."""
        for one in words:
            expect(self.page.locator(part).first).to_contain_text(one)

    def picked(self, row: int, *index: int) -> None:
        """Assert that the selected token has this id and index, now or soon."""
        name = re.compile(rf"\bid {row:,}, index \[{', '.join(map(str, index))}\]$")
        expect(self.page.locator(".chip.selected")).to_have_attribute("aria-label", name)

    def search(self) -> str:
        """The query string as the address bar has it."""
        return str(self.page.evaluate("location.search"))

    def linked(self, *wanted: str) -> None:
        """Assert that the address has exactly these parameters, in any order, now or soon."""
        # A space is `+` or `%20`, depending on the writer.
        pairs = lambda: {*self.search()[1:].replace("%20", "+").split("&")} - {""}  # noqa: E731
        self.until(pairs, {*wanted})


Visits = Callable[..., Visit]
TABS: list[Page] = []  # left by earlier tests: a new one starts a process and compiles all scripts
GOING: list[Visit] = []  # the page of `moves`, which the test before has left on the shared server


def dress(one: Visit, viewport: ViewportSize, media: dict[str, Any]) -> None:
    """Give a page its size and media; those of an earlier test are gone.

    It is brought to the front: Chromium draws a tab behind another one once a second.
    """
    one.page.bring_to_front()
    one.page.set_viewport_size(viewport)
    usual = {"color_scheme": "light", "reduced_motion": "null", "forced_colors": "null"}
    one.page.emulate_media(**{**usual, **media})
    one.page.mouse.move(0, 0)


@pytest.fixture
def visit(context: BrowserContext, server: Server) -> Iterator[Visits]:
    """Open pages on the shared server, or on `base`; each must have no problems at the end."""
    made: list[Visit] = []

    def new(
        path: str | None = USUAL,
        base: str = server.address,
        viewport: ViewportSize = SCREEN,
        **media: Any,
    ) -> Visit:
        one = Visit(TABS.pop() if TABS else context.new_page(), base)
        made.append(one)
        dress(one, viewport, media)
        watch(one)
        return one if path is None else one.open(path)

    yield new
    for one in made:
        try:
            one.leave()
        except Error:  # for example the page never opened
            one.page.close()
        else:
            one.forget()
            TABS.append(one.page)
    for one in made:
        assert one.problems == []


@pytest.fixture
def moves(context: BrowserContext, server: Server) -> Iterator[Visits]:
    """As `visit`, for one page of the shared server, but the session of the test before goes on.

    This takes a third of the time. It is for tests that need no new session, and that leave nothing
    in theirs: no open fold, no upload, no answer of a lab, no text that is too long for an address.
    """
    if GOING:
        one = GOING.pop()
    else:
        one = Visit(TABS.pop() if TABS else context.new_page(), server.address)
        watch(one)

    def new(path: str | None = USUAL, viewport: ViewportSize = SCREEN, **media: Any) -> Visit:
        one.page.mouse.move(0, 0)  # where the test before left it, a tooltip may open
        dress(one, viewport, media)
        return one if path is None else one.move(path)

    yield new
    try:
        one.rest()
        one.forget()
        if one.page.get_by_test_id("stExpandSidebarButton").count():
            one.leave()  # a narrow window has folded the sidebar, which stays so
            TABS.append(one.page)
        else:
            one.move("/limits")  # what the test has left in a picture goes with the picture
            GOING.append(one)
    except Error:
        one.page.close()
    found = one.problems.copy()
    one.problems.clear()
    assert found == []


def watch(one: Visit) -> None:
    """Record websocket frames, and everything that must not happen."""

    def console(message: Any) -> None:
        url = message.location.get("url", "")
        is_expected = EXPECTED.search(url)
        if url.endswith("/live"):
            is_expected = one.route_fails or REFUSED.search(message.text)
        if message.type in ("error", "warning") and not is_expected:
            one.problems.append(f"console {message.type}: {message.text}")

    def asked(request: Any) -> None:
        if not request.url.startswith((one.base, "data:", "blob:")):
            one.problems.append(f"external request: {request.url}")
        if request.url.endswith("/live"):
            one.frames.append("sent")

    def answered(request: Any) -> None:
        if request.url.endswith("/live"):
            one.frames.append("received")

    one.listeners = {
        "console": console,
        "pageerror": lambda error: one.problems.append(f"exception: {error}"),
        "request": asked,
        "requestfinished": answered,
        "requestfailed": answered,
        "websocket": lambda socket: (
            socket.on("framesent", lambda _: one.frames.append("sent")),
            socket.on("framereceived", lambda _: one.frames.append("received")),
        ),
    }
    for event, listener in one.listeners.items():
        one.page.on(event, listener)  # type: ignore[call-overload]
