"""No first screen moves under the pointer or at a press, but for presses that open something."""

import pytest
from playwright.sync_api import ViewportSize, expect

from embviz.settings.pages import PAGES
from embviz.settings.worlds import WORLDS
from tests.browser.conftest import Visits

# What is there once a first screen is drawn.
DRAWN = {
    "bag_of_words": ".ways .cell",
    "training": ".learning .level",
    "context": ".picture > *",
    "timing": ".main-svg",
    "limits": ".stButton",
    "labs": ".lab-picture",
}
FIRST_SCREENS = {f"/?world={name}": ".ways .cell" for name in WORLDS} | {
    f"/{name}": DRAWN[name] for name in PAGES if name != "playground"
}
# Widgets whose scripts are on their way have another height, and so have letters of another font. A
# sidebar may still slide away.
LOADED = """() => document.fonts.status === "loaded"
  && !document.querySelector("[data-testid=stSkeleton]")
  && !document.getAnimations().some((one) => one instanceof CSSTransition)"""
# Controls that are pointed at and not pressed: what each press is meant to change.
OPENS = {
    "a[href], [data-testid=stLogoLink]": "it leads to another page",
    "summary": "it opens a fold",
    "[role=combobox]": "it opens a list",
    "[role=radio]": "it shows another table or story",
    "[data-testid=stBaseButton-pills]": "it opens a panel",
    "[data-testid=stSidebarCollapseButton] button": "it closes the sidebar",
    "[data-testid=stExpandSidebarButton]": "it opens the sidebar",
    ".st-key-projector *": "all letters grow; Streamlit turns a switch where its help is pressed",
    ".stButton button": "it asks, opens or resets something, or measures",
}
# Once for a screen: of what is wholly seen one control of each kind, and one of each kind of number
# and word in its pictures. Of each the middle, its bottom edge, and whether it is pressed.
BEGIN = """(opens) => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) =>
    [one, ...one.shadowRoot ? within(one.shadowRoot) : []]);
  const isSeen = (one) => {
    const box = one.getBoundingClientRect();
    const isWithin = box.top >= 0 && box.bottom <= innerHeight && box.right > 0;
    return box.width > 1 && box.height > 1 && isWithin
      && one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const all = within(document.querySelector(".stApp"));
  const leaves = all.filter((one) => !one.childElementCount && isSeen(one));
  window.stood = leaves.map((one) => [one, one.getBoundingClientRect().top]);
  const takesFocus = "a[href], button:enabled, input, textarea, summary, [tabindex]:not(main)";
  const controls = all.filter((one) => one.matches(takesFocus) && one.tabIndex >= 0 && isSeen(one));
  const isInPicture = (one) => one.getRootNode() !== document;
  const kind = (one) => [one.localName, one.className, one.parentElement?.className,
    isInPicture(one) || one.closest("[class*=st-key-]")?.className].join();
  const firstOfEach = (all) => new Map(all.reverse().map((one) => [kind(one), one])).values();
  const drawn = leaves.filter(isInPicture);
  return [...new Set([...firstOfEach([...controls]), ...firstOfEach(drawn)])].map((one) => {
    const { left, width, top, height, bottom } = one.getBoundingClientRect();
    const isPressed = controls.includes(one) && !one.closest(opens);
    const name = one.ariaLabel || one.innerText || one.outerHTML;
    return [name.slice(0, 60), left + width / 2, top + height / 2, bottom, isPressed];
  });
}"""
# After a frame, and when no script runs: what stood below this edge and is now elsewhere, but
# for what is within the other parts.
MOVED = """async ([bottom, but]) => {
  const frame = () => new Promise(requestAnimationFrame);
  do await frame();
  while (document.querySelector(".stApp").dataset.testScriptState !== "notRunning");
  return window.stood.filter(([one, top]) => one.isConnected && top >= bottom
    && !one.closest(but) && one.checkVisibility()
    && Math.abs(one.getBoundingClientRect().top - top) > 1)
    .map(([one]) => one.outerHTML.slice(0, 90));
}"""
REDRAWN = ".ways"  # A press may show other rows in a picture.


def test_nothing_below_a_control_moves(visit: Visits, subtests: pytest.Subtests) -> None:
    """Neither where the pointer comes to it nor where it is pressed, on every first screen."""
    one = visit(None, reduced_motion="reduce")  # no play begins by itself
    for path, drawn in FIRST_SCREENS.items():
        with subtests.test(path):
            one.move(path)
            one.page.locator(drawn).first.wait_for()
            one.page.wait_for_function(LOADED)
            opens = ", ".join(OPENS)
            mouse, found = one.page.mouse, one.page.evaluate(BEGIN, opens)
            assert len(found) > 9
            for name, x, y, bottom, _ in found:
                mouse.move(x, y)
                assert (name, one.page.evaluate(MOVED, [bottom, "none"])) == (name, [])
            for name, x, y, bottom, is_pressed in found:
                if is_pressed:
                    mouse.click(x, y)
                    assert (name, one.page.evaluate(MOVED, [bottom, REDRAWN])) == (name, [])
                    one.page.keyboard.press("Escape")
            one.settle()  # a press may be answered late
            assert one.page.evaluate(MOVED, [0, REDRAWN]) == []


# Sizes of a window: at the narrower ones the headlines of a page have one line, or two or three.
WINDOWS: tuple[ViewportSize, ...] = (
    {"width": 1440, "height": 900},
    {"width": 1280, "height": 720},
    {"width": 600, "height": 700},
    {"width": 390, "height": 844},
)
TOP = "one => one.getBoundingClientRect().top"


@pytest.mark.parametrize(("page", "choice"), [("training", "lesson"), ("context", "chapter")])
def test_no_lesson_or_chapter_moves_what_chooses_it(visit: Visits, page: str, choice: str) -> None:
    """Whether a field of text is there, and however long the headline is."""
    one = visit(None)
    for window in WINDOWS:
        one.page.set_viewport_size(window)
        one.move(f"/{page}")
        tabs, tops = one.page.locator(f".st-key-{choice} [role=radio]"), set()
        for tab in tabs.all():
            tab.click()
            expect(tab).to_be_checked()
            one.settle()
            tops.add(tabs.first.evaluate(TOP))
        assert (window, len(tops)) == (window, 1)
