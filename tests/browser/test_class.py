"""A class in browsers: a teacher and two students, from the link to the download and the end."""

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import SCREEN, Visit, watch
from tests.browser.test_axe import COLOURS, find_nothing
from tests.browser.test_labs import answer, ask, at
from tests.browser.test_looks import turn, viewport
from tests.labs.lab_student import STEPS, Notes, answers


@pytest.fixture
def others(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open pages in a browser of somebody else, without the teacher's cookie."""
    context, made = browser.new_context(), list[Visit]()
    context.set_default_timeout(60_000)

    def new(address: str, base: str) -> Visit:
        one = Visit(context.new_page(), base)
        made.append(one)
        one.page.set_viewport_size(SCREEN)
        watch(one)
        return one.open(address)

    yield new
    for one in made:
        one.leave()
    context.close()
    assert [one.problems for one in made] == [[] for _ in made]


def start(teacher: Visit) -> str:
    """Start a class with the lab *row*; its code."""
    teacher.page.get_by_text("Work together as a class").click()
    teacher.page.get_by_role("combobox", name="Lab").select_option("row")
    teacher.page.get_by_role("button", name="Start a class").click()
    teacher.page.wait_for_url(re.compile(r"board="), wait_until="commit")
    code = teacher.page.locator(".head .code")
    expect(code).to_have_text(re.compile(r"^[a-z]+-[a-z]+-\d\d$"))
    return code.inner_text()


def pseudonym(student: Visit) -> str:
    """The name that the class gave a student."""
    found = student.page.locator(".who b")
    expect(found).to_have_text(re.compile(r"^[a-z]+ [a-z]+$"))
    return found.inner_text()


def cell(teacher: Visit, who: str, step: int) -> Locator:
    """A student's cell on the board."""
    row = teacher.page.locator("tbody tr").filter(has_text=who)
    return row.locator("td").nth(step - 1)


def answer_wrong(student: Visit, step: int) -> None:
    """Choose or type an answer that is not right."""
    right, _ = answers(f"row {STEPS['row'][step - 1]}", ask(student), Notes())
    form = student.page.locator(".st-key-lab_answer")
    options = form.locator("[role=radiogroup] label").all_inner_texts()
    form.locator("label").filter(
        has_text=next(one.strip() for one in options if one.strip() != right)
    ).last.click()
    form.get_by_role("button", name="Check").click()
    student.page.get_by_text("You wrote").wait_for()


def check_fits(one: Visit) -> None:
    """The page does not scroll sideways, and the code and its QR code are in view."""
    for size in ((1280, 720), (390, 844)):
        one.page.set_viewport_size(viewport(size))
        one.until(lambda: one.page.evaluate("document.documentElement.scrollWidth"), size[0])
        for part in (".head .code", ".head .qr img", ".summary"):
            box = one.page.locator(part).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= size[0]
    one.page.set_viewport_size(SCREEN)


def show_one_question(teacher: Visit, ben: Visit) -> None:
    """Pause at a question, reveal it and go on: the bars do not tell before what is right."""
    teacher.page.locator("thead button").first.click()
    expect(teacher.page.locator(".bars")).to_contain_text("Answer A")
    expect(teacher.page.locator(".bars")).not_to_contain_text("right")
    form = ben.page.locator(".st-key-lab_answer")
    form.locator("label").filter(has=ben.page.locator("input")).last.click()
    teacher.page.get_by_role("button", name="Pause at step 1").click()
    ben.page.get_by_text("Your teacher has paused here").wait_for()
    ben.settle()  # a choice that is not yet sent stays
    expect(form.locator("label").last.locator("input")).to_be_checked()
    expect(ben.page.get_by_role("button", name="Next step")).to_be_disabled()
    teacher.page.get_by_role("button", name="Reveal").click()
    expect(teacher.page.locator(".bars")).to_contain_text("the right answer")
    ben.page.get_by_text("What the class answered").wait_for()
    teacher.page.get_by_role("button", name="Hide again").click()
    expect(teacher.page.locator(".bars")).not_to_contain_text("the right answer")
    expect(ben.page.get_by_text("What the class answered")).to_have_count(0)
    teacher.page.get_by_role("button", name="Go on").click()
    # For a moment the old button is there too.
    expect(ben.page.get_by_role("button", name="Next step").first).to_be_enabled()
    ben.settle()

    # What a student is typing stays under a pause, and so does the focus.
    steps = ben.page.locator(".st-key-step_shown button")
    steps.nth(3).click()
    at(ben, "row", 4)
    form.locator("input").press_sequentially("12")
    teacher.page.get_by_role("button", name="Pause at step 1").click()
    ben.page.get_by_text("Your teacher has paused at step 1").wait_for()
    expect(form.locator("input")).to_have_value("12")
    expect(form.locator("input")).to_be_focused()
    teacher.page.get_by_role("button", name="Go on").click()
    expect(ben.page.get_by_text("Your teacher has paused")).to_have_count(0)
    steps.nth(0).click()
    at(ben, "row", 1)


def lose_the_route(student: Visit, teacher: Visit) -> None:
    """While something else answers in the route's place, the page says so; then no longer."""
    ask_now = "document.dispatchEvent(new Event('visibilitychange'))"
    pattern, state = re.compile(r"/class/state\?"), student.page.locator(".state")
    student.page.route(pattern, lambda one: one.fulfill(content_type="text/html", body="a proxy"))
    student.page.evaluate(ask_now)
    expect(state).to_have_text(
        re.compile(r"^The class cannot be reached since \d\d:\d\d\. Go on\.$")
    )
    student.page.unroute(pattern)
    student.page.evaluate(ask_now)
    # News, because the route answers late without any.
    teacher.page.get_by_role("button", name="Pause at step 1").click()
    expect(state).to_have_text("All answers have arrived.")
    teacher.page.get_by_role("button", name="Go on").click()
    expect(student.page.get_by_text("Your teacher has paused")).to_have_count(0)


def test_a_class_from_the_link_to_the_end(
    visit: Callable[..., Visit], others: Callable[..., Visit], tmp_path: Path
) -> None:
    """A teacher sees two students answer, pauses, reveals, downloads, ends and deletes."""
    teacher = visit("/labs")
    code = start(teacher)
    link = f"/labs?class={code}"
    assert link in str(teacher.page.locator(".head a.link").get_attribute("href"))
    anna, ben = others(link, teacher.base), others(link, teacher.base)
    first, second = pseudonym(anna), pseudonym(ben)
    expect(teacher.page.locator("tbody tr")).to_have_count(2)
    assert first != second

    # Answers of all kinds.
    at(anna, "row", 1)
    answer(anna, answers("row shape", ask(anna), Notes())[0])
    answer_wrong(ben, 1)
    expect(cell(teacher, first, 1)).to_have_class("right")
    expect(cell(teacher, second, 1)).to_have_class("predicted")
    expect(cell(teacher, first, 2)).to_have_class("none")

    # A reload is the same student, and nothing counts twice.
    anna.reload()
    assert pseudonym(anna) == first
    expect(teacher.page.locator("tbody tr")).to_have_count(2)
    expect(cell(teacher, first, 1)).to_have_text(re.compile(r"^✓\D*$"))  # one try

    show_one_question(teacher, ben)
    lose_the_route(ben, teacher)

    # Looks of both, and a browser without the cookie.
    find_nothing(ben)
    teacher.page.get_by_role("button", name="All students").click()
    expect(teacher.page.locator("tbody tr").first).to_be_visible()
    find_nothing(teacher)
    turn(teacher, (1440, 900), "dark")
    find_nothing(teacher, COLOURS)
    check_fits(teacher)
    expect(teacher.page.locator(".legend")).to_contain_text("✗2after 2 tries2✗2 students (above)")
    stranger = anna.open(f"/labs?board={code}")
    stranger.page.get_by_text("This board belongs to the browser").wait_for()
    expect(stranger.page.locator("body")).not_to_contain_text(first)

    # A mistyped code can be mended where codes are typed.
    stranger.open("/labs?class=tidy-otter-42")
    stranger.page.get_by_text("There is no class").wait_for()
    expect(stranger.page.get_by_label("the code of your class")).to_have_value("tidy-otter-42")

    # The download, and the end.
    with teacher.page.expect_download() as download:
        teacher.page.get_by_role("button", name="Download CSV").click()
    path = tmp_path / "class.csv"
    download.value.save_as(path)
    rows = [*csv.DictReader(path.read_text("utf-8-sig").splitlines())]
    found = {(row["student"], row["step"]): row["result"] for row in rows if row["answer"]}
    assert found == {(first, "shape"): "right", (second, "shape"): "predicted, not right"}
    teacher.page.get_by_role("button", name="End the class").click()
    teacher.page.get_by_role("button", name="End now").click()
    expect(teacher.page.locator(".notice")).to_contain_text("This class has ended.")
    expect(teacher.page.locator(".qr")).to_be_hidden()
    ben.page.get_by_text("The class has ended. You work alone now").wait_for()
    teacher.page.get_by_role("button", name="End and delete").click()
    teacher.page.get_by_role("button", name="Delete now").click()
    teacher.page.get_by_text(f"The class {code} and all its answers are deleted").wait_for()
    ben.page.get_by_role("button", name="Next step").click()
    at(ben, "row", 2)
