"""Looks at several widths in two themes: no overlap, no sideways scroll, nothing found by axe."""

from pathlib import Path

import axe_core_python
from playwright.sync_api import ViewportSize, expect

from tests.browser.conftest import Visit, Visits

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
# Streamlit's own faults: code has weak colours, and two data grids use the same ids. Plotly's own:
# its bar of buttons.
NOT_OURS = [["[data-testid=stCode]"], ["[data-testid=stDataFrame]"], [".js-plotly-plot"]]
COLOURS = ["color-contrast", "link-in-text-block"]  # in the second theme only these differ
# Streamlit's field for files has two roles.
RUN = """async (rules) => {
  const off = { enabled: false };
  const { violations } = await axe.run({ exclude: THEIRS }, {
    resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } }
      : { rules: { "presentation-role-conflict": off } }) });
  return violations.flatMap(({ id, nodes }) => nodes
    .map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}""".replace("THEIRS", str(NOT_OURS))


def viewport(size: tuple[int, int]) -> ViewportSize:
    """A size as Playwright takes it."""
    return {"width": size[0], "height": size[1]}


def turn(one: Visit, size: tuple[int, int], theme: str) -> None:
    """Give an open page another size and theme, and wait until it has both."""
    colour = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    dark = one.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    before = one.page.evaluate(colour)
    one.page.set_viewport_size(viewport(size))
    one.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    if dark != (theme == "dark"):
        one.until(lambda: one.page.evaluate(colour) != before, True)
    one.settle()


def check_fits(one: Visit) -> None:
    """Assert no sideways scroll and no overlap."""
    for read, wanted in ((UNDRAWN, 0), (MOVING, 0), (BEYOND, 0), (OVERLAPS, [])):
        one.until(lambda read=read: one.page.evaluate(read), wanted)  # type: ignore[misc]


def find_nothing(one: Visit, rules: list[str] | None = None) -> None:
    """Assert that axe finds nothing of ours, with all rules or with these."""
    one.page.evaluate(f"{AXE}; true")
    one.until(lambda: one.page.evaluate(RUN, rules), [])


def check_looks(one: Visit) -> None:
    """Assert no sideways scroll, no overlap, and nothing of ours that axe finds."""
    check_fits(one)
    find_nothing(one)


BEYOND = """Math.max(0, ...[...document.querySelectorAll("html, [data-testid=stMain]")]
  .map((one) => one.scrollWidth - one.clientWidth))"""
UNDRAWN = """[...document.querySelectorAll("[data-testid=stPlotlyChart]")]
  .filter((place) => !place.querySelector(".main-svg")).length"""

MOVING = "document.getAnimations().filter((one) => one instanceof CSSTransition).length"

# All pairs of boxes, of the stage and of the page around it, that cover each other.
OVERLAPS = """() => {
  const host = [...document.querySelectorAll("*")].find(
    (e) => e.shadowRoot?.querySelector(".stage"));
  const parts = [".top", ".bar", ".ways", ".said", ".verdict", ".refusal", ".below"];
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


def test_no_sideways_scroll_and_no_overlap(visit: Visits) -> None:
    """With wide rows, on a phone in the dark, and with notes and a refusal."""
    one = visit("/?dim=1024&text=h%C3%A9llo", viewport=viewport((1280, 720)))
    answers, colour = one.page.locator(".answer.left"), "cell => cell.style.backgroundColor"
    before = answers.first.evaluate(colour)
    check_looks(one)
    turn(one, (390, 844), "dark")
    assert answers.first.evaluate(colour) != before
    assert (answers.count() >= 3, one.page.locator(".label").count()) == (True, 7)
    expect(one.page.locator("p.said")).to_be_in_viewport()
    one.open("/?dim=inf&rows=-1&unknown=error&text=h%C3%A9llo")
    check_looks(one)


# What is drawn beyond the window's edges and cannot be scrolled to. A text may end in dots.
CUT = """() => {
  const found = [];
  const look = (parts, isReached) => {
    for (const one of parts) {
      const { overflowX, textOverflow } = getComputedStyle(one), box = one.getBoundingClientRect();
      const isDrawn = box.width > 0 && box.height > 0 && one.checkVisibility();
      if (isDrawn && !isReached && (box.right > innerWidth + 1 || box.left < -1))
        found.push(`${one.className || one.tagName} to ${Math.round(box.right)}`);
      const reaches = isReached || /auto|scroll/.test(overflowX) || textOverflow === "ellipsis";
      look([...one.children, ...(one.shadowRoot?.children ?? [])], reaches);
    }
  };
  look(document.querySelector("[data-testid=stMain]").children, false);
  return found;
}"""


def test_nothing_is_cut_in_the_narrowest_window(moves: Visits) -> None:
    """The smallest phone, or a page enlarged four times, has 320 pixels across.

    `test_axe` sees the same of every first screen.
    """
    one = moves("/?world=words", viewport={"width": 320, "height": 640})
    for path, last in (("/?world=words", ".answer.left"), ("/labs?lab=row&numbers=3", ".stButton")):
        one.move(path)
        one.page.locator(f".stMain {last}").first.wait_for()
        one.until(lambda: one.page.evaluate(CUT), [])


FOCUS = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at?.className?.split?.(" ")[0];
}"""


def test_tab_reaches_every_part_of_the_stage(moves: Visits) -> None:
    """Tokens, both presses of Play, the other layout and the picture."""
    one = moves()
    one.text().focus()
    reached = set()
    for _ in range(20):
        one.page.keyboard.press("Tab")
        reached.add(one.page.evaluate(FOCUS))
    assert {"chip", "play", "step", "turn", "ways"} <= reached
