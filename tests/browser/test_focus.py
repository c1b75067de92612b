"""The focus after a press by keyboard: it stays at what the press was about.

Without this the browser drops the focus where a button goes, and Tab begins at the top of the page.
"""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from embviz.limits.cases import CASES, case_named
from tests.browser.conftest import CLASS_WORD, Visit, Visits
from tests.browser.test_composition import listening

# The element in focus, also within a component, and all around it; then what stands there.
HAS = """selector => {
  let one = document.activeElement;
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  while (one && !one.matches(selector)) one = one.parentElement ?? one.getRootNode().host;
  return Boolean(one);
}"""
# The moment that the first gets the focus, somebody goes to the second.
GO_ON = """([first, second]) => new Promise((done) => {
  const go = () => { document.querySelector(second).focus(); done(); };
  document.querySelector(first).addEventListener("focus", () => setTimeout(go), { once: true });
})"""
WORDS = "document.activeElement.textContent"
SCROLLED = "document.querySelector('.stMain').scrollTop"
TITLE = "h1, h2, h3"
LAB = "/labs?lab=row&numbers=3&step="
# A sweep that no slow test sees end by itself.
LONG_SWEEP = f"/timing?time_tokens=1024&values={'+'.join(map(str, range(1_000, 1_060)))}"


def press(one: Visit, control: Locator | str) -> None:
    """Press a control by keyboard."""
    found = one.page.locator(control).first if isinstance(control, str) else control
    listening(one.page)
    found.focus()
    is_switch = found.evaluate("one => one.matches('input')")
    one.page.keyboard.press("Space" if is_switch else "Enter")


def at(one: Visit, place: str, words: str = "") -> None:
    """Assert that the focus comes to this place, with these words, and is there at the end."""
    one.until(lambda: one.page.evaluate(HAS, place), True)
    one.settle()
    one.until(lambda: one.page.evaluate(HAS, place) and words in one.page.evaluate(WORDS), True)


PRESSES = {
    "/": [
        (".st-key-type_own button", ".st-key-text"),
        (".st-key-projector input", ".st-key-leave_projector"),
        (".st-key-leave_projector button", ".st-key-projector"),
    ],
    "/?text=é": [("button:has-text('Use bytes')", ".st-key-stage, .st-key-panel")],
    "/?text=hello&init=own": [(".refusal button", ".st-key-stage")],
    "/context?text=hello&init=own": [(".refusal button", ".st-key-static, summary")],
    "/context?shuffle=5": [(".back", ".st-key-static")],
    "/limits?find=index+out+of+range+in+self": [
        ("[class*=st-key-more_] button", TITLE),
        (".st-key-back_to_cards button", "[class*=st-key-open_]"),
        ("[class*=st-key-open_] button", TITLE),
        (".st-key-next_page a", TITLE),
    ],
    f"{LAB}7": [
        (".st-key-lab_next button", TITLE),
        (".st-key-lab_next button", TITLE),
        ("button:has-text('All labs')", TITLE),
        ("[class*=st-key-lab_start] button", TITLE),
    ],
}


def test_a_button_that_goes_leaves_the_focus_in_its_place(visit: Visits) -> None:
    """Each press, one after the other, takes the focus to what it opened or what is near."""
    one = visit(None)
    for path, presses in PRESSES.items():
        one.move(path)
        for control, place in presses:
            press(one, control)
            at(one, place)


def test_what_opens_above_its_button_gets_the_focus(visit: Visits) -> None:
    """A case of the list, a step, another page: Tab goes on there. A link's title is in view."""
    one = visit("/limits")
    one.page.get_by_text(f"All {len(CASES)}").click()
    link = one.page.locator(".st-key-all_cases a[href*='case=max-norm']")
    link.scroll_into_view_if_needed()
    assert one.page.evaluate(SCROLLED) > 0
    press(one, link)
    at(one, TITLE, case_named("max-norm").title)
    expect(one.page.locator("h2")).to_be_in_viewport()
    one.move(f"{LAB}1")
    press(one, ".st-key-lab_next button")
    at(one, TITLE, "step 2 of")
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Tab")
    assert one.page.evaluate(HAS, ".st-key-lab_step")


