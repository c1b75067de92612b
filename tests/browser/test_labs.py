"""Labs in a browser: by keyboard, pressed rows, on a phone, measured, on a projector, the looks."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from embviz.labs.catalogue import questions
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
    """A lab is begun, answered and finished by keyboard, and is the same after a reload."""
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
    page.locator(FIELD).first.focus()
    page.keyboard.press("Space")
    for key in ["ArrowDown"] * asked[2].choices.index(str(asked[2].right)) + ["Tab", "Enter"]:
        page.keyboard.press(key)
    one.sees(ALERT, f"Right: {asked[2].right}")
    page.locator(STEPS).nth(7).focus()
    page.keyboard.press("Enter")
    at(one, 8)
    page.get_by_role("button", name="Finish").focus()
    page.keyboard.press("Enter")
    one.sees(MAIN, "2 of 8 first answers were right")
    page.go_back()
    at(one, 8)


def test_a_pressed_row_answers_and_a_wrong_one_shows_less(visit: Callable[..., Visit]) -> None:
    """On a phone the picture comes above the question, and leaves the answer in sight."""
    one = visit("/labs?lab=row&numbers=3&step=2", viewport=viewport((390, 844)))
    page, asked = one.page, questions("row", 3)[1]
    wrong = next(known for known, words in asked.mistakes.items() if "above" in words)
    picture, question = page.locator(".lab-picture"), page.locator(".st-key-lab_question")
    cells = []
    for row, said in ((wrong, "the row above"), (asked.right, "Right: ")):
        line = written(row).replace(" ", "\xa0")
        page.locator(".st-key-lab_rows button").get_by_text(line, exact=True).click()
        one.sees(ALERT, said)
        expect(page.locator(FIELD)).to_have_value(written(row))
        cells.append(picture.locator("td").count())
        check_looks(one)
    assert cells[0] < cells[1]
    expect(page.locator(".lab-picture .marked")).to_have_count(3)
    place = "one => one.getBoundingClientRect()"
    assert picture.evaluate(place)["bottom"] <= question.evaluate(place)["top"]
    turn(one, (1280, 720), "dark")
    check_fits(one)
    assert picture.evaluate(place)["left"] >= question.evaluate(place)["right"]


@pytest.mark.parametrize(("lab", "step"), [("row", 3), ("row", 4), ("learns", 3)])
def test_on_a_phone_the_answer_is_in_sight(
    visit: Callable[..., Visit], lab: str, step: int
) -> None:
    """The picture above the question leaves room for it."""
    one = visit(f"/labs?lab={lab}&numbers=3&step={step}", viewport=viewport((390, 844)))
    button = one.page.get_by_role("button", name="Check")
    assert button.evaluate("one => one.getBoundingClientRect().bottom") <= 844


def test_what_is_typed_but_not_checked_stays(visit: Callable[..., Visit]) -> None:
    """An answer that was not sent is there again after another step, and Enter sends it."""
    one = visit("/labs?lab=row&numbers=3&step=4")
    field, steps = one.page.locator(FIELD), one.page.locator(STEPS)
    option = one.page.locator(".st-key-lab_answer [role=radiogroup] label").last
    field.fill("7")
    steps.nth(2).click()
    at(one, 3)
    option.click()
    steps.nth(3).click()
    at(one, 4)
    expect(field).to_have_value("7")
    expect(one.page.locator(ALERT)).to_have_count(0)
    field.press("Enter")
    one.sees(ALERT, "Not right: 7")
    steps.nth(2).click()
    at(one, 3)
    expect(option.locator("input")).to_be_checked()


def test_the_numbers_can_be_tried_on_the_playground(visit: Callable[..., Visit]) -> None:
    """After the answer a link opens the same text; Back leads to the lab with its work."""
    place = questions("row", 3)[7].choices.index(str(questions("row", 3)[7].right))
    one = visit(f"/labs?lab=row&numbers=3&step=8&done=_______{place}")
    one.page.get_by_role("link", name="Try more with these numbers").click()
    one.page.locator(".ways").wait_for()
    assert "seed=" in one.search()
    one.page.go_back()
    at(one, 8)
    one.sees(ALERT, "Right: ")


def test_what_is_measured_is_right(visit: Callable[..., Visit]) -> None:
    """The ratio that the page measures is accepted."""
    one = visit("/labs?lab=cost&numbers=3&step=3")
    one.page.get_by_role("button", name="Start", exact=True).click()
    one.page.get_by_text(re.compile(r"\d+ cases in \d")).wait_for(timeout=120_000)
    found = one.page.locator(f"{MAIN} h2").filter(has_text=re.compile(r"At 16,384\srows"))
    times = re.findall(r"(?:takes|matmul) ([\d.,]+)\s([mµn]?s)", found.inner_text())
    scale = {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6}
    lookup, matmul = (float(number.replace(",", "")) * scale[unit] for number, unit in times)
    field = one.page.locator(FIELD)
    field.fill(f"{matmul / lookup:.3g}")
    field.press("Enter")
    one.sees(ALERT, "Right: ")
    one.sees(MAIN, "This machine took")


def test_projector_mode(visit: Callable[..., Visit]) -> None:
    """Projector mode enlarges text, passes the looks and can be left."""
    # The largest of all, because the first p of a half-drawn page is another one.
    size = """Math.max(...[...document.querySelectorAll('[data-testid=stMain] p')].map(
        (p) => parseFloat(getComputedStyle(p).fontSize)))"""
    one = visit("/labs?lab=learns&numbers=3", viewport=viewport((1280, 720)))
    small, sidebar = one.page.evaluate(size), one.page.locator("section.stSidebar")
    one.page.get_by_text("Projector mode").click()
    expect(sidebar).to_be_hidden()
    one.until(lambda: one.page.evaluate(size) >= 1.25 * small, True)
    check_looks(one)
    one.page.get_by_role("button", name="Leave projector mode").click()
    expect(sidebar).to_be_visible()
    one.until(lambda: one.page.evaluate(size), small)
