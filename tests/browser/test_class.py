"""A class in browsers: a vote from the link to the deletion, and a class in two labs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, WebSocketRoute, expect

from embviz.classes.store import Store
from embviz.labs.catalogue import LABS, questions
from tests.browser.conftest import CLASS_WORD, SCREEN, Visit, watch
from tests.browser.test_axe import COLOURS, find_nothing
from tests.browser.test_looks import turn, viewport
from tests.load.server import Server

TOLD = re.compile("Right: |Not right|Why|one too large")
RIGHT = re.compile("Right: ")  # a text would find "Not right: " too
Others = Callable[..., Visit]


# A page of a class asks for news every 3 s, and at once when it is online again.
HURRY = "setInterval(() => dispatchEvent(new Event('online')), 500)"
PEOPLE: dict[str, BrowserContext] = {}  # a new browser would load all scripts anew, for seconds


@pytest.fixture
def others(browser: Browser) -> Iterator[Others]:
    """Open pages in browsers of other people; the same name is the same browser."""
    made = list[Visit]()
    for context in PEOPLE.values():
        context.clear_cookies()

    def new(who: str, address: str | None, base: str, hurries: bool = True) -> Visit:
        if who not in PEOPLE:
            PEOPLE[who] = browser.new_context()
            PEOPLE[who].set_default_timeout(60_000)
        made.append(one := Visit(PEOPLE[who].new_page(), base))
        if hurries:
            one.page.add_init_script(HURRY)
        one.page.set_viewport_size(SCREEN)
        watch(one)
        return one if address is None else one.open(address)

    yield new
    try:
        for one in made:
            one.leave()
    finally:  # an open board asks its server each second
        for one in made:
            one.page.close()
    assert [one.problems for one in made] == [[] for _ in made]


def press(one: Visit, *labels: str) -> None:
    """Press buttons, one after the other."""
    for label in labels:
        button = one.page.get_by_role("button", name=label)
        expect(button).to_have_count(1)  # a rerun may show the one of before for an instant
        button.click()


def shows(one: Visit, *texts: str | re.Pattern[str]) -> None:
    """Wait until the page shows each text."""
    for text in texts:
        one.page.get_by_text(text).first.wait_for()


def lacks(one: Visit, text: str | re.Pattern[str]) -> None:
    """Wait until the page does not show a text."""
    expect(one.page.get_by_text(text)).to_have_count(0)


def start(teacher: Visit) -> str:
    """Start a class with the lab *row*; its code."""
    teacher.page.get_by_text("Work together as a class").click()
    teacher.page.locator("[name=word]").fill(CLASS_WORD)
    press(teacher, "Start a class")
    code = teacher.page.locator(".st-key-class_head h1 code")
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
    student.page.locator(".st-key-lab_answer .stButton button").click()
    shows(student, then)


def answered(teacher: Visit, count: str) -> None:
    """How many have answered step 1, on the board."""
    expect(teacher.page.locator(".st-key-board_step .stButton button").first).to_contain_text(count)


def answers(student: Visit) -> tuple[str, str]:
    """The answer to step 1 from what the page says, and a wrong one that stands after it."""
    chars, text, *_ = student.page.locator(".st-key-lab_question code").all_inner_texts()
    ids = [chars.index(letter) for letter in text]
    return " ".join(map(str, ids)), " ".join(str(one + 1) for one in ids)


def counts(one: Visit) -> list[str]:
    """The numbers at the bars, from top to bottom."""
    bars = one.page.locator(".st-key-class_bars [data-testid=stProgress]")
    return [text.split()[0] for text in bars.all_inner_texts()]


def at(one: Visit, lab: str, step: int) -> None:
    """Wait until a student's page is at a step of a lab."""
    one.sees("[data-testid=stMain] h1", f"{LABS[lab].title} · step {step} of")