def test_a_sweep_leaves_the_focus_on_its_question(visit: Visits) -> None:
    """When it begins and when it ends, the whole page is drawn anew."""
    one = visit("/timing")
    press(one, ".st-key-timing_start_button button")
    one.sees(".st-key-start_row", "Stop")
    press(one, one.page.get_by_role("button", name="Half precision"))
    at(one, ".st-key-questions", "Half precision")
    stop = one.page.locator(".st-key-timing_stop_button")
    stop.wait_for(state="detached", timeout=120_000)
    at(one, ".st-key-questions", "Half precision")


def test_play_and_pause_give_the_focus_to_each_other(visit: Visits) -> None:
    """A training that runs is paused by a second press of the same key."""
    one = visit("/training?lesson=write&learn_steps=0")
    press(one, ".st-key-learn_steps_play button")
    one.until(lambda: one.page.evaluate(HAS, ".st-key-learn_steps_pause"), True)
    one.page.keyboard.press("Enter")
    at(one, ".st-key-learn_steps_play")


def test_start_and_stop_give_the_focus_to_each_other(visit: Visits) -> None:
    """By a press, and where the sweep ends by itself; a held key presses once."""
    one = visit(LONG_SWEEP)
    page = one.page
    listening(page)
    page.evaluate("window.presses = 0; addEventListener('click', () => { presses += 1; }, true)")
    page.locator(".st-key-timing_start_button button").focus()
    page.keyboard.down("Enter")
    at(one, ".st-key-timing_stop_button")
    page.keyboard.down("Enter")  # again: it is held
    page.wait_for_timeout(100)
    page.keyboard.up("Enter")
    assert page.evaluate("presses") == 1
    page.keyboard.press("Enter")
    at(one, ".st-key-timing_start_button")
    one.page.get_by_text("Stopped: ").wait_for()
    one.move("/timing?values=16+64&time_dim=4")
    press(one, ".st-key-timing_start_button button")
    page.get_by_text("Done: ").wait_for(timeout=120_000)
    at(one, ".st-key-timing_start_button")


def test_nobody_who_has_moved_on_loses_the_focus(visit: Visits) -> None:
    """After a press somebody goes to another control, or presses beside all controls."""
    one = visit("/")
    press(one, ".st-key-type_own button")
    one.page.evaluate(GO_ON, [".st-key-text input", ".st-key-projector input"])
    one.page.wait_for_timeout(1_000)
    assert one.page.evaluate(HAS, ".st-key-projector")
    one.move(f"{LAB}1")
    press(one, ".st-key-lab_next button")
    steps = one.page.locator(".st-key-step_shown button")
    steps.first.focus()
    at(one, ".st-key-step_shown")
    one.sees(".stMain", "step 2 of")
    one.page.wait_for_timeout(1_000)
    assert one.page.evaluate(HAS, ".st-key-step_shown")
    press(one, "button:has-text('All labs')")
    one.page.mouse.click(1_200, 880)  # where nothing stands
    expect(steps).to_have_count(0)
    one.settle()
    one.page.wait_for_timeout(1_000)
    assert not one.page.evaluate(HAS, f"button, {TITLE}")


def test_the_board_of_a_class(visit: Visits) -> None:
    """Two of its buttons replace each other; a popover that a key opens has the focus.

    A deleted class leaves the focus on the way back.
    """
    one = visit("/labs")
    one.page.get_by_text("Work together as a class").click()
    one.page.locator("[name=word]").fill(CLASS_WORD)
    one.page.get_by_role("button", name="Start a class").click()
    one.page.get_by_text("Large code").click()
    press(one, ".st-key-step-row-1 button")
    for name, then in (("Pause here", "Go on"), ("Go on", "Pause here")):
        press(one, one.page.get_by_role("button", name=name, exact=True))
        one.until(lambda: one.page.evaluate(WORDS), then)
    press(one, one.page.get_by_role("button", name="Class", exact=True))
    one.until(lambda: one.page.evaluate(HAS, "[data-testid=stPopoverBody]"), True)
    one.page.get_by_role("button", name="Delete", exact=True).click()
    press(one, one.page.get_by_role("button", name="Yes, delete"))
    one.page.get_by_text("is deleted: nothing of it is kept").wait_for()
    at(one, f".stMain .stButton, {TITLE}")
