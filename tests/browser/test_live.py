"""The stage asks the route `live` while a person types: order, refusals, fallback, what wins."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit

ALERT = "[data-testid=stAlert]"
# Counts changes of what a screen reader announces.
COUNT_ANNOUNCEMENTS = """() => {
    const all = [...document.querySelectorAll("*")];
    const host = all.find((e) => e.shadowRoot?.querySelector(".stage"));
    window.announced = 0;
    new MutationObserver((changes) => { window.announced += changes.length; }).observe(
        host.shadowRoot.querySelector(".answer"),
        { childList: true, characterData: true, subtree: true });
}"""


class Requests:
    """Receives the stage's requests: passes them on, or keeps them until the test answers.

    Attributes:
        texts: the texts asked for, in order.
        kept: requests without an answer.
        keeps: whether requests are kept.
        answer: what is answered instead of the server, if anything; empty: the connection breaks.
    """

    def __init__(self, page: Page, keeps: bool = False) -> None:
        self.texts: list[str] = []
        self.kept: list[Route] = []
        self.keeps = keeps
        self.answer: dict[str, Any] | None = None
        page.route("**/live", self._take)

    def _take(self, route: Route) -> None:
        settings = json.loads(route.request.post_data or "")["settings"]
        self.texts.append(settings.get("text", settings.get("ids")))
        if self.keeps:
            self.kept.append(route)
        elif self.answer is None:
            route.continue_()
        elif self.answer:
            route.fulfill(**self.answer)
        else:
            route.abort()

    def release(self) -> None:
        """Pass on all that is kept."""
        while self.kept:
            self.kept.pop().continue_()


def press(one: Visit, keys: str) -> None:
    """Type these at the end of the text."""
    one.text().press("End")
    one.page.keyboard.type(keys)


def drawn(one: Visit) -> int:
    """How often the stage has drawn."""
    return int(one.page.locator("[data-draws]").get_attribute("data-draws") or 0)


def text_of(one: Visit) -> str:
    """The tokens of the strip as a text."""
    return "".join(one.glyphs())


def test_keys_are_answered_by_the_route_and_the_rerun_draws_nothing(
    visit: Callable[..., Visit],
) -> None:
    """One request at a time, the newest next; selection, focus and announcement stay."""
    one = visit("/?text=abc&token=1")
    requests = Requests(one.page, keeps=True)
    one.page.evaluate(COUNT_ANNOUNCEMENTS)
    press(one, "defg")
    one.until(lambda: requests.texts, ["abcd"])
    requests.release()
    one.until(lambda: requests.texts, ["abcd", "abcdefg"])
    requests.release()
    one.until(lambda: text_of(one), "abcdefg")
    one.settle()
    draws, announced = drawn(one), one.page.evaluate("announced")
    one.linked("text=abcdefg", "token=1")
    press(one, "h")
    one.until(lambda: len(requests.kept), 1)
    requests.release()
    one.until(lambda: text_of(one), "abcdefgh")
    one.settle()  # the rerun has come
    one.linked("text=abcdefgh", "token=1")
    assert drawn(one) == draws + 1
    assert one.page.evaluate("announced") > announced
    one.picked("ids[0, 1] = 11")
    expect(one.text()).to_be_focused()
    announced = one.page.evaluate("announced")
    one.page.locator(".st-key-panel").get_by_text("storage", exact=True).click()
    one.page.get_by_text("nn.Parameter").first.wait_for()
    one.settle()
    assert drawn(one) == draws + 1
    assert one.page.evaluate("announced") == announced


def test_an_answer_after_a_newer_rerun_is_not_drawn(visit: Callable[..., Visit]) -> None:
    """The rerun answers where the route is silent, and wins over late answers."""
    one = visit("/?text=abc")
    requests = Requests(one.page, keeps=True)
    press(one, "d")
    one.until(lambda: text_of(one), "abcd")
    one.settle()
    draws = drawn(one)
    requests.release()
    requests.keeps = False
    one.settle()
    assert (text_of(one), drawn(one)) == ("abcd", draws)
    press(one, "e")
    one.until(lambda: text_of(one), "abcde")
    assert requests.texts[-1] == "abcde"


def test_a_refusal_shows_at_once_and_the_pages_own_takes_its_place(
    visit: Callable[..., Visit],
) -> None:
    """The stage fades behind the route's sentence; the alert of the rerun stands where it stood."""
    one = visit("/?text=ab&unknown=error")
    page, refusal = one.page, one.page.locator(".refusal")
    one.text().press("End")
    page.keyboard.insert_text("é")
    expect(refusal).to_contain_text("'é' (U+00E9) at position 2")
    page.get_by_role("button", name="Show it as <unk>").wait_for()
    expect(refusal).to_be_hidden()
    one.sees(".answer", "Below, faint")
    assert text_of(one) == "ab"
    page.keyboard.press("Backspace")
    one.sees(".answer", "Both routes give the same bits")
    expect(page.locator(ALERT)).to_have_count(0)
    one.linked("text=ab", "unknown=error")


