"""The stage asks the route `live` while a person types: order, refusals, fallback, what wins."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.browser.conftest import Visit, Visits


class Requests:
    """Receives the stage's requests: passes them on, or keeps them until the test answers.

    Attributes:
        texts: the texts asked for, in order.
        kept: requests without an answer.
        answer: what is done with a request.
    """

    def __init__(self, page: Page, keeps: bool = False) -> None:
        self.texts: list[str] = []
        self.kept: list[Route] = []
        self.answer: Callable[[Route], object] = self.kept.append if keeps else Route.continue_
        page.route("**/live", self._take)

    def _take(self, route: Route) -> None:
        settings = json.loads(route.request.post_data or "")["settings"]
        self.texts.append(settings["text"])
        self.answer(route)

    def release(self) -> None:
        """Pass on what is kept now: the next request may come meanwhile, and is kept."""
        kept = self.kept.copy()
        self.kept.clear()
        for route in kept:
            route.continue_()


class Reruns:
    """Keeps what a page sends over its websocket while `keeps` is true: no rerun begins then."""

    def __init__(self, page: Page) -> None:
        self.keeps = False
        self._kept: list[str | bytes] = []
        page.route_web_socket(re.compile("/_stcore/stream"), self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        self._server = socket.connect_to_server()
        socket.on_message(self._take)

    def _take(self, message: str | bytes) -> None:
        if self.keeps:
            self._kept.append(message)
        else:
            self._server.send(message)

    def release(self) -> None:
        """Send what is kept, and all that comes."""
        self.keeps = False
        for message in self._kept:
            self._server.send(message)


def press(one: Visit, keys: str) -> None:
    """Type these at the end of the text."""
    one.text().press("End")
    one.page.keyboard.type(keys)


def shows(one: Visit, text: str) -> None:
    """Assert that the tokens of the strip are this text, now or soon."""
    one.until(lambda: "".join(one.glyphs()), text)


# Notes each text that the strip shows, one after the other.
WATCH = """strip => {
  const read = () => [...strip.children].map((chip) => chip.firstChild.textContent).join("");
  window.shown = [read()];
  new MutationObserver(() => { if (read() !== shown.at(-1)) shown.push(read()); })
    .observe(strip, { childList: true, characterData: true, subtree: true });
}"""


def test_the_route_answers_keys_in_order_and_the_rerun_draws_nothing(
    visit: Visits,
) -> None:
    """One request at a time, the newest next; selection and focus stay; a burst loses no key."""
    one = visit(None)
    reruns = Reruns(one.page)
    one.open("/?text=abc&token=1")
    requests = Requests(one.page, keeps=True)
    one.page.locator(".strip").evaluate(WATCH)
    reruns.keeps = True  # a slow test would see it before the route's answers
    press(one, "defg")
    one.until(lambda: requests.texts, ["abcd"])
    requests.release()
    one.until(lambda: requests.texts, ["abcd", "abcdefg"])
    shows(one, "abcd")
    requests.release()
    shows(one, "abcdefg")
    one.picked(11, 0, 1)
    reruns.release()
    one.linked("text=abcdefg", "token=1")
    one.settle()
    assert one.page.evaluate("shown") == ["abc", "abcd", "abcdefg"]
    requests.answer = Route.continue_
    expect(one.text()).to_be_focused()
    one.page.keyboard.type("0123456789" * 4)
    shows(one, "abcdefg" + "0123456789" * 4)
    one.settle()
    shown = one.page.evaluate("shown")
    assert shown == sorted(shown, key=len)
    one.linked("text=abcdefg" + "0123456789" * 4, "token=1")
    one.settle().page.close()  # no other test may have its routed websocket


BUSY: dict[str, Any] = {"status": 429, "headers": {"Retry-After": "0.01"}}
WAITS: dict[str, Any] = {"status": 429, "headers": {"Retry-After": "9999"}}
# Of a proxy.
SIGNS_IN: dict[str, Any] = {"status": 200, "content_type": "text/html", "body": "<p>Sign in</p>"}


def test_a_route_that_fails_leaves_the_work_to_reruns(visit: Visits) -> None:
    """A failing route is not asked again at once; a busy one is, when it says so."""
    one = visit("/?text=c")
    one.route_fails = True
    requests = Requests(one.page)

    def asked(*texts: str) -> list[str]:
        """The texts asked for while a key is typed for each, and reruns draw them."""
        requests.texts = []
        for text in texts:
            press(one, text[-1])
            shows(one, text)
        expect(one.page.locator(".refusal")).to_be_hidden()
        return requests.texts

    requests.answer = partial(Route.fulfill, **BUSY)
    assert asked("ca", "cab") == ["ca", "cab"]
    requests.answer = partial(Route.fulfill, **WAITS)
    assert asked("cabd", "cabde") == ["cabd"]
    one.settle().open("/?text=c")  # a failed route is asked again after a page load
    requests.answer = partial(Route.fulfill, **SIGNS_IN)
    assert asked("ca", "cab") == ["ca"]


def test_what_python_places_replaces_what_is_typed(visit: Visits) -> None:
    """Back and a link win over keys whose rerun has not come."""
    one = visit("/?text=ab")
    page = one.page
    press(one, "cdefgh")
    shows(one, "abcdefgh")
    one.settle().linked("text=abcdefgh")
    press(one, "xyz")
    shows(one, "abcdefghxyz")
    page.go_back()  # before the rerun of these keys, or after it
    one.until(lambda: len(one.glyphs()) < len("abcdefghxyz"), True)
    one.settle()
    assert "".join(one.glyphs()) in ("ab", "abcdefgh")
    expect(one.text()).to_have_value("".join(one.glyphs()))
    page.get_by_text("Try this", exact=True).click()
    link = page.get_by_role("link", name="hello: both")
    link.wait_for()
    one.settle()
    requests = Requests(page, keeps=True)
    press(one, "x")
    link.click()  # before the key's rerun
    shows(one, "hello")
    requests.release()
    one.settle()
    shows(one, "hello")