def menu(teacher: Visit, name: str, *labels: str) -> None:
    """Open a menu of the board, press buttons in it, and close it."""
    press(teacher, name, *labels)
    teacher.page.keyboard.press("Escape")


def test_a_vote_from_the_link_to_the_deletion(visit: Callable[..., Visit], others: Others) -> None:
    """Joining, a vote, a second one, what is told and when, and the end."""
    teacher = visit("/labs")
    code, page = start(teacher), teacher.page
    anna, ben = join(teacher, others, code)
    right, wrong = answers(anna)

    # Answers are kept, and nobody is told.
    first = name(anna)
    for who, typed in ((anna, wrong), (anna, right), (ben, wrong)):
        answer(who, typed)
        lacks(who, TOLD)
    answered(teacher, "2 of 2")
    shows(teacher, "Vote 1 · ")
    lacks(teacher, TOLD)
    expect(page.locator(".st-key-class_bars")).to_have_count(0)

    # What a student is typing stays under a pause, and so does the focus.
    for typed, label, paused in (("12", "Pause here", 1), ("34", "Go on", 0)):
        field(anna).fill("")
        field(anna).press_sequentially(typed)
        press(teacher, label)
        expect(anna.page.get_by_text("Paused at step 1")).to_have_count(paused)
        expect(field(anna)).to_have_value(typed)
        expect(field(anna)).to_be_focused()
    press(teacher, "Pause here")

    # The second vote is empty, and tells nothing. Reveal tells all; then an answer is late.
    press(teacher, "Vote again")
    shows(anna, "Vote again")  # An answer to the vote before would come too late.
    expect(anna.page.get_by_role("button", name="Next step")).to_be_disabled()
    expect(field(anna)).to_have_count(1)  # that of the vote before is gone
    expect(field(anna)).to_have_value("")
    answered(teacher, "0 of 2")
    answer(anna, right)
    lacks(anna, TOLD)
    press(teacher, "Reveal")
    shows(teacher, "Why.", f"✓ {right}")
    shows(anna, RIGHT)
    shows(ben, "Not right:")
    answer(ben, right, RIGHT)
    shows(ben, "late")
    for one in (teacher, ben):
        one.until(lambda one=one: counts(one), ["1", "1", "1", "0"])
    press(teacher, "Go on")
    lacks(anna, "Paused at step")

    look(teacher, anna, ben)
    teacher.page.get_by_role("button", name="Class", exact=True).click()
    href = page.get_by_role("link", name="Download CSV").get_attribute("href")
    page.keyboard.press("Escape")
    lines = page.request.get(urljoin(page.url, href)).text().splitlines()
    assert len(lines) == 1 + 4  # anna voted twice, ben once and late
    assert [first in line for line in lines[1:3]] == [True, True]
    remove(teacher, ben)
    menu(teacher, "Class", "End now", "Yes, end")
    shows(teacher, "This class has ended")
    shows(anna, "The class has ended: every step is told")
    press(teacher, "Class", "Delete", "Yes, delete")
    shows(teacher, f"The class {code} is deleted")
    shows(anna, "Your teacher has deleted this class")


def join(teacher: Visit, others: Others, code: str) -> list[Visit]:
    """By the link, and by the code on a phone, which nothing hurries."""
    link = teacher.page.locator(".st-key-class_head p a")
    expect(link).to_have_attribute("href", re.compile(rf"/class/{code}$"))
    expect(teacher.page.get_by_alt_text("QR code of the link")).to_be_visible()
    anna = others("anna", f"/class/{code}", teacher.base)
    assert anna.search() == f"?class={code}"
    ben = others("ben", "/labs", teacher.base, hurries=False)
    ben.page.get_by_text("Work together as a class").click()
    ben.page.get_by_label("the code of your class").fill(code.upper())
    press(ben, "Join")
    expect(field(ben)).to_be_visible()
    ben.page.set_viewport_size(viewport((390, 844)))
    teacher.page.get_by_text("Large code").click()  # it stays until then
    answered(teacher, "0 of 2")
    return [anna, ben]


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
    press(teacher, "Private view")
    view = teacher.page.get_by_text("Show it on this screen")
    view.click()
    teacher.page.keyboard.press("Escape")
    shows(teacher, "Who is stuck")
    shows(teacher.reload(), "Who is stuck")  # this tab keeps it
    teacher.page.get_by_text("Rows of students").click()
    gone = name(student)
    teacher.pop(f"Remove {gone}")
    press(teacher, f"Remove {gone} and all answers", "Yes, remove")
    lacks(teacher, gone)
    shows(student, "has removed your row")


