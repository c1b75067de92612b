"""Every first screen: few words, no violation in what embviz draws, no overlap; on a phone too."""

from collections.abc import Callable

import pytest

from tests.browser.conftest import Visit
from tests.browser.test_looks import AXE, check_fits, turn
from tests.load.server import ROOT

# Words of the whole page before the first screens were made short.
BEFORE = {"": 243, "bag_of_words": 400, "training": 260, "limits": 878, "timing": 453}
COUNT = (ROOT / "tests" / "browser" / "words.js").read_text(encoding="utf-8")

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
  const widgets = [...sidebar.querySelectorAll(".stElementContainer, summary")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 5);
  return main.length + widgets.length;
}"""
MOST_CONTROLS = 20

# Streamlit's own violations: rule, the part of the page it is in, and why it is not ours.
STREAMLITS = [
    ("page-has-heading-one", "html", "its pages have no title; the claim is a small heading"),
    ("presentation-role-conflict", "[data-testid=stFileUploader]", "its area for a dropped file"),
]
# In the second theme only colours differ.
COLOURS = ["color-contrast", "link-in-text-block"]
RUN = """async ([known, rules]) => {
  const inside = (target, selector) => {
    let root = document, found = null;
    for (const step of [target].flat(2)) {
      found = root.querySelector(step);
      if (found?.closest(selector)) return true;
      root = found?.shadowRoot ?? root;
    }
    return false;
  };
  const { violations } = await axe.run(document, {
    resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) });
  return violations.flatMap(({ id, nodes }) => nodes
    .filter(({ target }) => !known.some(([rule, part]) => rule === id && inside(target, part)))
    .map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}"""


@pytest.mark.parametrize("path", [*BEFORE, "context", "labs"])
def test_a_first_screen_is_short_and_has_no_violation_of_ours(
    path: str, visit: Callable[..., Visit]
) -> None:
    """A page opens with at most half of the words that it once had, and few controls.

    Axe finds nothing, in either theme, but what is listed as Streamlit's. Nothing overlaps or
    scrolls sideways, on a wide screen and on a phone.
    """
    one = visit(f"/{path}")
    if path in BEFORE:
        whole, first = one.page.evaluate(COUNT)
        assert 20 < first <= whole <= BEFORE[path] / 2
    assert 5 < one.page.evaluate(CONTROLS) <= MOST_CONTROLS
    check_fits(one)
    find_nothing(one)
    turn(one, (390, 844), "dark")
    check_fits(one)
    find_nothing(one, COLOURS)


def find_nothing(one: Visit, rules: list[str] | None = None) -> None:
    """Assert that axe finds nothing of ours, with all rules or with these."""
    one.page.evaluate(f"{AXE}; true")
    known = [[rule, part] for rule, part, _ in STREAMLITS]
    one.until(lambda: one.page.evaluate(RUN, [known, rules]), [])
