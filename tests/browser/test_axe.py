"""Every first screen: few words, no violation in what embviz draws, no overlap; on a phone too."""

from typing import Any

import pytest
from playwright.sync_api import expect

from embviz.settings.pages import PAGES
from tests.browser.conftest import Visit, Visits
from tests.browser.test_looks import COLOURS, CUT, check_fits, find_nothing, viewport
from tests.load.server import ROOT, Server

COUNT = (ROOT / "tests" / "browser" / "words.js").read_text(encoding="utf-8")
MOST_WORDS = 60

# What takes the focus in the main area, *Ask* too, without links to pages and tokens, and the
# widgets of the sidebar, each once.
CONTROLS = """() => {
  const seen = (one) => one.tabIndex >= 0 && one.getBoundingClientRect().width > 0
    && one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => [
    ...one.shadowRoot ? within(one.shadowRoot) : [],
    ...one.matches("a[href], button:enabled, input, select, textarea, [tabindex], summary")
      ? [one] : []]);
  const main = within(document.querySelector(".stMainBlockContainer"))
    .filter((one) => seen(one) && !one.closest(".st-key-pages a, .st-key-next_page, .strip"));
  const sidebar = document.querySelector("section.stSidebar");
  const kind = ".stElementContainer:not(:has([data-testid=stCaptionContainer])), summary";
  const widgets = [...sidebar?.querySelectorAll(kind) ?? []]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 5);
  return main.length + widgets.length;
}"""
# 24, and the tooltip of a headline, which explains its own words.
MOST_CONTROLS = 25
# Tokens, numbers and code that a browser would translate.
TRANSLATED = """() => {
  const kind = ".cell, .chip, .label, .factor, .counts button, .strip > *, .lab-picture td, code";
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => [
    ...one.shadowRoot ? within(one.shadowRoot) : [], ...one.matches(kind) ? [one] : []]);
  const found = within(document.querySelector(".stMainBlockContainer"));
  return found.filter((one) => !one.closest("[translate=no]")).map((one) => one.outerHTML);
}"""


def test_first_screens_are_short_and_have_no_violation_of_ours(
    visit: Visits, server: Server, subtests: pytest.Subtests
) -> None:
    """Each has its own title, few words and few controls. Nothing overlaps; axe finds nothing.

    Tokens, numbers and code stay as they are where a browser translates the page.
    """
    one = first(visit, server)
    for path, page in PAGES.items():
        with subtests.test(path):
            one.move(address(path))
            expect(one.page).to_have_title(f"{page.title} · embviz")
            one.until(lambda: one.page.evaluate(TRANSLATED), [])
            check_fits(one)
            find_nothing(one)
            # Last: a page that is half drawn has few words.
            assert 5 < one.page.evaluate(COUNT)[1] <= MOST_WORDS
            assert 5 < one.page.evaluate(CONTROLS) <= MOST_CONTROLS


def test_first_screens_on_a_phone_in_the_dark(
    visit: Visits, server: Server, subtests: pytest.Subtests
) -> None:
    """Nothing overlaps or scrolls sideways, and all colours can be read.

    On the smallest phone, or on a page enlarged four times, nothing is cut.
    """
    one = first(visit, server, viewport=viewport((390, 844)), color_scheme="dark")
    for path in PAGES:
        with subtests.test(path):
            one.move(address(path))
            check_fits(one)
            find_nothing(one, COLOURS)
            one.page.set_viewport_size(viewport((320, 640)))
            one.until(lambda: one.page.evaluate(CUT), [])
            one.page.set_viewport_size(viewport((390, 844)))


def first(visit: Visits, server: Server, **given: Any) -> Visit:
    """A new page; without the runs of other tests *Timing* shows no times of this machine."""
    for run in server.log.parent.glob("data/runs/*.jsonl"):
        run.unlink()
    return visit(None, **given)


def address(path: str) -> str:
    """Of a page by its name; the playground has the bare one."""
    return "/" if path == "playground" else f"/{path}"