BUSY = {"status": 429, "headers": {"Retry-After": "0.01"}}
FAILURES: list[dict[str, Any]] = [
    {"status": 404},
    {"status": 200, "content_type": "text/html", "body": "<p>Sign in</p>"},  # of a proxy
    {},  # no connection
]


def test_a_route_that_fails_leaves_the_work_to_reruns(visit: Callable[..., Visit]) -> None:
    """A failing route is asked once in the life of a page; a busy one again later."""
    one = visit("/?text=c")
    requests = Requests(one.page)

    def asked(answer: dict[str, Any]) -> list[str]:
        """The texts asked for while two keys are typed and reruns draw them."""
        requests.answer, requests.texts, before = answer, [], text_of(one)
        for wanted in (before + "a", before + "ab"):
            press(one, wanted[-1])
            one.until(lambda: text_of(one), wanted)
        expect(one.page.locator(".refusal")).to_be_hidden()
        return requests.texts

    assert asked(BUSY) == ["ca", "cab"]
    for place, answer in enumerate(FAILURES):
        if place:  # a failed route is asked again after a page load
            one.settle().open("/?text=c")
        assert asked(answer) == [text_of(one)[:-1]], answer
    one.settle().open("/?text=c")
    requests.answer = None
    press(one, "d")
    one.until(lambda: text_of(one), "cd")
    requests.answer = {"status": 429, "headers": {"Retry-After": "60"}}
    one.page.keyboard.press("Backspace")  # the field commits nothing, so no rerun follows
    one.until(lambda: text_of(one), "c")


def test_own_weights_and_other_pages_ask_nothing(visit: Callable[..., Visit]) -> None:
    """Only Python knows uploaded or typed weights; another page has no stage."""
    one = visit("/?init=own&input=ids&ids=3")
    requests = Requests(one.page)
    one.text().fill("3 1")
    one.until(one.chips, [("3", "0"), ("1", "1")])
    one.go("Context")
    one.text().fill("2")
    one.settle()
    assert requests.texts == []


def test_what_python_places_wins_over_what_was_typed(visit: Callable[..., Visit]) -> None:
    """A fix, another page and Back bring their text, a reset keeps it, and no older answer."""
    one = visit("/?text=ab&unknown=error")
    page = one.page
    requests = Requests(page)
    one.text().fill("hé")
    page.locator(ALERT).wait_for()
    one.settle()
    one.go("Context")
    for walk, place in (
        (page.go_back, "**/?text=*"),
        (page.go_forward, "**/context?*"),
        (page.go_back, "**/?text=*"),
    ):
        walk()
        page.wait_for_url(place)
        one.settle()
    expect(page.locator(ALERT)).to_contain_text("'é' (U+00E9) at position 1")
    page.get_by_role("button", name="Show it as <unk>").click()
    one.until(one.chips, [("h", "17"), ("<unk>", "100")])
    requests.keeps = True
    press(one, "x")
    page.get_by_role("button", name="Reset settings").click()  # before the key's rerun
    one.until(one.glyphs, ["h", "<unk>", "x"])
    press(one, "x")
    one.open("/?text=link")  # while the answer is under way
    assert text_of(one) == "link"
    assert requests.texts[-1].endswith("xx")
    one.linked("text=link")
