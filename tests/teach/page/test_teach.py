"""The teacher's page: who sees answers, what stands there, its sheets, and where its plans lead."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import streamlit as st

from embviz.classes import pace
from embviz.classes.pace import Tries
from embviz.classes.page import class_link
from embviz.classes.routes import TEACHER
from embviz.labs import homework
from embviz.labs.catalogue import LABS, beside, questions
from embviz.labs.drawing import html_of
from embviz.settings.pages import PAGES, SETTINGS
from embviz.system import spent
from embviz.teach.page import access, guide, sheets, teach
from embviz.teach.page import homework as teach_homework
from embviz.teach.plan import PLANS, goals, ticket
from tests.classes.page.made import BOSS, Class
from tests.labs.page.visitor import Visitor, plain
from tests.ui.frame import test_headings as headings
from tests.ui.headless import unescaped

WORD = "seven blue whales"
ELSEWHERE = [
    ("192.168.1.5", {}),
    ("::ffff:192.168.1.5", {}),
    (None, {"X-Forwarded-For": "127.0.0.1"}),
    (None, {"Via": "1.1 proxy"}),
]
Cookies = dict[str, str]


def shown(visitor: Visitor) -> str:
    """All messages to the browser."""
    return "\n".join(str(getattr(node, "proto", "")) for node in visitor.app)


def without_answers(lab: str, seed: int) -> Any:
    """The questions of a lab as one has them who knows no answer."""
    none: dict[str, Any] = {"right": (), "mistakes": {}, "why": "", "hints": (), "picture": ()}
    return tuple(replace(one, small=(), **none) for one in questions(lab, seed))


def is_told(visitor: Visitor, lab: str = "row") -> bool:
    """Whether the guide to a lab has its answers: all of them, or none."""
    asked, said = questions(lab, teach.SAMPLE), plain(visitor.words)
    secrets = [html_of(one.picture) for one in asked if one.picture != one.start]
    secrets += [plain(step.say) for step in LABS[lab].steps]
    found = [one in said for one in secrets]
    assert len({*found}) == 1
    return found[0]


@pytest.fixture
def cookies(monkeypatch: pytest.MonkeyPatch) -> Cookies:
    """The browser's cookies; none at first."""
    given: Cookies = {}
    monkeypatch.setattr(class_link, "cookie", lambda name: given.get(name, ""))
    monkeypatch.setattr(pace, "AT_ONCE", 10_000)
    return given


