"""Labs in a browser: by keyboard, measured, on a projector, and the looks."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_fits, check_looks, turn, viewport
from tests.labs.lab_student import STEPS, Notes, answers, right_answer

MAIN = "[data-testid=stMain]"
STEP = f"{MAIN} h6"
# The question in its markup: tables and code in backquotes.
PROMPT = """() => {
  const parts = [...document.querySelectorAll("[data-testid=stMain] [data-testid=stMarkdown]")];
  const place = parts.findIndex((part) => part.querySelector("h6"));
  const copy = parts[place + 2].cloneNode(true);
  copy.querySelectorAll("button").forEach((button) => button.remove());
  copy.querySelectorAll("pre").forEach(
    (pre) => pre.replaceWith("```\\n" + pre.textContent + "\\n```\\n\\n"));
  copy.querySelectorAll("code").forEach((code) => code.replaceWith("`" + code.textContent + "`"));
  copy.querySelectorAll("p").forEach((part) => part.append("\\n\\n"));
  return copy.textContent.trim();
}"""


def at(one: Visit, lab: str, number: int) -> None:
    """Assert that this step is shown."""
    expect(one.page.locator(STEP)).to_contain_text(f"step {number} of {len(STEPS[lab])}")
    one.settle()


def focused(one: Visit) -> str:
    """The text of the focused element."""
    return str(one.page.evaluate("document.activeElement.innerText.trim()"))


def tab_to(one: Visit, label: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(10):
        one.page.keyboard.press("Tab")
        if focused(one).endswith(label):
            return
    raise AssertionError(f"Tab does not lead to {label}, but to {focused(one)}")


# Enter that takes a word of an input method is no answer.
COMPOSE = """() => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }))"""


def answer(one: Visit, typed: str) -> None:
    """Answer by keyboard: focus the field, type or choose, and send."""
    page, form = one.page, one.page.locator(".st-key-lab_answer")
    if form.locator("input[type=radio]").count():
        options = form.locator("[role=radiogroup] label").all_inner_texts()
        form.locator("input[type=radio]").first.focus()
        page.keyboard.press("Space")
        for _ in range([option.strip() for option in options].index(typed)):
            page.keyboard.press("ArrowDown")
        expect(form.locator("label").filter(has=page.locator("input:checked"))).to_have_text(typed)
        tab_to(one, "Check")
    else:
        form.locator("input").focus()
        page.keyboard.type(typed)
        page.evaluate(COMPOSE)
        page.wait_for_timeout(200)
        expect(page.get_by_text("Why.")).to_have_count(0)
    page.keyboard.press("Enter")
    page.get_by_text("Why.").wait_for()
    one.settle()


def ask(one: Visit) -> str:
    """The question."""
    # Streamlit loads the component that draws tables after the page has settled.
    expect(one.page.locator(f"{MAIN} [data-testid=stSkeleton]")).to_have_count(0)
    return str(one.page.evaluate(PROMPT))


def test_a_lab_by_keyboard_alone(visit: Callable[..., Visit]) -> None:
    """A lab can be begun, answered and finished by keyboard, and over a reload."""
    one, notes = visit("/labs"), Notes()
    one.page.get_by_role("button", name="Start").first.focus()
    one.page.keyboard.press("Enter")
    field = one.page.locator(MAIN).get_by_role("textbox", name="Your name or number")
    field.focus()
    one.page.keyboard.type("Ada Lovelace")
    one.page.keyboard.press("Enter")
    for number in (1, 3, 8):  # a choice, numbers, and the last one
        one.page.locator(".st-key-step_shown button").nth(number - 1).focus()
        one.page.keyboard.press("Enter")
        at(one, "row", number)
        prompt = ask(one)
        right = right_answer(f"row {STEPS['row'][number - 1]}", prompt, notes)
        answer(one, right)
        one.sees(f"{MAIN} [data-testid=stAlert]", "Right: ")
        if number == 3:
            one.reload()
            at(one, "row", number)
            assert ask(one) == prompt
            one.sees(f"{MAIN} [data-testid=stAlert]", "Right: ")
            expect(one.page.locator(".st-key-lab_answer input")).to_have_value(right)
        one.page.get_by_role("button", name="Check").focus()
        tab_to(one, "Next step" if number < len(STEPS["row"]) else "Finish")
        one.page.keyboard.press("Enter")
        if number < len(STEPS["row"]):
            at(one, "row", number + 1)
    one.sees("section.stSidebar", "3 of 8 answered")
    one.sees(MAIN, "3 of 8 answers are right")


def test_a_wrong_choice_hides_nothing(visit: Callable[..., Visit]) -> None:
    """After each wrong choice the question, the feedback and the way on are in sight.

    This step's name ends like the keys that frame.css hides; `tests/ui/pages/labs` has all steps.
    """
    number = STEPS["learns"].index("unseen") + 1
    one, notes = visit(f"/labs?student=Grace&lab=learns&step={number}"), Notes()
    at(one, "learns", number)
    prompt, form = ask(one), one.page.locator(".st-key-lab_answer")
    right, wrong = answers("learns unseen", prompt, notes)
    assert len(wrong) > 1
    for words, choice in wrong.items():
        form.locator("label").get_by_text(choice, exact=True).click()
        form.get_by_role("button", name="Check").click()
        one.page.locator(f"{MAIN} [data-testid=stAlert]", has_text=words).wait_for()
    assert ask(one) == prompt
    expect(form.get_by_text(right, exact=True)).to_be_visible()
    expect(one.page.get_by_role("button", name="Next step")).to_be_visible()


def microseconds(words: str) -> float:
    """A time on the page in microseconds."""
    number, unit = words.split()
    return float(number.replace(",", "")) * {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6}[unit]


def test_what_is_measured_is_taken(visit: Callable[..., Visit]) -> None:
    """The numbers that the page measures are accepted as answers."""
    one = visit("/labs?lab=cost&student=pupil+62&step=6")
    at(one, "cost", 6)
    one.page.get_by_role("button", name="Start", exact=True).click()
    one.page.get_by_text(re.compile(r"\d+ cases in \d")).wait_for(timeout=120_000)
    found = one.page.locator(f"{MAIN} h2").filter(has_text=re.compile(r"At 16,384\srows"))
    said = found.inner_text()
    lookup = re.search(r"lookup takes ([\d.,]+\s[mµn]?s)", said)
    matmul = re.search(r"\bmatmul ([\d.,]+\s[mµn]?s)", said)
    assert lookup is not None, said
    assert matmul is not None, said
    times = microseconds(lookup[1]), microseconds(matmul[1])
    ratio = times[1] / times[0]
    answer(one, f"{times[0]:g} {times[1]:g} {ratio:.3g}")
    one.sees(f"{MAIN} [data-testid=stAlert]", "that fits together")
    one.page.get_by_role("button", name="Next step").click()
    at(one, "cost", 7)
    # The sweep of the step before is still shown.
    expect(found).to_have_text(said)
    count = re.search(r"does ([\d,]+) multiplications", ask(one))
    assert count is not None
    smaller = int(count[1].replace(",", "")) / float(f"{ratio:.3g}")
    answer(one, f"{ratio:.3g} {smaller:.4g}")
    one.sees(f"{MAIN} [data-testid=stAlert]", "that fits together")
    one.page.get_by_role("button", name="Next step").click()
    at(one, "cost", 8)
    one.sees(MAIN, "Below is a sweep with other settings. Press Start for the sweep of this step.")


def test_a_live_part_draws_after_an_attempt_and_its_link_opens_a_new_tab(
    visit: Callable[..., Visit],
) -> None:
    """A live part is absent before an attempt, then complete; its link leaves the lab open.

    A step passes the checks of `check_looks`, before and after an answer.
    """
    size = viewport((1280, 720))
    one = visit("/labs?student=Grace&lab=row&step=8", viewport=size, color_scheme="dark")
    form, picture = one.page.locator(".st-key-lab_answer"), one.page.locator(".ways")
    choice = form.locator("[role=radiogroup] label").filter(has_text="yes, bit for bit")
    choice.wait_for()
    expect(picture).to_have_count(0)
    check_looks(one)
    choice.click()
    form.get_by_role("button", name="Check").click()
    picture.wait_for()
    one.settle()
    check_fits(one)
    turn(one, (390, 844), "light")
    check_looks(one)
    with one.page.expect_popup() as tab:
        one.page.get_by_role("link", name="Open it on its own page").click()
    tab.value.locator(".ways").wait_for()
    assert "labs" not in tab.value.url
    assert "lab=" in one.page.url
    tab.value.close()


def test_what_is_typed_but_not_checked_stays(visit: Callable[..., Visit]) -> None:
    """An answer that was not sent is there again after another step, and Enter sends it.

    The step passes the checks of `check_looks` on a phone.
    """
    one = visit("/labs?student=Grace&lab=row&step=4")
    field, main = one.page.locator(".st-key-lab_answer input"), one.page.locator(MAIN)
    field.fill("7")
    steps = one.page.locator(".st-key-step_shown button")
    steps.nth(0).click()
    at(one, "row", 1)
    option = one.page.locator(".st-key-lab_answer [role=radiogroup] label").last
    option.click()
    steps.nth(3).click()
    at(one, "row", 4)
    expect(field).to_have_value("7")
    expect(main.get_by_test_id("stAlert")).to_have_count(0)
    field.press("Enter")
    one.sees(f"{MAIN} [data-testid=stAlert]", "7")
    steps.nth(0).click()
    at(one, "row", 1)
    expect(option.locator("input")).to_be_checked()
    steps.nth(3).click()
    at(one, "row", 4)
    turn(one, (390, 844), "light")
    check_looks(one)


def test_projector_mode(visit: Callable[..., Visit]) -> None:
    """Projector mode enlarges text, passes the looks and can be left."""
    # The largest of all, because the first p of a half-drawn page is another one.
    size = """Math.max(...[...document.querySelectorAll('[data-testid=stMain] p')].map(
        (p) => parseFloat(getComputedStyle(p).fontSize)))"""
    one = visit("/labs?student=Grace&lab=learns", viewport=viewport((1280, 720)))
    small = one.page.evaluate(size)
    expect(one.page.locator("section.stSidebar")).to_be_visible()
    one.page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    one.page.get_by_text("Projector mode").click()
    expect(one.page.locator("section.stSidebar")).to_be_hidden()
    one.until(lambda: one.page.evaluate(size) >= 1.25 * small, True)
    check_looks(one)
    one.page.get_by_role("button", name="Leave projector mode").click()
    expect(one.page.locator("section.stSidebar")).to_be_visible()
    one.until(lambda: one.page.evaluate(size), small)
    one.until(lambda: "projector" in one.search(), False)
