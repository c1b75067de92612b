"""A class in browsers: a teacher and three students, from the link to the deletion; own pace."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from tests.browser.conftest import SCREEN, Visit, watch
from tests.browser.test_axe import COLOURS, find_nothing
from tests.browser.test_looks import turn, viewport
from tests.load.server import Server

RIGHT = re.compile("Right: ")  # a text would find "Not right: " too
PHONE = viewport((390, 844))
Others = Callable[..., Visit]


@dataclass
class Person:
    """A browser of its own, with a page."""

    context: BrowserContext
    visit: Visit


@pytest.fixture
def others(browser: Browser) -> Iterator[Others]:
    """Open pages in browsers of other people; the same name is the same browser."""
    people: dict[str, BrowserContext] = {}
    made = list[Visit]()

    def new(who: str, address: str, base: str, screen: object = SCREEN) -> Visit:
        if who not in people:
            people[who] = browser.new_context()
            people[who].set_default_timeout(60_000)
        one = Visit(people[who].new_page(), base)
        made.append(one)
        one.page.set_viewport_size(screen)  # type: ignore[arg-type]
        watch(one)
        return one.open(address)

    yield new
    for one in made:
        one.leave()
    for context in people.values():
        context.close()
    assert [one.problems for one in made] == [[] for _ in made]


def start(teacher: Visit, pace: str = "vote") -> str:
    """Start a class with the lab *row*; its code."""
    page = teacher.page
    page.get_by_text("Work together as a class").click()
    page.locator("select[name=lab]").select_option("row")
    page.locator("select[name=pace]").select_option(pace)
    page.get_by_role("button", name="Start a class").click()
    page.wait_for_url(re.compile(r"board="), wait_until="commit")
    expect(page.locator(".class-head .code")).to_have_text(re.compile(r"^\w{3}-\w{4}$"))
    return page.locator(".class-head .code").inner_text()


def name(student: Visit) -> str:
    """The pseudonym of a student who has answered."""
    found = student.page.get_by_text(re.compile(r"^You are "))
    expect(found).to_be_visible()
    return found.locator("strong").inner_text()


def field(student: Visit) -> Locator:
    """Where the answer is typed."""
    return student.page.locator(".st-key-lab_answer input")


def answer(student: Visit, typed: str, then: str | re.Pattern[str] = "Kept.") -> None:
    """Type an answer, press the button, and wait for what the page says."""
    expect(field(student)).to_have_count(1)  # while it is drawn anew there may be two
    field(student).fill(typed)
    student.page.locator(".st-key-lab_answer button[kind=primary]").click()
    student.page.get_by_text(then).first.wait_for()


def press(teacher: Visit, label: str) -> None:
    """Press a button of the board."""
    teacher.page.get_by_role("button", name=label).click()


def steps(one: Visit) -> Locator:
    """The steps of the board as a row."""
    return one.page.locator(".st-key-board_step button")


def right_ids(student: Visit) -> str:
    """The answer to step 1, from what the page says."""
    found = student.page.locator(".st-key-lab_question code").all_inner_texts()
    vocabulary, text = found[0], found[1]
    return " ".join(str(vocabulary.index(letter)) for letter in text)


def bars(one: Visit) -> list[tuple[str, list[str]]]:
    """The words and the counts of each bar."""
    shown = one.page.locator(".class-bars > div").all()
    texts = [[line.strip() for line in part.inner_text().splitlines() if line] for part in shown]
    return [(texts[place][0], texts[place + 1]) for place in range(0, len(texts), 2)]


def test_a_vote_from_the_link_to_the_deletion(
    visit: Callable[..., Visit], others: Others, tmp_path: Path
) -> None:
    """Joining, a vote, a second one, what is told and when, and the end."""
    teacher = visit("/labs")
    code = start(teacher)
    base, page = teacher.base, teacher.page
    expect(page.locator(".class-head a")).to_have_attribute("href", re.compile(rf"/class/{code}$"))

    # By the link, by the code, by a phone. Nobody has a row.
    anna = others("anna", f"/class/{code}", base)
    assert anna.search() == f"?class={code}"
    ben = others("ben", "/labs", base)
    ben.page.get_by_text("Work together as a class").click()
    ben.page.get_by_label("the code of your class").fill(code.upper())
    ben.page.get_by_role("button", name="Join").click()
    ben.page.wait_for_url(re.compile("class="), wait_until="commit")
    carl = others("carl", f"/class/{code}", base, PHONE)
    expect(steps(teacher).first).to_contain_text("0 of 3")

    # Answers are kept, and nobody is told.
    right = right_ids(anna)
    wrong = " ".join(str(int(one) + 1) for one in right.split())
    answer(anna, wrong)
    answer(anna, right)
    answer(ben, wrong)
    answer(carl, wrong)
    expect(steps(teacher).first).to_contain_text("3 of 3")
    for one in (anna, ben, carl):
        expect(
            one.page.get_by_text(re.compile("Right:|Not right|Why|counted from 1"))
        ).to_have_count(0)

    # A reload, a second tab and the link again are the same student.
    first = name(anna)
    assert name(anna.reload()) == name(others("anna", f"/class/{code}", base)) == first
    again = others("anna", f"/labs?class={code}", base)
    assert name(again) == first
    expect(field(again)).to_have_value(right)
    expect(steps(teacher).first).to_contain_text("3 of 3")

    # The class view: the question with its bars, and nothing about right or wrong.
    steps(teacher).first.click()
    page.get_by_text("The first vote is open.").wait_for()
    teacher.until(lambda: bars(teacher), [(right, ["1"]), (wrong, ["2"])])
    expect(page.get_by_text(re.compile("✓|Why|too large"))).to_have_count(0)

    # What a student is typing stays under a pause, and so does the focus.
    for typed, label, count in (
        ("12", "Pause here", 1),
        ("34", "Go on", 0),
        ("56", "Pause here", 1),
    ):
        field(ben).fill("")
        field(ben).press_sequentially(typed)
        press(teacher, label)
        expect(ben.page.get_by_text("Your teacher has paused here")).to_have_count(count)
        expect(field(ben)).to_have_value(typed)
        expect(field(ben)).to_be_focused()
    expect(ben.page.get_by_role("button", name="Next step")).to_be_disabled()

    # The second vote is empty, and tells nothing.
    press(teacher, "Vote again")
    ben.page.get_by_text("Vote again").wait_for()
    expect(field(ben)).to_have_value("")
    expect(steps(teacher).first).to_contain_text("0 of 3")
    answer(ben, right)
    answer(anna, right)
    expect(ben.page.get_by_text(re.compile("Right:|Not right|Why"))).to_have_count(0)
    teacher.until(
        lambda: bars(teacher),
        [(right, ["1 in vote 1", "2 in vote 2"]), (wrong, ["2 in vote 1", "0 in vote 2"])],
    )

    # Reveal: the verdict, why, and both bars. Then an answer is late.
    press(teacher, "Reveal")
    page.get_by_text("Why.").wait_for()
    revealed = [
        (f"✓ {right}", ["1 in vote 1", "2 in vote 2"]),
        (wrong, ["2 in vote 1", "0 in vote 2"]),
    ]
    teacher.until(lambda: bars(teacher), revealed)
    ben.page.get_by_text(RIGHT).wait_for()
    carl.page.get_by_text("Not right:").wait_for()
    carl.until(lambda: bars(carl), revealed)
    answer(carl, right, RIGHT)
    dora = others("dora", f"/labs?class={code}", base)  # an address without the cookie
    dora.page.get_by_role("link", name=f"Join the class {code}").click()
    answer(dora, wrong, "Not right:")
    teacher.until(lambda: bars(teacher), revealed)
    press(teacher, "Hide")
    expect(page.get_by_text("Why.")).to_have_count(0)
    teacher.until(lambda: bars(teacher)[0][0], right)
    expect(ben.page.get_by_text(RIGHT)).to_be_visible()
    press(teacher, "Go on")
    expect(ben.page.get_by_text("Your teacher has paused")).to_have_count(0)
    expect(ben.page.get_by_role("button", name="Next step")).to_be_enabled()

    look(teacher, ben, carl)
    remove(teacher, dora)
    another_device(teacher, others)

    # The download, and the end.
    with page.expect_download() as download:
        press(teacher, "Download CSV")
    path = tmp_path / "class.csv"
    download.value.save_as(path)
    lines = path.read_text("utf-8-sig").splitlines()
    rows = {row["student"]: row for row in csv.DictReader(lines)}
    columns = [f"step 1 {what}" for what in ("vote 1", "vote 2", "late", "right")]
    assert {who: [row[one] for one in columns] for who, row in rows.items()} == {
        first: [right, right, "", "yes"],
        name(ben): [wrong, right, "", "yes"],
        name(carl): [wrong, "", right, "yes"],
    }
    press(teacher, "End the class")
    press(teacher, "End now")
    page.get_by_text("This class has ended.").wait_for()
    ben.page.get_by_text("The class has ended").wait_for()
    page.keyboard.press("Escape")
    press(teacher, "End and delete")
    press(teacher, "Delete now")
    page.get_by_text(f"The class {code} and all its answers are deleted").wait_for()
    ben.page.get_by_text(f"The class {code} was deleted").wait_for()


def look(teacher: Visit, student: Visit, phone: Visit) -> None:
    """No violation, no sideways scroll, in both themes and on a phone."""
    find_nothing(student)
    find_nothing(teacher)
    turn(teacher, (1280, 720), "dark")
    find_nothing(teacher, COLOURS)
    turn(teacher, (390, 844), "light")
    for one in (teacher, phone):
        scrolled = "document.documentElement.scrollWidth <= 390"
        one.page.wait_for_function(scrolled)
    teacher.page.set_viewport_size(SCREEN)


def remove(teacher: Visit, dora: Visit) -> None:
    """The teacher's view has a row for each student; one goes."""
    page = teacher.page
    page.locator(".st-key-board_teacher label").click()
    page.get_by_text("each is one too large").first.wait_for()
    page.locator(".st-key-board_rows label").click()
    gone = name(dora)
    row = page.locator(".stHorizontalBlock, [data-testid=stLayoutWrapper]").filter(has_text=gone)
    row.last.get_by_role("button", name="Remove").click()
    expect(page.get_by_text(gone)).to_have_count(0)
    dora.page.get_by_text("Your first answer gets a pseudonym").wait_for()
    page.locator(".st-key-board_teacher label").click()


