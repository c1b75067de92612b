"""Six letters learn, in a browser: the play, its keys, the end without motion, the way there."""

import re

from playwright.sync_api import Locator, Page, expect

from embviz.fact.letters import STEPS, learn
from tests.browser.conftest import Visits
from tests.browser.test_looks import check_looks, turn

# Presses Play, and Pause at the next picture, which no slow test can miss: what is counted then.
PAUSED = """(root) => new Promise((done) => {
  const count = root.querySelector(".count"), play = root.querySelector(".play");
  const seen = new MutationObserver(() => {
    seen.disconnect();
    play.click();
    done(count.textContent);
  });
  seen.observe(count, { childList: true, characterData: true, subtree: true });
  play.click();
})"""


def button(page: Page, name: str) -> Locator:
    """A button of the picture."""
    return page.locator(".learning").get_by_role("button", name=name, exact=True)


def numbers(page: Page, table: str) -> list[str]:
    """The numbers of a table as they are written."""
    return page.locator(f".learning .{table} .cell").all_text_contents()


def written(seed: int, step: int) -> list[str]:
    """The rows of the training with one decimal."""
    rounded = [f"{number:.1f}" for number in learn(seed).rows[step].flatten().tolist()]
    return [text.replace("-0.0", "0.0").replace("-", "−") for text in rounded]


def test_the_rows_move_by_themselves_and_end_where_the_training_ends(moves: Visits) -> None:
    """Within some seconds of the press; Pause stops, and a step is a step."""
    one = moves("/?seed=7")
    one.page.get_by_role("link", name="See rows learn").click()
    page, count = one.page, one.page.locator(".learning .count")
    expect(count).to_have_text(f"{STEPS} of {STEPS} steps")
    expect(page.locator(".learning .verdict")).to_have_text(
        "Nearest rows by distance, at first: 'd' and 'f', by chance. After 200 steps: 'b' and 'c': "
        "both are followed by 'e' (59 % and 60 %) and 'a' (23 % and 30 %)."
    )
    assert (numbers(page, "before"), numbers(page, "now")) == (written(7, 0), written(7, STEPS))
    expect(page.locator(".learning .map")).to_have_attribute("aria-label", re.compile(": b and c$"))
    one.linked("seed=7")
    button(page, "Start over").click()
    page.get_by_role("button", name="Step", exact=True).click()
    expect(count).to_have_text(f"1 of {STEPS} steps")
    assert numbers(page, "now") == written(7, 1)
    stopped = page.locator(".learning").evaluate(PAUSED)
    expect(button(page, "Play")).to_be_visible()
    expect(count).to_have_text(stopped)


def test_without_motion_the_end_is_there_at_once(moves: Visits) -> None:
    """Keys choose a letter and a step; colours of the system and the dark theme leave all of it."""
    one = moves("/training", reduced_motion="reduce")
    page, count = one.page, one.page.locator(".learning .count")
    expect(count).to_have_text(f"{STEPS} of {STEPS} steps")
    title, rows = page.locator(".learning .next .title"), page.locator(".learning .pictures")
    expect(title).to_have_text("after c")
    rows.focus()
    for key, letter in (("ArrowUp", "b"), ("ArrowUp", "a"), ("ArrowDown", "b")):
        page.keyboard.press(key)
        expect(title).to_have_text(f"after {letter}")
    page.locator(".learning .at").focus()
    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text(f"{STEPS - 1} of {STEPS} steps")
    button(page, "Start over").press("Enter")
    button(page, "Play").focus()
    for _ in range(2):  # the second press undoes nothing
        page.keyboard.press("Enter")
        page.wait_for_timeout(400)  # `ui/frame/focus.js` has looked at the focus
    expect(count).to_have_text(f"{STEPS} of {STEPS} steps")
    page.locator(".learning .map .point").nth(5).hover()
    expect(title).to_have_text("after f")
    for size, theme in (((1280, 720), "light"), ((390, 844), "dark")):
        turn(one, size, theme)
        check_looks(one)
    page.emulate_media(forced_colors="active")
    expect(page.locator(".learning .frame").first).to_be_visible()
