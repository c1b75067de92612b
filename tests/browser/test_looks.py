"""Looks at three widths in two themes: no overlap, no sideways scroll, nothing found by axe."""

from collections.abc import Callable
from pathlib import Path

import axe_core_python
import pytest

from tests.browser.conftest import Visit

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
SIZES = [(1440, 900), (1280, 720), (390, 844)]
LINKS = {
    "default": "/",
    "few rows": "/?input=ids&ids=2 3 1&rows=4&dim=5&view=embedding",
    "wide": "/?dim=1024&text=h%C3%A9llo&unknown=unk&rows=101",
    "refused": "/?text=h%C3%A9llo",
    "notes": "/?dim=inf&rows=-1",
    "tables": "/?panel=tables",
    "weights": "/?panel=weights",
    "one-hot": "/?panel=one_hot&text=abc",
    "code": "/?panel=code",
    "storage": "/?panel=storage",
    "own weights": "/?init=own&input=ids&ids=3",
    "timing": "/timing",
}
PANELS = {"timing", "tables", "weights", "one-hot", "code", "storage", "own weights"}
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


# The stage is checked at every size in both themes, each other link at one or two of them.
CORNERS = [
    ((1280, 720), "light"),
    ((390, 844), "dark"),
    ((1440, 900), "dark"),
    ((390, 844), "light"),
    ((1280, 720), "dark"),
]
LOOKS = [("default", *size, theme) for size in SIZES for theme in ("light", "dark")] + [
    (link, *size, theme)
    for place, link in enumerate(name for name in LINKS if name != "default")
    for size, theme in (CORNERS * 3)[place : place + (1 if link in PANELS else 2)]
]


@pytest.mark.parametrize(("link", "width", "height", "theme"), LOOKS)
def test_no_sideways_scroll_and_no_overlap(
    visit: Callable[..., Visit], link: str, width: int, height: int, theme: str
) -> None:
    """Pages pass `check_looks` at all widths and in both themes."""
    check_looks(visit(LINKS[link], viewport={"width": width, "height": height}, color_scheme=theme))


def check_looks(one: Visit) -> None:
    """Assert no sideways scroll, no overlap, and no serious axe violation outside NOT_OURS."""
    page = one.page
    one.until(lambda: page.evaluate(UNDRAWN), 0)  # a chart is drawn after the run
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 0
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    overlaps = page.evaluate(OVERLAPS)
    assert overlaps == []
    violations = one.page.evaluate(
        f"{AXE}; axe.run({{exclude: {[[part] for part in NOT_OURS]}}})"
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

# All pairs of boxes, of the stage and of the page around it, that cover each other.
OVERLAPS = """() => {
  const host = [...document.querySelectorAll("*")].find(
    (e) => e.shadowRoot?.querySelector(".stage"));
  const parts = [".verdict", ".round-trip", ".strip-row", ".scrub", ".picture-bar", ".picture",
    ".sum", ".counts", ".outputs"];
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


def test_themes_differ(visit: Callable[..., Visit]) -> None:
    """The dark theme has another background than the light one."""
    colour = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    light = visit().page.evaluate(colour)
    dark = visit(color_scheme="dark")
    dark.until(lambda: dark.page.evaluate(colour) != light, True)


def test_reduced_motion_is_honoured(visit: Callable[..., Visit]) -> None:
    """With reduced motion there are no transitions."""
    one = visit()
    duration = "c => getComputedStyle(c).transitionDuration"
    one.page.emulate_media(reduced_motion="no-preference")
    one.until(lambda: one.page.locator(".chip").first.evaluate(duration) != "0s", True)
    one.page.emulate_media(reduced_motion="reduce")
    one.until(lambda: one.page.locator(".chip").first.evaluate(duration), "0s")


def test_keyboard_alone_reaches_everything(visit: Callable[..., Visit]) -> None:
    """Tab reaches every part of the stage."""
    page = visit().page
    page.locator(".st-key-text input").focus()
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => {
                let at = document.activeElement;
                while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
                return at?.name || at?.className?.split?.(" ")[0] || at?.tagName;
            }"""
            )
        )
    assert {"chip", "play", "slider", "view", "cell"} <= reached