@pytest.fixture
def come_from(cookies: Cookies, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets the browser come from an address, with headers."""

    def come(address: str | None, headers: dict[str, str]) -> None:
        context = SimpleNamespace(ip_address=address, headers=headers, url=None)
        monkeypatch.setattr(st, "context", context)

    return come


@pytest.mark.parametrize("lab", LABS)
def test_a_guide_has_all_that_the_records_have(lab: str) -> None:
    """Goals, minutes, and each step's question, answer, mistakes, reason and words."""
    visitor, chosen = Visitor(teach=lab, numbers="5"), LABS[lab]
    minutes = chosen.minutes
    visitor.sees(*chosen.goals, chosen.needs, f"included | **{minutes}** |")
    for number, (step, one) in enumerate(zip(chosen.steps, questions(lab, 5), strict=True), 1):
        cells = [guide.cell(text) for text in (one.why, *one.mistakes.values())]
        answers = [guide.shown(answer) for answer in (one.right, *one.mistakes)]
        heading = f"{number} · {one.title} · :gray[{step.minutes} min]"
        visitor.sees(
            heading,
            f"| {number} {one.title} | {step.minutes} |",
            one.prompt,
            *cells,
            *answers,
            step.say,
        )
        visitor.sees(html_of(one.picture))
    for name, one in zip(("Easier", "Harder"), beside(lab, 5), strict=True):
        visitor.sees(f"{name} · {one.title}", one.prompt, guide.cell(one.why))
        visitor.sees(*map(guide.shown, (one.right, *one.mistakes)))


@pytest.mark.parametrize(("address", "headers"), ELSEWHERE)
def test_elsewhere_no_message_has_an_answer(
    address: str | None, headers: dict[str, str], come_from: Callable[..., None]
) -> None:
    """The page stands all the same, and says how to see them."""
    come_from(address, headers)
    visitor = Visitor(teach="row").sees(access.AT_SERVER, *LABS["row"].goals)
    assert not is_told(visitor)


@pytest.mark.parametrize("lab", LABS)
def test_without_answers_the_page_depends_on_none(
    lab: str, come_from: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the same page where the questions have no answers; so are the sheets, anywhere."""
    come_from("192.168.1.5", {})
    before = shown(Visitor(teach=lab))
    come_from(None, {})

    def both_sheets() -> list[str]:
        return [shown(Visitor(teach=lab, sheet=sheet)) for sheet in ("handout", "ticket")]

    sheets_before = both_sheets()
    assert before != shown(Visitor(teach=lab))
    for module in (guide, sheets):
        monkeypatch.setattr(module, "questions", without_answers)
    assert sheets_before == [
        shown(Visitor(teach=lab, sheet=sheet)) for sheet in ("handout", "ticket")
    ]
    come_from("192.168.1.5", {})
    assert before == shown(Visitor(teach=lab))


@pytest.mark.parametrize("hosted", ["0", "1"])
def test_where_a_word_is_set_everybody_needs_it(
    hosted: str, come_from: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a browser on the machine too; a wrong word is not shown, and the right one shows all."""
    monkeypatch.setenv("EMBVIZ_HOSTED", hosted)
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    come_from(None, {})
    visitor = Visitor(teach="row").sees(access.WITH_WORD)
    for wrong in ("", WORD[:-1], f"{WORD}x", "é"):
        visitor.app.text_input[0].set_value(wrong)
        visitor.press("Show the answers").sees("is not the class word")
        assert not is_told(visitor)
    visitor.app.text_input[0].set_value(WORD)
    visitor.press("Show the answers").sees(never=["is not the class word", access.WITH_WORD])
    assert is_told(visitor)
    visitor.app.run()
    assert (is_told(visitor), [*visitor.app.text_input]) == (True, [])
    assert not is_told(Visitor(teach="row"))  # another session


def test_words_are_guessed_at_the_pace_of_all(
    come_from: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While many of this address wait, none is compared, the right one neither."""
    monkeypatch.setattr(access, "words", Tries())
    monkeypatch.setattr(spent, "time", SimpleNamespace(monotonic=lambda: 1e6))
    monkeypatch.setattr(pace, "AT_ONCE", 10)
    monkeypatch.setattr(pace, "MOST_WAIT_S", 1e-3)
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    come_from(None, {})
    visitor = Visitor(teach="row")
    visitor.app.text_input[0].set_value("wrong")
    said = ["is not the class word" in visitor.press("Show the answers").words for _ in range(12)]
    assert said == [True] * pace.AT_ONCE + [False, False]
    visitor.app.text_input[0].set_value(WORD)
    visitor.press("Show the answers").sees("Wait some seconds")
    assert not is_told(visitor)


def test_a_hosted_server_without_a_word_shows_none(
    come_from: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy may be there that adds no header."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    come_from(None, {})
    assert not is_told(Visitor(teach="row").sees(access.NO_WORD))


@pytest.mark.parametrize("word", ["", WORD])
def test_a_teacher_of_a_class_sees_answers_anywhere(
    one: Class, word: str, come_from: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cookie of a class is enough; without classes, or of another browser, it is not."""
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", word)
    come_from("192.168.1.5", {})
    for cookie, sees in (("", False), ("x" * 43, False), (BOSS, True)):
        given = {TEACHER: cookie}
        monkeypatch.setattr(class_link, "cookie", lambda name, given=given: given.get(name, ""))
        assert is_told(Visitor(teach="row")) == sees
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert not is_told(Visitor(teach="row"))
    assert one.room.lab == "row"


def check_sheet(sheet: Visitor, parts: list[sheets.Part]) -> None:
    """A sheet has these questions, counted through, each with points, room and its address."""
    number = 0
    for part in parts:
        address = f"labs?lab={part.lab}&amp;numbers={part.seed}"
        sheet.sees(LABS[part.lab].title, address)
        for one in part.asked:
            number += 1
            worth = f"{number} · {one.title} · :gray[{sheets.points(one)} point"
            sheet.sees(worth, one.prompt, *one.choices, never=["spaces between"])
            assert (sheets.points(one) == 1) == bool(one.choices or one.pressed)
    assert len(re.findall("^## ", sheet.words, re.MULTILINE)) == number
    computed = [one for part in parts for one in part.asked if sheets.points(one) > 1]
    pressed = [one for part in parts for one in part.asked if one.pressed]
    rooms = (sheets.WORKING + 1) * len(computed) + len(pressed)
    assert sheet.words.count(sheets.ROOM) == rooms
    total = sum(sheets.points(one) for part in parts for one in part.asked)
    sheet.sees(f"</span> of {total}")


@pytest.mark.parametrize("lab", LABS)
def test_sheets_have_the_questions_and_a_link(lab: str) -> None:
    """All questions of the handout with its numbers, those of the ticket with others."""
    handout = Visitor(teach=lab, sheet="handout", numbers="5").sees(*LABS[lab].goals)
    check_sheet(handout, [sheets.Part(lab, 5, questions(lab, 5))])
    without = Visitor(lab=lab, sheet="handout", numbers="5")  # as somebody may write it
    assert without.words == handout.words
    some = [questions(lab, 6)[step - 1] for step in LABS[lab].exit_ticket]
    check_sheet(Visitor(teach=lab, sheet="ticket", numbers="5"), [sheets.Part(lab, 6, some)])
    assert sheets.ticket_seed(SETTINGS["numbers"].high) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("minutes", PLANS)
def test_the_ticket_of_a_plan_asks_of_all_its_labs(minutes: int) -> None:
    """Under the address of the plan, with other numbers than the lesson."""
    sheet = Visitor(teach="all", plan=f"{minutes}", sheet="ticket", numbers="5")
    parts = [
        sheets.Part(lab, 6, [questions(lab, 6)[step - 1] for step in steps])
        for lab, steps in ticket(minutes).items()
    ]
    check_sheet(sheet, parts)


def test_a_sheet_without_address_has_none_and_says_nothing_of_it() -> None:
    """A code that was printed in another network opens nothing: the page says it before."""
    visitor = Visitor(teach="row", sheet="ticket")
    visitor.sees("The printed code carries the address", "labs?lab=row", "QR code of the link")
    visitor.app.toggle(key="teach_address").set_value(False).run()
    visitor.sees(never=["carries the address", "labs?lab=row", "QR code of the link"])


@pytest.mark.parametrize(
    ("listens", "url", "alone"),
    [
        ("127.0.0.1", "http://localhost:8501/labs", True),
        ("::1", "http://127.0.0.1:8501/labs", True),
        ("127.0.0.1", "https://embviz.example.org/labs", False),  # a proxy stands before it
        ("0.0.0.0", "http://localhost:8501/labs", False),  # noqa: S104
        (None, "http://localhost:8501/labs", False),
    ],
)
def test_sheets_of_a_server_that_listens_to_itself_say_so(
    listens: str | None, url: str, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their address cannot be opened in any network."""
    monkeypatch.setattr(st, "context", SimpleNamespace(url=url))
    monkeypatch.setattr(st, "get_option", {"server.address": listens}.__getitem__)
    said = sheets.about_address()
    assert ("its own machine alone" in said) == alone != ("in another network" in said)


@pytest.mark.parametrize("query", [{"teach": "row", "sheet": "handout"}, {"sheet": "ticket"}])
def test_a_key_is_for_those_who_may_see_answers(
    query: Cookies, come_from: Callable[..., None]
) -> None:
    """After a press, with each answer, reason and mistake; a student has nothing to press.

    Beside a ticket others read how to see them: a teacher may come with another browser.
    """
    query = {"teach": "all", "plan": "90", "numbers": "5", **query}
    come_from("192.168.1.5", {})
    student = Visitor(**query)
    assert [one.key for one in student.app.main.toggle] == ["teach_address"]
    student.app.session_state["teach_has_key"] = True
    student.app.run()
    student.sees(never=["## Key"])
    come_from(None, {})
    teacher = Visitor(**query).sees(never=["## Key"])
    assert (access.AT_SERVER in student.words) == (query["sheet"] == "ticket")
    assert teacher.words.split() == student.words.replace(access.AT_SERVER, "").split()
    teacher.app.toggle(key="teach_has_key").set_value(True).run()
    parts = sheets.ticket(ticket(90), 5)
    if query["sheet"] == "handout":
        parts = [sheets.handout("row", 5)]
    for one in [one for part in parts for one in part.asked]:
        cells = [guide.cell(text) for text in (one.why, *one.mistakes.values())]
        teacher.sees("## Key", guide.shown(one.right), *cells)


def test_homework_is_checked_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names stand before their lines; a copy is noted, and what cannot be read is quoted."""
    for word in (WORD, ""):
        monkeypatch.setenv("EMBVIZ_CLASS_WORD", word)
        asked = questions("row", 9)
        given = {1: (asked[0].right,), 2: (next(iter(asked[1].mistakes)),)}
        line = homework.line("row", 9, asked, given)
        other = homework.line("bag", 9, questions("bag", 9), {})
        visitor = Visitor(teach="all", sheet="homework")
        links = visitor.app.main.code[0].value.splitlines()
        assert [link.partition("labs?lab=")[2] for link in links] == [*LABS]
        visitor.sees("the line is signed with it")
        assert (teach_homework.UNSIGNED in visitor.words) != bool(word)
        typed = f'=Ada(): {line}\n\n"Bo, C.";"{line}";\n{other}\nDi {line[:-1]}0x\n'
        visitor.app.text_area[0].set_value(typed)
        visitor.press("Check")
        rows = visitor.app.dataframe[0].value
        steps = len(asked)
        assert rows.to_numpy().tolist() == [
            [1, "'=Ada()", LABS["row"].title, "9", steps, 1, 1, 1, steps - 2, ""],
            [
                2,
                "Bo, C",
                LABS["row"].title,
                "9",
                steps,
                1,
                1,
                1,
                steps - 2,
                "same numbers as line 1",
            ],
            [
                3,
                "",
                LABS["bag"].title,
                "9",
                len(LABS["bag"].steps),
                0,
                0,
                0,
                len(LABS["bag"].steps),
                "",
            ],
        ]
        visitor.sees(f"Line 4, Di: '{line[:-1]}0x' is mistyped or was changed")
    (link,) = Visitor(teach="bag", sheet="homework").app.main.code
    assert link.value.endswith("/labs?lab=bag")


def test_many_lines_are_refused_in_few_words() -> None:
    """The first of them are quoted, the others counted; too many are not read."""
    visitor = Visitor(teach="row", sheet="homework")
    visitor.app.text_area[0].set_value("x\n" * (teach_homework.SHOWN + 5))
    visitor.press("Check").sees("Line 20: 'x'", "5 more lines cannot be read", never=["Line 21"])
    visitor.app.text_area[0].set_value("x\n" * (teach_homework.MOST_LINES + 1))
    visitor.press("Check").sees("301 lines are more than the 300", never=["Line 1"])


def test_other_numbers_stay_in_the_address() -> None:
    """A press draws numbers of one's own, and a sheet and its answers have the same."""
    visitor = Visitor(teach="row").press("Other numbers")
    seed = visitor.get("numbers")
    assert (visitor.get("teach"), 1 <= seed <= teach.MOST_NUMBERS) == ("row", True)
    visitor.sees(questions("row", seed)[0].prompt)
    visitor.app.segmented_control(key="sheet").set_value("handout").run()
    assert (visitor.get("sheet"), visitor.get("numbers")) == ("handout", seed)
    visitor.sees(questions("row", seed)[0].prompt)
    assert visitor.press("All labs").get("teach") == teach.OFF


def test_the_way_back_to_a_board() -> None:
    """It is there where a board has led here."""
    visitor = Visitor(teach="all", board="bbb-bbbb")
    assert "Back to the board" not in Visitor(teach="all").labels()
    visitor.press("Back to the board")
    assert (visitor.get("teach"), visitor.get("board")) == (teach.OFF, "bbb-bbbb")


@pytest.mark.parametrize("minutes", PLANS)
def test_a_plan_has_each_part_and_fills_its_minutes(minutes: int) -> None:
    """Every section with its words, and every step with its title, from 0 to the end."""
    visitor = Visitor(teach="all", plan=f"{minutes}")
    begin, rows = 0, [line for line in visitor.words.splitlines() if line.startswith("| ")]
    for section in PLANS[minutes]:
        end = begin + section.minutes
        when = f"{begin} to {end}"
        if not section.minutes:
            when = "After" if begin else "Before"
        row = next(line for line in rows if line.startswith(f"| {when} | [{section.what}]"))
        assert section.do in row
        assert section.ask in row
        assert "?." not in row
        for lab, steps in section.steps.items():
            asked = questions(lab, 1)
            assert all(f"{step} {asked[step - 1].title}" in row for step in steps)
        begin = end
    assert begin == minutes
    visitor.sees("A second press moves all", "*Close the door*")
    visitor.sees("**Today.**", *(f"- {goal}" for goal in goals(minutes)))
    assert all(visitor.words.count(goal) <= 1 for lab in LABS.values() for goal in lab.goals)


def test_a_plan_has_an_address() -> None:
    """A press changes it, and it names the exit ticket of the plan too."""
    visitor = Visitor(teach="all", plan="90")
    visitor.app.segmented_control(key="sheet").set_value("ticket").run()
    visitor.app.segmented_control(key="plan").set_value("45").run()
    assert [visitor.get(name) for name in ("teach", "plan", "sheet")] == ["all", "45", "ticket"]


def test_links_lead_to_pages_with_settings_that_these_read() -> None:
    """Of all plans, labs and claims."""
    found = set[str]()
    for minutes in PLANS:
        visitor = Visitor(teach="all", plan=f"{minutes}")
        texts = [str(one.value) for one in visitor.app.main.markdown]
        found |= {*re.findall(r"\]\(\./([^)]*)\)", "\n".join(texts))}
    assert len(found) > 2 * len(LABS)
    for link in found:
        asked = urlsplit(link)
        page = PAGES[asked.path or "playground"]
        query = dict(parse_qsl(asked.query, strict_parsing=bool(asked.query)))
        assert {*query} <= {*page.reads}
        for name, raw in query.items():
            SETTINGS[name].read(raw)


@pytest.mark.parametrize("teach_page", ["all", *LABS])
@pytest.mark.parametrize("sheet", SETTINGS["sheet"].options())
def test_headings_stand_in_order(teach_page: str, sheet: str) -> None:
    """Of every view; nothing typed in an address is said there."""
    visitor = Visitor(teach=teach_page, sheet=sheet)
    headings.check(visitor.app)
    assert plain(unescaped(visitor.words))
