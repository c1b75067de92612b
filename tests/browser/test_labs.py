"""Labs in a browser: by keyboard, pressed rows, on a phone, on a projector, the looks."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import written
from tests.browser.conftest import Visit
from tests.browser.test_looks import check_fits, check_looks, turn, viewport

MAIN = "[data-testid=stMain]"
ALERT = f"{MAIN} [data-testid=stAlert]"
FIELD = ".st-key-lab_answer input"
STEPS = ".st-key-step_shown button"
# Enter that takes a word of an input method is no answer.
COMPOSE = """() => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }))"""


def at(one: Visit, number: int) -> None:
    """Wait until a step is shown."""
    one.sees(MAIN, f"step {number} of")


def test_a_lab_by_keyboard_alone(visit: Callable[..., Visit]) -> None:
    """A lab is begun and answered by keyboard, and is the same after a reload."""
    one, page = (shown := visit("/labs")), shown.page
    page.get_by_role("button", name="Start").first.focus()
    page.keyboard.press("Enter")
    at(one, 1)
    one.until(lambda: "numbers" in one.search(), True)
    asked = questions("row", int(re.findall(r"numbers=(\d+)", one.search())[0]))
    page.locator(FIELD).focus()
    page.keyboard.type(written(asked[0].right))
    page.evaluate(COMPOSE)
    page.wait_for_timeout(200)
    expect(page.locator(ALERT)).to_have_count(0)
    page.keyboard.press("Enter")
    one.sees(ALERT, "Right: ")
    one.reload()
    one.sees(ALERT, "Right: ")
    expect(page.locator(FIELD)).to_have_value(written(asked[0].right))
    page.locator(STEPS).nth(2).focus()
    page.keyboard.press("Enter")
    at(one, 3)
    page.go_back()
    at(one, 1)


def test_a_pressed_row_answers_and_a_wrong_one_shows_less(moves: Callable[..., Visit]) -> None:
    """On a phone the picture comes above the question, and leaves the answer in sight."""
    one = moves("/labs?lab=row&numbers=3&step=2", viewport=viewport((390, 844)))
    page, asked = one.page, questions("row", 3)[1]
    picture, question = page.locator(".lab-picture"), page.locator(".st-key-lab_question")
    for row, words, marks in (
        (next(iter(asked.mistakes)), "row below", 0),
        (asked.right, "Right", 3),
    ):
        line = written(row).replace(" ", "\xa0")
        page.locator(".st-key-lab_rows button").get_by_text(line, exact=True).click()
        one.sees(ALERT, words)
        expect(page.locator(FIELD)).to_have_value(written(row))
        expect(picture.locator(".marked")).to_have_count(marks)
    check_looks(one)
    tops = page.locator(STEPS).evaluate_all("all => all.map((one) => one.offsetTop)")
    assert len({*tops}) == 1  # steps and end in one line
    place = "one => one.getBoundingClientRect()"
    assert picture.evaluate(place)["bottom"] <= question.evaluate(place)["top"]
    turn(one, (1280, 720), "dark")
    check_fits(one)
    assert picture.evaluate(place)["left"] >= question.evaluate(place)["right"]


def test_what_is_typed_but_not_checked_stays(visit: Callable[..., Visit]) -> None:
    """An answer that was not sent is there again after another step, and Enter sends it."""
    one = visit("/labs?lab=row&numbers=3&step=4")
    field, steps = one.page.locator(FIELD), one.page.locator(STEPS)
    field.fill("7")
    steps.nth(2).click()
    at(one, 3)
    steps.nth(3).click()
    at(one, 4)
    one.settle()  # until then the fields of the step before may still be there
    expect(field).to_have_value("7")
    expect(one.page.locator(ALERT)).to_have_count(0)
    field.press("Enter")
    one.sees(ALERT, "Not right: 7")


def test_projector_mode(moves: Callable[..., Visit]) -> None:
    """Projector mode enlarges text, passes the looks and can be left."""
    # The largest of all, because the first p of a half-drawn page is another one.
    size = """Math.max(...[...document.querySelectorAll('[data-testid=stMain] p')].map(
        (p) => parseFloat(getComputedStyle(p).fontSize)))"""
    one = moves("/labs?lab=learns&numbers=3", viewport=viewport((1280, 720)))
    small, sidebar = one.page.evaluate(size), one.page.locator("section.stSidebar")
    one.page.get_by_test_id("stExpandSidebarButton").click()
    one.page.get_by_text("Projector mode").click()
    expect(sidebar).to_be_hidden()
    one.until(lambda: one.page.evaluate(size) >= 1.25 * small, True)
    check_looks(one)
    leave = one.page.get_by_role("button", name="Leave projector mode")
    one.move("/labs?projector=true")
    pictures = one.page.locator(".lab-sign .lab-picture")
    for width in (1280, 390):
        one.page.set_viewport_size({"width": width, "height": 720})
        expect(leave).to_be_in_viewport()
        expect(pictures).to_have_count(len(LABS))
        for picture in pictures.all():  # none leaves its card
            assert picture.evaluate("one => one.scrollWidth <= one.clientWidth")
    one.page.set_viewport_size({"width": 1280, "height": 720})
    leave.click()
    expect(sidebar).to_be_visible()
