"""A class in browsers: a teacher and three students, from the link to the deletion; own pace."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from urllib.parse import urljoin

import pandas as pd
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from tests.browser.conftest import CLASS_WORD, SCREEN, Visit, watch
from tests.browser.test_axe import COLOURS, find_nothing
from tests.browser.test_looks import turn, viewport

TOLD = re.compile("Right: |Not right|Why|one too large")
RIGHT = re.compile("Right: ")  # a text would find "Not right: " too
Others = Callable[..., Visit]


@pytest.fixture
def others(browser: Browser) -> Iterator[Others]:
    """Open pages in browsers of other people; the same name is the same browser."""
    people: dict[str, BrowserContext] = {}
    made = list[Visit]()

    def new(who: str, address: str, base: str) -> Visit:
        if who not in people:
            people[who] = browser.new_context()
            people[who].set_default_timeout(60_000)
        made.append(one := Visit(people[who].new_page(), base))
        one.page.set_viewport_size(SCREEN)
        watch(one)
        return one.open(address)

    yield new
    try:
        for one in made:
            one.leave()
    finally:  # an open board asks its server each second
        for context in people.values():
            context.close()
    assert [one.problems for one in made] == [[] for _ in made]


def press(one: Visit, *labels: str) -> None:
    """Press buttons, one after the other."""
    for label in labels:
        one.page.get_by_role("button", name=label).click()


def shows(one: Visit, *texts: str | re.Pattern[str]) -> None:
    """Wait until the page shows each text."""
    for text in texts:
        one.page.get_by_text(text).first.wait_for()


def lacks(one: Visit, text: str | re.Pattern[str]) -> None:
    """Wait until the page does not show a text."""
    expect(one.page.get_by_text(text)).to_have_count(0)


def start(teacher: Visit, pace: str = "vote") -> str:
    """Start a class with the lab *row*; its code."""
    teacher.page.get_by_text("Work together as a class").click()
    teacher.page.locator("[name=word]").fill(CLASS_WORD)
    teacher.page.locator("[name=pace]").set_checked(pace == "own")
    press(teacher, "Start a class")
    code = teacher.page.locator("[class*=st-key-class_head] code")
    expect(code).to_have_text(re.compile(r"^\w{3}-\w{4}$"))
    return code.inner_text()


def name(student: Visit) -> str:
    """The pseudonym of a student who has answered."""
    return student.page.get_by_text(re.compile("^You are ")).locator("strong").inner_text()


def field(student: Visit) -> Locator:
    """Where the answer is typed."""
    return student.page.locator(".st-key-lab_answer input")


def answer(student: Visit, typed: str, then: str | re.Pattern[str] = "Kept.") -> None:
    """Type an answer, press the button, and wait for what the page says."""
    expect(field(student)).to_have_count(1)  # while it is drawn anew there may be two
    field(student).fill(typed)
    student.page.locator(".st-key-lab_answer button[kind=primary]").click()
    shows(student, then)


def answered(teacher: Visit, count: str) -> None:
    """How many have answered step 1, on the board."""
    expect(teacher.page.locator(".st-key-board_step button").first).to_contain_text(count)


def answers(student: Visit) -> tuple[str, str]:
    """The answer to step 1 from what the page says, and a wrong one that stands after it."""
    chars, text, *_ = student.page.locator(".st-key-lab_question code").all_inner_texts()
    ids = [chars.index(letter) for letter in text]
    return " ".join(map(str, ids)), " ".join(str(one + 1) for one in ids)


def counts(one: Visit) -> list[str]:
    """The numbers at the bars, from top to bottom."""
    bars = one.page.locator(".st-key-class_bars [data-testid=stProgress]")
    return [text.split()[0] for text in bars.all_inner_texts()]


def test_a_vote_from_the_link_to_the_deletion(visit: Callable[..., Visit], others: Others) -> None:
    """Joining, a vote, a second one, what is told and when, and the end."""
    teacher = visit("/labs")
    code, page = start(teacher), teacher.page
    anna, ben, carl = join(teacher, others, code)
    right, wrong = answers(anna)

    # Answers are kept, and nobody is told. One browser is one student.
    for who, typed in ((anna, wrong), (anna, right), (ben, wrong), (carl, wrong)):
        answer(who, typed)
        lacks(who, TOLD)
    first = name(anna)
    assert name(anna.reload()) == first
    expect(field(anna)).to_have_value(right)
    answered(teacher, "3 of 3")
    page.locator(".st-key-board_step button").first.click()
    shows(teacher, "Vote 1 of 2")
    lacks(teacher, TOLD)
    expect(page.locator(".st-key-class_bars")).to_have_count(0)

    # What a student is typing stays under a pause, and so does the focus.
    for typed, label, paused in (("12", "Pause here", 1), ("34", "Go on", 0)):
        field(ben).fill("")
        field(ben).press_sequentially(typed)
        press(teacher, label)
        expect(ben.page.get_by_text("Paused at step 1")).to_have_count(paused)
        expect(field(ben)).to_have_value(typed)
        expect(field(ben)).to_be_focused()
    press(teacher, "Pause here")

    # The second vote is empty, and tells nothing. Reveal tells all; then an answer is late.
    press(teacher, "Vote again")
    for who in (ben, anna):  # An answer to the vote before would come too late.
        shows(who, "Vote again")
    expect(ben.page.get_by_role("button", name="Next step")).to_be_disabled()
    expect(field(ben)).to_have_count(1)  # that of the vote before is gone
    expect(field(ben)).to_have_value("")
    answered(teacher, "0 of 3")
    answer(ben, right)
    answer(anna, right)
    lacks(ben, TOLD)
    press(teacher, "Reveal")
    shows(teacher, "Why.", f"✓ {right}")
    shows(ben, RIGHT)
    shows(carl, "Not right:")
    answer(carl, right, RIGHT)
    shows(carl, "late")
    for one in (teacher, carl):
        one.until(lambda one=one: counts(one), ["1", "2", "2", "0"])
    press(teacher, "Hide")
    lacks(teacher, "Why.")
    shows(ben, RIGHT)
    press(teacher, "Go on")
    lacks(ben, "Paused at step")

    look(teacher, ben, carl)
    href = page.get_by_role("link", name="Download CSV").get_attribute("href")
    file = page.request.get(urljoin(page.url, href)).body()
    rows = pd.read_csv(BytesIO(file), dtype=str, keep_default_na=False).set_index("student")
    assert rows.T.to_dict("list") == {
        first: [right, right, "", "yes"],
        name(ben): [wrong, right, "", "yes"],
        name(carl): [wrong, "", right, "yes"],
    }
    remove(teacher, carl)
    press(teacher, "End the class", "End now")
    shows(teacher, "This class has ended.")
    shows(ben, "The class has ended")
    press(teacher, "Delete now")
    shows(teacher, f"There is no class '{code}', and nothing of it is kept")
    shows(ben, "There is no class")


def join(teacher: Visit, others: Others, code: str) -> list[Visit]:
    """By the link, by the code, by the address of another, on a phone. Nobody has a row."""
    link = teacher.page.locator("[class*=st-key-class_head] p a")
    expect(link).to_have_attribute("href", re.compile(rf"/class/{code}$"))
    anna = others("anna", f"/class/{code}", teacher.base)
    assert anna.search() == f"?class={code}"
    ben = others("ben", "/labs", teacher.base)
    ben.page.get_by_text("Work together as a class").click()
    ben.page.get_by_label("the code of your class").fill(code.upper())
    press(ben, "Join")
    expect(field(ben)).to_be_visible()
    carl = others("carl", f"/labs?class={code}", teacher.base)  # an address without the cookie
    carl.page.get_by_role("link", name=f"Join the class {code}").click()
    expect(field(carl)).to_be_visible()
    carl.page.set_viewport_size(viewport((390, 844)))
    answered(teacher, "0 of 3")
    return [anna, ben, carl]


def look(teacher: Visit, student: Visit, phone: Visit) -> None:
    """No violation, no sideways scroll, in both themes and on a phone."""
    find_nothing(student)
    find_nothing(teacher)
    turn(teacher, (1280, 720), "dark")
    find_nothing(teacher, COLOURS)
    turn(teacher, (390, 844), "light")
    for one in (teacher, phone):
        one.page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    teacher.page.set_viewport_size(SCREEN)


def remove(teacher: Visit, student: Visit) -> None:
    """The teacher's view has a row for each student; one goes, after a second press."""
    view = teacher.page.get_by_text("Teacher's view")
    view.click()
    shows(teacher, "each is one too large")
    teacher.page.get_by_text("Rows of students").click()
    gone = name(student)
    # A popover that opens while the board grows may be put below the window.
    teacher.page.set_viewport_size({"width": 1280, "height": 2400})
    teacher.page.get_by_role("button", name=f"Remove {gone}").click()
    press(teacher, f"Remove {gone} and all answers")
    lacks(teacher, gone)
    shows(student, "Your first answer gets a pseudonym")
    view.click()


def test_own_pace(visit: Callable[..., Visit], others: Others) -> None:
    """At own pace each answer is told."""
    teacher = visit("/labs")
    code = start(teacher, "own")
    anna = others("anna", f"/class/{code}", teacher.base)
    right, wrong = answers(anna)
    answer(anna, wrong, "each is one too large")
    expect(anna.page.locator(".st-key-class_bars")).to_have_count(0)
    answer(anna, right, RIGHT)
    teacher.page.locator(".st-key-board_step button").first.click()
    for one in (anna, teacher):
        one.until(lambda one=one: counts(one), ["0", "1"])
