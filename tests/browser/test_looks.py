"""Looks at several widths in two themes: no overlap, no sideways scroll, nothing found by axe."""

from collections.abc import Callable
from pathlib import Path

import axe_core_python
import pytest
from playwright.sync_api import ViewportSize

from tests.browser.conftest import Visit

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
LINKS = {
    "wide": "/?dim=1024&text=h%C3%A9llo&unknown=unk",
    "notes and a refusal": "/?dim=inf&rows=-1&text=h%C3%A9llo",
}
# Streamlit's own faults: a spin button of number_input has no name, code has weak colours, and two
# data grids use the same ids. Plotly's own: its bar of buttons.
NOT_OURS = [
    "[data-testid=stSidebar]",
    "[data-testid=stHeader]",
    "[data-testid=stToolbar]",
    "[data-testid=stCode]",
    "[data-testid=stDataFrame]",
    ".js-plotly-plot",
]


@pytest.mark.parametrize("link", LINKS)
def test_no_sideways_scroll_and_no_overlap(visit: Callable[..., Visit], link: str) -> None:
    """The playground passes `check_looks` with wide rows and with messages."""
    one = visit(LINKS[link], viewport=viewport((1280, 720)))
    check_looks(one)
    turn(one, (390, 844), "dark")
    check_looks(one)


def viewport(size: tuple[int, int]) -> ViewportSize:
    """A size as Playwright takes it."""
    return {"width": size[0], "height": size[1]}


def turn(one: Visit, size: tuple[int, int], theme: str) -> None:
    """Give an open page another size and theme, and wait until it has both."""
    background = one.page.locator(".stApp")
    colour = "app => getComputedStyle(app).backgroundColor"
    dark = one.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    before = background.evaluate(colour)
    one.page.set_viewport_size(viewport(size))
    one.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    if dark != (theme == "dark"):
        one.until(lambda: background.evaluate(colour) != before, True)
    one.settle()


def check_fits(one: Visit) -> None:
    """Assert no sideways scroll and no overlap."""
    page = one.page
    one.until(lambda: page.evaluate(UNDRAWN), 0)  # a chart is drawn after the run
    one.until(lambda: page.evaluate(MOVING), 0)  # half-faded colours have too little contrast
    main = page.locator("[data-testid=stMain]")
    one.until(lambda: max(0, main.evaluate("m => m.scrollWidth - m.clientWidth")), 0)
    beyond = "Math.max(0, document.documentElement.scrollWidth - innerWidth)"
    one.until(lambda: page.evaluate(beyond), 0)
    one.until(lambda: page.evaluate(OVERLAPS), [])


def check_looks(one: Visit) -> None:
    """Assert no sideways scroll, no overlap, and no serious axe violation outside NOT_OURS."""
    check_fits(one)
    page = one.page
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{AXE}; true")
    violations = page.evaluate(
        f"axe.run({{exclude: {[[part] for part in NOT_OURS]}}}, {{resultTypes: ['violations']}})"
        ".then(found => found.violations)"
    )
    serious = [
        (violation["id"], [node["target"] for node in violation["nodes"]][:3])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
    ]
    assert serious == []


UNDRAWN = """[...document.querySelectorAll("[data-testid=stPlotlyChart]")]
  .filter((place) => !place.querySelector(".main-svg")).length"""

MOVING = "document.getAnimations().filter((one) => one instanceof CSSTransition).length"

# All pairs of boxes, of the stage and of the page around it, that cover each other.
OVERLAPS = """() => {
  const host = [...document.querySelectorAll("*")].find(
    (e) => e.shadowRoot?.querySelector(".stage"));
  const parts = [".top", ".bar", ".ways", ".said", ".whole", ".refusal", ".below"];
  const inside = host ? parts.map((part) => [part, host.shadowRoot.querySelector(part)]) : [];
  const elements = "[data-testid=stMain] [data-testid=stElementContainer]";
  const outside = [...document.querySelectorAll(elements)]
    .filter((e) => !host || !e.contains(host)).map((e, i) => [`element ${i}`, e]);
  const boxes = [...inside, ...outside].filter(([, e]) => e)
    .map(([name, e]) => [name, e.getBoundingClientRect(), e])
    .filter(([, box, e]) => box.width > 1 && box.height > 1 && e.checkVisibility());
  const found = [];
  for (const [i, [one, a, outer]] of boxes.entries()) {
    for (const [other, b, inner] of boxes.slice(i + 1)) {
      if (outer.contains(inner)) continue;
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 1) found.push(`${one} covers ${other} by ${across} x ${down}`);
    }
  }
  return found;
}"""


def test_reduced_motion_and_the_keyboard(visit: Callable[..., Visit]) -> None:
    """With reduced motion there are no transitions; Tab reaches every part of the stage."""
    one = visit()
    duration = "c => getComputedStyle(c).transitionDuration"
    one.page.emulate_media(reduced_motion="no-preference")
    one.until(lambda: one.page.locator(".cell").first.evaluate(duration) != "0s", True)
    one.page.emulate_media(reduced_motion="reduce")
    one.until(lambda: one.page.locator(".cell").first.evaluate(duration), "0s")
    one.page.locator(".st-key-text input").focus()
    reached = set()
    for _ in range(20):
        one.page.keyboard.press("Tab")
        reached.add(
            one.page.evaluate(
                """() => {
                let at = document.activeElement;
                while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
                return at?.name || at?.className?.split?.(" ")[0] || at?.tagName;
            }"""
            )
        )
    assert {"chip", "play", "step", "turn", "ways"} <= reached
