"""Every first screen: few words, no violation in what embviz draws, no overlap; on a phone too."""

import pytest
from playwright.sync_api import expect

from embviz.request.pages import PAGES
from tests.browser.conftest import Visits
from tests.browser.test_looks import COLOURS, check_fits, find_nothing, turn
from tests.load.server import ROOT, Server

COUNT = (ROOT / "tests" / "browser" / "words.js").read_text(encoding="utf-8")
MOST_WORDS = 60

# What takes the focus in the main area, without links to pages and tokens, and the widgets of the
# sidebar, each once.
CONTROLS = """() => {
  const seen = (one) => one.tabIndex >= 0 && one.getBoundingClientRect().width > 0
    && one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => [
    ...one.shadowRoot ? within(one.shadowRoot) : [],
    ...one.matches("a[href], button:enabled, input, select, textarea, [tabindex], summary")
      ? [one] : []]);
  const main = within(document.querySelector(".stMainBlockContainer"))
    .filter((one) => seen(one) && !one.closest(".st-key-pages, .st-key-next_page, .strip"));
  const sidebar = document.querySelector("section.stSidebar");
  const kind = ".stElementContainer:not(:has([data-testid=stCaptionContainer])), summary";
  const widgets = [...sidebar.querySelectorAll(kind)]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 5);
  return main.length + widgets.length;
}"""
MOST_CONTROLS = 24
# Tokens, numbers and code that a browser would translate.
TRANSLATED = """() => {
  const kind = ".cell, .chip, .label, .factor, .counts button, .strip > *, .lab-picture td, code";
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => [
    ...one.shadowRoot ? within(one.shadowRoot) : [], ...one.matches(kind) ? [one] : []]);
  const found = within(document.querySelector(".stMainBlockContainer"));
  return found.filter((one) => !one.closest("[translate=no]")).map((one) => one.outerHTML);
}"""


@pytest.mark.parametrize(
    "path", ["", "bag_of_words", "training", "context", "timing", "limits", "labs"]
)
def test_a_first_screen_is_short_and_has_no_violation_of_ours(
    path: str, visit: Visits, server: Server
) -> None:
    """It has its own title, few words and few controls. Axe finds nothing, in either theme.

    Tokens, numbers and code stay as they are where a browser translates the page.

    Nothing overlaps or scrolls sideways, on a wide screen and on a phone.
    """
    for run in server.log.parent.glob("data/runs/*.jsonl"):  # Else Timing shows what was measured.
        run.unlink()
    one = visit(f"/{path}")
    title = PAGES[path or "playground"].title
    expect(one.page).to_have_title(f"{title} · embviz")
    assert 5 < one.page.evaluate(COUNT)[1] <= MOST_WORDS
    one.until(lambda: 5 < one.page.evaluate(CONTROLS) <= MOST_CONTROLS, True)
    one.until(lambda: one.page.evaluate(TRANSLATED), [])
    check_fits(one)
    find_nothing(one)
    turn(one, (390, 844), "dark")
    check_fits(one)
    find_nothing(one, COLOURS)
