"""Labs in a browser: by keyboard, pressed rows, on a phone, measured, on a projector, the looks."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_fits, check_looks, turn, viewport
from tests.labs.reader import STEPS, Notes, answers

MAIN = "[data-testid=stMain]"
ALERT = f"{MAIN} [data-testid=stAlert]"
FIELD = ".st-key-lab_answer input"
# The question in its markup: tables and code in backquotes, a pressed table's rows as lines.
PROMPT = """() => {
  const copy = document.querySelector(".st-key-lab_question").cloneNode(true);
  copy.querySelectorAll("h5, pre button, [data-testid=stHeaderActionElements]").forEach(
    (one) => one.remove());
  copy.querySelectorAll("pre").forEach(
    (pre) => pre.replaceWith("```\\n" + pre.textContent + "\\n```\\n\\n"));
  const rows = [...copy.querySelectorAll("button")];
  const lines = rows.map((row) => row.textContent.replaceAll("\\u00a0", " ").trim());
  rows.forEach((row, place) => row.replaceWith(
    (place ? "" : "```\\n") + lines[place] + (place === rows.length - 1 ? "\\n```\\n" : "\\n")));
  copy.querySelectorAll("code").forEach((code) => code.replaceWith("`" + code.textContent + "`"));
  copy.querySelectorAll("p").forEach((part) => part.append("\\n\\n"));
  return copy.textContent.trim();
}"""
# Enter that takes a word of an input method is no answer.
COMPOSE = """() => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }))"""


def at(one: Visit, number: int, lab: str = "row") -> None:
    """Assert that this step is shown."""
    expect(one.page.locator(f"{MAIN} h6")).to_contain_text(f"step {number} of {len(STEPS[lab])}")
    one.settle()


def ask(one: Visit) -> str:
    """The question."""
    # Streamlit loads the component that draws tables after the page has settled.
    expect(one.page.locator(f"{MAIN} [data-testid=stSkeleton]")).to_have_count(0)
    return str(one.page.evaluate(PROMPT))


def tab_to(one: Visit, label: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(10):
        one.page.keyboard.press("Tab")
        focused = str(one.page.evaluate("document.activeElement.innerText.trim()"))
        if focused.endswith(label):
            return
    raise AssertionError(f"Tab does not lead to {label}, but to {focused}")


def test_a_lab_by_keyboard_alone(visit: Callable[..., Visit]) -> None:
    """A lab is begun, answered and finished by keyboard, and is the same after a reload."""
    one, page = (shown := visit("/labs")), shown.page
    page.get_by_role("button", name="Start").first.focus()
    page.keyboard.press("Enter")
    at(one, 1)
    one.until(lambda: "numbers" in one.search(), True)
    prompt = ask(one)
    right, _ = answers("row", 1, prompt, Notes())
    page.locator(FIELD).focus()
    page.keyboard.type(right)
    page.evaluate(COMPOSE)
    page.wait_for_timeout(200)
    expect(page.locator(ALERT)).to_have_count(0)
    page.keyboard.press("Enter")
    one.sees(ALERT, "Right: ")
    one.reload()
    at(one, 1)
    assert ask(one) == prompt
    one.sees(ALERT, "Right: ")
    expect(page.locator(FIELD)).to_have_value(right)
    page.locator(".st-key-step_shown button").nth(2).focus()
    page.keyboard.press("Enter")
    at(one, 3)
    right, _ = answers("row", 3, ask(one), Notes())
    options = page.locator(".st-key-lab_answer [role=radiogroup] label")
    page.locator(FIELD).first.focus()
    page.keyboard.press("Space")
    for _ in range([text.strip() for text in options.all_inner_texts()].index(right)):
        page.keyboard.press("ArrowDown")
    tab_to(one, "Check")
    page.keyboard.press("Enter")
    one.sees(ALERT, f"Right: {right}")
    page.locator(".st-key-step_shown button").nth(7).focus()
    page.keyboard.press("Enter")
    at(one, 8)
    page.get_by_role("button", name="Check").focus()
    tab_to(one, "Finish")
    page.keyboard.press("Enter")
    one.sees(MAIN, "2 of 8 first answers were right")
    page.go_back()
    at(one, 8)


def test_a_pressed_row_answers_and_a_wrong_one_shows_less(visit: Callable[..., Visit]) -> None:
    """A row is pressed on a phone: its picture comes above the question, and the way on stays."""
    one = visit("/labs?lab=row&numbers=3&step=2", viewport=viewport((390, 844)))
    page = one.page
    at(one, 2)
    right, wrong = answers("row", 2, ask(one), Notes())
    rows = page.locator(".st-key-lab_rows button")

    def press(row: str) -> None:
        rows.filter(has_text=re.compile(f"^{row.replace(' ', chr(160))}$")).click()

    press(wrong["the row above"])
    one.sees(ALERT, "the row above")
    expect(page.locator(FIELD)).to_have_value(wrong["the row above"])
    small = page.locator(".lab-picture td").count()
    question = page.locator(".st-key-lab_question")
    above = page.locator(".lab-picture").bounding_box()
    below = question.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]
    check_looks(one)
    press(right)
    one.sees(ALERT, f"Right: {right}")
    assert page.locator(".lab-picture td").count() > small
    expect(page.locator(".lab-picture .marked")).to_have_count(3)
    expect(page.get_by_role("button", name="Next step")).to_be_visible()
    turn(one, (1280, 720), "dark")
    check_fits(one)
    beside = page.locator(".lab-picture").bounding_box()
    left = question.bounding_box()
    assert beside is not None
    assert left is not None
    assert beside["x"] >= left["x"] + left["width"]


def test_what_is_typed_but_not_checked_stays(visit: Callable[..., Visit]) -> None:
    """An answer that was not sent is there again after another step, and Enter sends it."""
    one = visit("/labs?lab=row&numbers=3&step=4")
    field, steps = one.page.locator(FIELD), one.page.locator(".st-key-step_shown button")
    field.fill("7")
    steps.nth(2).click()
    at(one, 3)
    option = one.page.locator(".st-key-lab_answer [role=radiogroup] label").last
    option.click()
    steps.nth(3).click()
    at(one, 4)
    expect(field).to_have_value("7")
    expect(one.page.locator(ALERT)).to_have_count(0)
    field.press("Enter")
    one.sees(ALERT, "Not right: 7")
    check_looks(one)
    steps.nth(2).click()
    at(one, 3)
    expect(option.locator("input")).to_be_checked()


def test_the_numbers_can_be_tried_on_the_playground(visit: Callable[..., Visit]) -> None:
    """After the answer a link opens the same text; Back leads to the lab with its work."""
    one = visit("/labs?lab=row&numbers=3&step=8&done=_______0")
    link = one.page.get_by_role("link", name="Try more with these numbers")
    one.sees(ALERT, "right")
    if link.count() == 0:
        one.page.get_by_role("button", name="Show the explanation").click()
    link.click()
    one.page.locator(".ways").wait_for()
    assert "seed=" in one.search()
    one.page.go_back()
    at(one, 8)
    one.sees(ALERT, "right")


def microseconds(words: str) -> float:
    """A time on the page in microseconds."""
    number, unit = words.split()
    return float(number.replace(",", "")) * {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6}[unit]


def test_what_is_measured_is_right(visit: Callable[..., Visit]) -> None:
    """The ratio that the page measures is accepted; before it nothing is."""
    one = visit("/labs?lab=cost&numbers=3&step=3")
    page, field = one.page, one.page.locator(FIELD)
    field.fill("20")
    field.press("Enter")
    one.sees(ALERT, "Press Start first")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text(re.compile(r"\d+ cases in \d")).wait_for(timeout=120_000)
    found = page.locator(f"{MAIN} h2").filter(has_text=re.compile(r"At 16,384\srows"))
    said = found.inner_text()
    lookup = re.search(r"lookup takes ([\d.,]+\s[mµn]?s)", said)
    matmul = re.search(r"\bmatmul ([\d.,]+\s[mµn]?s)", said)
    assert lookup is not None, said
    assert matmul is not None, said
    field.fill(f"{microseconds(matmul[1]) / microseconds(lookup[1]):.3g}")
    field.press("Enter")
    one.sees(ALERT, "Right: ")
    one.sees(MAIN, "This machine took")


def test_projector_mode(visit: Callable[..., Visit]) -> None:
    """Projector mode enlarges text, passes the looks and can be left."""
    # The largest of all, because the first p of a half-drawn page is another one.
    size = """Math.max(...[...document.querySelectorAll('[data-testid=stMain] p')].map(
        (p) => parseFloat(getComputedStyle(p).fontSize)))"""
    one = visit("/labs?lab=learns&numbers=3", viewport=viewport((1280, 720)))
    small = one.page.evaluate(size)
    one.page.get_by_text("Projector mode").click()
    expect(one.page.locator("section.stSidebar")).to_be_hidden()
    one.until(lambda: one.page.evaluate(size) >= 1.25 * small, True)
    check_looks(one)
    one.page.get_by_role("button", name="Leave projector mode").click()
    expect(one.page.locator("section.stSidebar")).to_be_visible()
    one.until(lambda: one.page.evaluate(size), small)