class Wifi:
    """The connection of a page. `set_offline` would leave an open websocket as it is."""

    def __init__(self, page: Page) -> None:
        self._page, self._sockets = page, list[WebSocketRoute]()
        page.route_web_socket(re.compile("/_stcore/stream"), self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        self._sockets.append(socket)
        socket.connect_to_server()

    def cut(self) -> None:
        """End the websocket, and refuse new ones and questions."""
        refused = re.compile("/_stcore/health|/version$")
        self._page.route(refused, lambda route: route.abort())
        self._sockets[-1].close()

    def mend(self) -> None:
        """Take new connections."""
        self._page.unroute_all()


def test_a_class_goes_through_two_labs(
    visit: Callable[..., Visit], server: Server, others: Others
) -> None:
    """All are brought: at work, while they write, and without Wi-Fi."""
    teacher = visit("/labs")
    code = start(teacher)
    anna = others("anna", None, teacher.base, hurries=False)
    wifi = Wifi(anna.page)
    anna.open(f"/class/{code}")
    ben = others("ben", f"/class/{code}", teacher.base)
    at(anna, "row", 1)
    at(ben, "row", 1)
    teacher.page.get_by_text("Large code").click()
    who = name(anna)
    field(ben).press_sequentially("1 2")
    teacher.page.locator(".st-key-board_step .stButton button").nth(3).click()
    shows(teacher, re.compile(r"^4 · "))  # a press brings to the step that the board shows
    press(teacher, "Bring everyone here")
    at(anna, "row", 4)
    # Who is writing is asked, and nothing is lost.
    shows(ben, "Your class is at step 4")
    expect(field(ben)).to_have_value("1 2")
    press(ben, "Your class is at step 4")
    at(ben, "row", 4)

    # Without Wi-Fi there is one sentence, and what is typed stays; what the class did follows.
    field(anna).fill("")
    field(anna).press_sequentially("77")
    wifi.cut()
    lost = anna.page.get_by_role("alert").filter(has_text="No connection. Check your Wi-Fi.")
    expect(lost).to_be_visible()
    dialog = anna.page.locator(".stDialog")
    expect(dialog).to_be_attached()
    expect(dialog).to_be_hidden()
    expect(lost).to_be_visible()  # a screen reader is told beside the dialog too
    teacher.page.locator(".st-key-board_lab button").click()
    teacher.page.get_by_role("option", name=LABS["bag"].title).click()
    shows(teacher, questions("bag", 1)[0].title)
    press(teacher, "Bring everyone here")
    at(ben, "bag", 1)
    wifi.mend()
    expect(lost).to_be_hidden()
    anna.problems.clear()  # of the connection
    shows(anna, "Your class is at step 1 of")
    expect(field(anna)).to_have_value("77")
    press(anna, "Answer")
    at(anna, "bag", 1)  # nothing is written any more
    store = Store(server.log.parent / "data" / "votes.sqlite3")
    assert [one.typed for one in store.snapshot(code).answers] == ["77"]
    assert name(anna) == who
    menu(teacher, "Countdown", "5 min")
    for one in (teacher, ben):
        shows(one, re.compile(r"4:5\d"))
    # The lab before is still there, and so is its answer.
    anna.page.get_by_role("radio", name=LABS["row"].title).click()
    at(anna, "row", 1)
