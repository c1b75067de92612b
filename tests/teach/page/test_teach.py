"""The teacher's page: who sees answers, what stands there, its sheets, and where its plans lead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
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
from embviz.labs.question import Question
from embviz.settings.pages import PAGES, SETTINGS
from embviz.system import spent
from embviz.teach.page import access, guide, sheets, teach
from embviz.teach.page import homework as teach_homework
from embviz.teach.plan import BUFFER, PLANS, goals, ticket
from tests.classes.page.made import BOSS, Class
from tests.labs.page.visitor import Visitor, plain
from tests.ui.frame import test_headings as headings
from tests.ui.headless import unescaped

WORD = "seven blue whales"
ELSEWHERE = "192.168.1.5"
Come = Callable[..., None]


def shown(**query: str) -> str:
    """All messages to the browser."""
    return "\n".join(str(getattr(node, "proto", "")) for node in Visitor(**query).app)


def without_answers(lab: str, seed: int) -> Any:
    """The questions of a lab as one has them who knows no answer."""
    none: dict[str, Any] = {"right": (), "mistakes": {}, "why": "", "hints": (), "picture": ()}
    return tuple(replace(one, small=(), **none) for one in questions(lab, seed))


def answers(asked: Iterable[Question]) -> list[str]:
    """What a guide or a key tells about questions."""
    cells = list[str]()
    for one in asked:
        cells += map(guide.cell, (one.why, *one.mistakes.values()))
        cells += map(guide.shown, (one.right, *one.mistakes))
    return cells


def is_told(visitor: Visitor, lab: str = "row") -> bool:
    """Whether the guide to a lab has its answers: all of them, or none."""
    asked, said = questions(lab, teach.SAMPLE), plain(visitor.words)
    secrets = [html_of(one.picture) for one in asked if one.picture != one.start]
    secrets += [plain(step.say) for step in LABS[lab].steps]
    found = [one in said for one in secrets]
    assert len({*found}) == 1
    return found[0]


@pytest.fixture
def come_from(monkeypatch: pytest.MonkeyPatch) -> Come:
    """Lets the browser come from an address, with headers, and without a cookie."""
    monkeypatch.setattr(class_link, "cookie", lambda _name: "")
    monkeypatch.setattr(pace, "AT_ONCE", 10_000)

    def come(address: str | None, headers: dict[str, str] | None = None) -> None:
        context = SimpleNamespace(ip_address=address, headers=headers or {}, url=None)
        monkeypatch.setattr(st, "context", context)

    return come


@pytest.mark.parametrize("lab", LABS)
def test_a_guide_has_all_that_the_records_have(lab: str) -> None:
    """Goals, minutes, and each step's question, answer, mistakes, reason and words."""
    visitor, chosen = Visitor(teach=lab, numbers="5"), LABS[lab]
    visitor.sees(*chosen.goals, chosen.needs, f"included | **{chosen.minutes}** |")
    asked, aside = questions(lab, 5), beside(lab, 5)
    for number, (step, one) in enumerate(zip(chosen.steps, asked, strict=True), 1):
        heading = f"{number} · {one.title} · :gray[{step.minutes} min]"
        line = f"| {number} {one.title} | {step.minutes} |"
        visitor.sees(heading, line, one.prompt, step.say, html_of(one.picture))
    for name, one in zip(("Easier", "Harder"), aside, strict=True):
        visitor.sees(f"{name} · {one.title}", one.prompt)
    visitor.sees(*answers([*asked, *aside]))