def another_device(teacher: Visit, others: Others) -> None:
    """A second device gets the board, at an address without the secret; a student does not."""
    press(teacher, "Open on another device")
    press(teacher, "Make the address")
    address = teacher.page.locator(".stCode code").inner_text()
    teacher.page.keyboard.press("Escape")
    path = address[address.index("/class/") :]
    board = teacher.search().partition("&")[0]
    second = others("tablet", path, teacher.base)
    assert second.search() == board
    second.page.get_by_role("button", name="Hide").or_(
        second.page.get_by_text("Press a step")
    ).first.wait_for()
    stranger = others("dora", f"/labs{board}", teacher.base)
    stranger.page.get_by_text("This board belongs to the browser").wait_for()


def test_own_pace_and_a_server_that_is_killed(
    fresh_server: Callable[..., Server], visit: Callable[..., Visit], others: Others
) -> None:
    """Each answer is told at once; the first is in the bar. A killed server has lost nothing."""
    server = fresh_server()
    teacher = visit("/labs", base=server.address)
    code = start(teacher, "own")
    anna = others("anna", f"/class/{code}", teacher.base)
    right = right_ids(anna)
    wrong = " ".join(str(int(one) + 1) for one in right.split())
    answer(anna, wrong, "each is one too large")
    expect(anna.page.locator(".class-bars")).to_have_count(0)
    answer(anna, right, RIGHT)
    first = name(anna)
    server.restart()
    anna.reload()
    teacher.reload()
    for one in (anna, teacher):
        one.problems.clear()  # Chromium logs the end of the connection
    assert name(anna) == first
    expect(field(anna)).to_have_value(right)
    steps(teacher).first.click()
    teacher.until(
        lambda: [(one, two[-1:]) for one, two in bars(teacher)],
        [(f"✓ {right}", ["0"]), (wrong, ["1"])],
    )


def test_a_wrong_code_and_a_refused_start(
    fresh_server: Callable[..., Server], others: Others
) -> None:
    """A wrong code can be mended where it was typed; a wrong word is refused in a sentence."""
    server = fresh_server(EMBVIZ_CLASS_WORD="correct horse")
    one = others("anna", "/labs?class=bbb-bbbb", server.address)
    one.page.get_by_text("There is no class").wait_for()
    expect(one.page.get_by_label("the code of your class")).to_have_value("bbb-bbbb")
    one.page.set_extra_http_headers({"X-Forwarded-For": "10.0.0.1"})
    one.page.locator("[name=word]").fill("wrong horse")
    one.page.get_by_role("button", name="Start a class").click()
    one.page.get_by_text("'wrong horse' is not the word").wait_for()
    one.problems.clear()  # Chromium logs the refusal
    one.page.locator("[name=word]").fill("correct horse")
    one.page.get_by_role("button", name="Start a class").click()
    expect(one.page.locator(".class-head .code")).to_be_visible()