def test_elsewhere_no_message_has_an_answer(
    come_from: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says how to see them; it and the sheets depend on no answer."""
    for address, headers in ((ELSEWHERE, {}), (None, {"Via": "1.1 proxy"})):
        come_from(address, headers)
        assert not is_told(Visitor(teach="row").sees(access.AT_SERVER, *LABS["row"].goals))

    def pages() -> list[str]:
        views = [{"teach": lab, "sheet": sheet} for lab in LABS for sheet in ("none", "ticket")]
        return [shown(**view) for view in [*views, {"teach": "bag", "sheet": "handout"}]]

    before = pages()
    for module in (guide, sheets):
        monkeypatch.setattr(module, "questions", without_answers)
    assert pages() == before
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")  # a proxy may be there that adds no header
    come_from(None)
    Visitor(teach="row").sees(access.NO_WORD)


def test_where_a_word_is_set_everybody_needs_it(
    come_from: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a browser on the machine too; a wrong word is not shown, and the right one shows all."""
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    come_from(None)
    visitor = Visitor(teach="row").sees(access.WITH_WORD)
    for wrong in ("", f"{WORD}x", "é"):
        visitor.app.text_input[0].set_value(wrong)
        visitor.press("Show the answers").sees("is not the class word")
        assert not is_told(visitor)
    visitor.app.text_input[0].set_value(WORD)
    visitor.press("Show the answers").sees(never=["is not the class word", access.WITH_WORD])
    visitor.app.run()
    assert (is_told(visitor), [*visitor.app.text_input]) == (True, [])
    assert not is_told(Visitor(teach="row"))  # another session


def test_words_are_guessed_at_the_pace_of_all(
    come_from: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While many of this address wait, none is compared, the right one neither."""
    come_from(None)
    monkeypatch.setattr(access, "words", Tries())
    monkeypatch.setattr(spent, "time", SimpleNamespace(monotonic=lambda: 1e6))
    monkeypatch.setattr(pace, "AT_ONCE", 2)
    monkeypatch.setattr(pace, "MOST_WAIT_S", 1e-3)
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    visitor = Visitor(teach="row")

    def try_word(word: str) -> Visitor:
        visitor.app.text_input[0].set_value(word)
        return visitor.press("Show the answers")

    for _ in range(2):
        try_word("wrong").sees("is not the class word")
    for word in ("wrong", WORD):
        try_word(word).sees("Wait some seconds", never=["is not the class word"])
    assert not is_told(visitor)


def test_a_teacher_of_a_class_sees_answers_anywhere(
    one: Class, come_from: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cookie of a class is enough, also where a word is set; another browser's is not."""
    assert one.room.lab == "row"
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    come_from(ELSEWHERE)
    for cookie, sees in (("x" * 43, False), (BOSS, True)):
        given = {TEACHER: cookie}
        monkeypatch.setattr(class_link, "cookie", lambda name, given=given: given.get(name, ""))
        assert is_told(Visitor(teach="row")) == sees
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert not is_told(Visitor(teach="row"))


def check_sheet(sheet: Visitor, parts: list[sheets.Part]) -> None:
    """A sheet has these questions, counted through, each with points, room and its address."""
    for part in parts:
        sheet.sees(LABS[part.lab].title, f"labs?lab={part.lab}&amp;numbers={part.seed}")
    asked = [one for part in parts for one in part.asked]
    points, rooms = 0, 0
    for number, one in enumerate(asked, 1):
        is_computed = not one.choices and not one.pressed
        worth = "2 points" if is_computed else "1 point"
        title = f"{number} · {one.title} · :gray[{worth}]"
        sheet.sees(title, one.prompt, *one.choices, never=["spaces between"])
        points += 1 + is_computed
        rooms += 0 if one.choices else 1 + 4 * is_computed
    assert len(re.findall("^## ", sheet.words, re.MULTILINE)) == len(asked)
    assert sheet.words.count(sheets.ROOM) == rooms
    sheet.sees(f"</span> of {points}")


@pytest.mark.parametrize("lab", ["row", "cost"])
def test_sheets_have_the_questions_and_a_link(lab: str) -> None:
    """All questions of the handout with its numbers, those of the ticket with others."""
    handout = Visitor(teach=lab, sheet="handout", numbers="5").sees(*LABS[lab].goals)
    check_sheet(handout, [sheets.Part(lab, 5, questions(lab, 5))])
    without = Visitor(lab=lab, sheet="handout", numbers="5")  # as somebody may write it
    assert without.words == handout.words
    some = [questions(lab, 6)[step - 1] for step in LABS[lab].ticket]
    check_sheet(Visitor(teach=lab, sheet="ticket", numbers="5"), [sheets.Part(lab, 6, some)])
    assert sheets.ticket_seed(SETTINGS["numbers"].high) == 1  # type: ignore[attr-defined]


def test_the_ticket_of_a_plan_asks_of_all_its_labs() -> None:
    """Under the address of the plan, with other numbers than the lesson.

    It may be printed without an address: in another network that opens nothing, as the page says.
    """
    sheet = Visitor(teach="all", plan="90", sheet="ticket", numbers="5")
    parts = [
        sheets.Part(lab, 6, [questions(lab, 6)[step - 1] for step in steps])
        for lab, steps in ticket(90).items()
    ]
    check_sheet(sheet, parts)
    of_address = ["The printed code carries the address", "labs?lab=row", "QR code of the link"]
    sheet.sees(*of_address)
    sheet.app.toggle(key="teach_address").set_value(False).run()
    sheet.sees(never=of_address)


@pytest.mark.parametrize(
    "query",
    [{"teach": "row", "sheet": name} for name in ("handout", "ticket")]
    + [{"teach": "all", "sheet": "ticket"}],
)
def test_the_numbers_that_are_said_are_those_of_the_links(query: dict[str, str]) -> None:
    """Of each sheet."""
    words = Visitor(**query).words
    linked = set(re.findall(r"numbers=(\d+)", words))
    assert linked == {*re.findall(r"Numbers (\d+), a sample", words)} != set()


@pytest.mark.parametrize("minutes", PLANS)
def test_the_tour_fits_into_the_plan(minutes: int) -> None:
    """It has the minutes of the section that it replaces, and of the buffer: ten or so."""
    words = Visitor(teach="all", plan=str(minutes)).words
    (said,) = re.findall(r"in place of \*(.+)\*. With the buffer it has (\d+) minutes", words)
    rows = re.findall(r"\| (\d+) to (\d+) \| \[(.+?)\]", words)
    spare = [int(end) - int(begin) for begin, end, what in rows if what in (said[0], BUFFER)]
    assert (len(spare), sum(spare)) == (2, int(said[1]))
    assert int(said[1]) >= 6  # of *Start here, 6 minutes*


def test_a_server_that_listens_to_itself_says_so_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a sheet and of a board no other device opens the address."""
    for is_alone in (True, False):
        monkeypatch.setattr(class_link, "is_alone", lambda _url, is_alone=is_alone: is_alone)
        said = sheets.about_address()
        assert ("its own machine alone" in said) == is_alone != ("in another network" in said)
        for one in (said, class_link.alone("http://localhost:8501/labs")):
            assert ("start it without that option" in one) == is_alone


@pytest.mark.parametrize("query", [{"teach": "row", "sheet": "handout"}, {"sheet": "ticket"}])
def test_a_key_is_for_those_who_may_see_answers(query: dict[str, str], come_from: Come) -> None:
    """After a press, with each answer, reason and mistake; a student has nothing to press.

    Beside a ticket others read how to see them: a teacher may come with another browser.
    """
    query = {"teach": "all", "plan": "90", "numbers": "5", **query}
    come_from(ELSEWHERE)
    student = Visitor(**query)
    assert [one.key for one in student.app.main.toggle] == ["teach_address"]
    student.app.session_state["teach_has_key"] = True
    student.app.run()
    student.sees(never=["## Key"])
    assert (access.AT_SERVER in student.words) == (query["sheet"] == "ticket")
    come_from(None)
    teacher = Visitor(**query).sees(never=["## Key"])
    assert teacher.words.split() == student.words.replace(access.AT_SERVER, "").split()
    teacher.app.toggle(key="teach_has_key").set_value(True).run()
    parts = (
        sheets.ticket(ticket(90), 5) if query["sheet"] == "ticket" else [sheets.handout("row", 5)]
    )
    teacher.sees("## Key", *answers(one for part in parts for one in part.asked))


@pytest.mark.parametrize("word", [WORD, ""])
def test_homework_is_checked_line_by_line(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names stand before their lines; a copy is noted, and what cannot be read is quoted."""
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
    visitor.press("Check").sees(f"Line 4, Di: '{line[:-1]}0x' is mistyped or was changed")
    steps, of_bag = len(asked), len(LABS["bag"].steps)
    row, bag = LABS["row"].title, LABS["bag"].title
    marks = [steps, 1, 1, 1, steps - 2]
    assert visitor.app.dataframe[0].value.to_numpy().tolist() == [
        [1, "'=Ada()", row, "9", *marks, ""],
        [2, "Bo, C", row, "9", *marks, "same numbers as line 1"],
        [3, "", bag, "9", of_bag, 0, 0, 0, of_bag, ""],
    ]
    (link,) = Visitor(teach="bag", sheet="homework").app.main.code
    assert link.value.endswith("/labs?lab=bag")


def test_many_lines_are_refused_in_few_words() -> None:
    """The first of them are quoted, the others counted; too many are not read."""
    visitor = Visitor(teach="row", sheet="homework")
    visitor.app.text_area[0].set_value("x\n" * (teach_homework.SHOWN + 5))
    visitor.press("Check").sees("Line 20: 'x'", "5 more lines cannot be read", never=["Line 21"])
    visitor.app.text_area[0].set_value("x\n" * (teach_homework.MOST_LINES + 1))
    visitor.press("Check").sees("301 lines are more than the 300", never=["Line 1"])


def test_numbers_and_ways_are_in_the_address() -> None:
    """Of a sheet and its answers, of a plan and its ticket, and of a board that has led here."""
    visitor = Visitor(teach="row", board="bbb-bbbb").press("Other numbers")
    seed = visitor.get("numbers")
    assert 1 <= seed <= teach.MOST_NUMBERS
    visitor.sees(questions("row", seed)[0].prompt)
    visitor.app.segmented_control(key="sheet").set_value("handout").run()
    assert (visitor.get("sheet"), visitor.get("numbers")) == ("handout", seed)
    visitor.sees(questions("row", seed)[0].prompt).press("Back to the board")
    assert (visitor.get("teach"), visitor.get("board")) == (teach.OFF, "bbb-bbbb")
    visitor = Visitor(teach="all", plan="90")
    assert "Back to the board" not in visitor.labels()
    visitor.app.segmented_control(key="sheet").set_value("ticket").run()
    visitor.app.segmented_control(key="plan").set_value("45").run()
    assert [visitor.get(name) for name in ("teach", "plan", "sheet")] == ["all", "45", "ticket"]
    assert visitor.press("All labs").get("teach") == teach.OFF


@pytest.mark.parametrize("minutes", PLANS)
def test_a_plan_has_each_part_and_fills_its_minutes(minutes: int) -> None:
    """Every section with its words, and every step with its title, from 0 to the end.

    Its links lead to pages with settings that these read.
    """
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
        for lab, steps in section.steps.items():
            asked = questions(lab, 1)
            assert all(f"{step} {asked[step - 1].title}" in row for step in steps)
        begin = end
    assert begin == minutes
    visitor.sees("**Today.**", *(f"- {goal}" for goal in goals(minutes)))
    assert all(visitor.words.count(goal) <= 1 for lab in LABS.values() for goal in lab.goals)
    links = re.findall(r"\]\(\./([^)]*)\)", visitor.words)
    assert len(links) > 2 * len(LABS)
    for link in links:
        to = urlsplit(link)
        page = PAGES[to.path or "playground"]
        query = dict(parse_qsl(to.query, strict_parsing=bool(to.query)))
        assert {*query} <= {*page.reads}
        for name, raw in query.items():
            SETTINGS[name].read(raw)


@pytest.mark.parametrize("teach_page", ["all", "row"])
@pytest.mark.parametrize("sheet", SETTINGS["sheet"].options())
def test_headings_stand_in_order(teach_page: str, sheet: str) -> None:
    """Of every view."""
    visitor = Visitor(teach=teach_page, sheet=sheet)
    headings.check(visitor.app)
    assert plain(unescaped(visitor.words))
