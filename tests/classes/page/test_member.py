"""A student in a class: what the page shows, and what the store then has."""

from __future__ import annotations

import re
import time
from html import escape
from types import SimpleNamespace
from unittest.mock import Mock
from urllib.parse import parse_qsl

import pytest

from embviz.classes import pace
from embviz.classes.pace import Tries
from embviz.classes.page import class_link
from embviz.classes.room import StoreError
from embviz.classes.store import Store
from embviz.classes.visit import is_here
from embviz.classes.visits import visits_of
from embviz.labs.catalogue import LABS
from embviz.labs.drawing import html_of
from embviz.labs.question import written
from embviz.system import spent
from tests.classes.page.made import Class
from tests.labs.beside import answers
from tests.labs.page.visitor import Visitor
from tests.ui.headless import sent


def test_nothing_is_told_before_reveal(one: Class) -> None:
    """No message of any step has the answer, the mistake or the seed, whatever is answered.

    After the end all is told, as it was answered.
    """
    for step in range(1, len(LABS["row"].steps) + 1):
        asked, student = one.asked(step), one.student(step=step)
        shown = html_of(asked.picture).encode("unicode_escape").decode()
        secrets = ["✓", "✗", "Why", str(one.room.seed), asked.why, *asked.mistakes.values()]
        secrets += [*asked.hints, *[shown] * (asked.picture != asked.start)]
        wrong, mistake = next(iter(asked.mistakes.items()))
        said = student.answer(wrong).sees("Kept. You can change it until the vote closes").words
        (kept,) = [row for row in one.snapshot.answers if row.step == step]
        assert (kept.right, kept.mistake) == (False, mistake)
        assert student.answer(asked.right).words == said
        everything = "\n".join(str(getattr(node, "proto", "")) for node in student.app)
        assert [secret for secret in secrets if secret in everything] == []
    assert all(given.right and given.vote == 1 for given in one.snapshot.answers)
    one.press("end")
    for step in (1, 3):
        one.student(step=step).sees("Right: ", "Why.", "What the class", never=["Kept. "])


def test_a_refused_answer_stays_in_the_field(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vote has closed, or the file is locked: another press takes what is in the field."""
    student, wrong = one.student(), next(iter(one.asked(1).mistakes))
    second = one.student().answer(wrong).sees("Kept.", never=["Vote again"])
    one.press("vote_again")
    second.app.run()
    assert second.sees("Vote again", never=["Kept."]).field.value == ""
    student.answer(one.asked(1).right).sees("first vote has closed")
    assert len(one.snapshot.answers) == 1
    with monkeypatch.context() as locked:  # the file is another program's meanwhile
        locked.setattr(Store, "keep", Mock(side_effect=StoreError("It is locked.")))
        student.press("Answer").sees("It is locked.")
    student.press("Answer")
    first, last = one.snapshot.answers
    assert [last.vote, last.typed, last.right] == [2, student.field.value, True]
    (error,) = student.answer("x" * 3_000_000).app.error
    assert len(error.value) < 300
    assert one.snapshot.answers == [first, last]


def test_a_revealed_step_is_told_to_all(one: Class) -> None:
    """Also to a student without an answer: why, the picture and the bars; then one is late."""
    one.student("b").answer(one.asked(1).right)
    one.press("vote_again")
    one.press("reveal")
    one.student("b").sees("Right: ", "did not vote again", "bar 100: 1 of 1 in vote 1")
    student = one.student().sees("Why.", "You did not answer", never=["Right: ", "Not right"])
    assert student.picture == html_of(one.asked(1).picture)
    student.answer(next(iter(one.asked(1).mistakes)))
    student.sees("came late", "Not right", "bar 100: 1 of 1 in vote 1", never=["did not vote"])
    assert [one.label for one in student.app.toggle if "explanation" in one.label] == []


def test_one_browser_is_one_student(one: Class) -> None:
    """The page gives a name; a second tab has it, and the newer answer of both.

    What is written in one of them and not sent stays.
    """
    first = one.student()
    (name,) = one.names()
    wrong, right = written(next(iter(one.asked(1).mistakes))), written(one.asked(1).right)
    first.sees(f"You are **{name}**").answer(wrong)
    typed = one.code.upper().replace("-", " ")
    second = one.student(**{"class": typed, "lab": "cost", "numbers": "5", "done": "1"})
    assert second.sees(f"You are **{name}**").field.value == wrong
    second.answer(right)
    first.app.run()
    assert first.field.value == right
    first.field.set_value("1 1 1 1 1").run()
    second.answer(wrong)
    first.app.run()
    assert first.field.value == "1 1 1 1 1"
    assert one.names() == [name]


def test_the_class_is_brought_to_a_step(one: Class) -> None:
    """Members go there once, late ones and those who return too; who is writing gets a button."""
    ahead, writing = one.student(step=5), one.student(step=2)
    writing.field.set_value("1 2").run()
    one.press("bring", 3)
    ahead.app.run()
    assert (ahead.place[0], ahead.get("step")) == ("3", 3)
    writing.app.run()
    assert (writing.place[0], writing.field.value) == ("2", "1 2")
    assert writing.press("Your class is at step 3: go there").place[0] == "3"
    one.press("bring", 5)
    writing.press_step(2).field.set_value("1 2").run()
    assert writing.place[0] == "2"
    one.press("bring", 3)  # A second press asks nobody.
    for student in (writing, ahead):
        student.app.run()
        assert student.place[0] == "3"
    assert ahead.press("Next step").place[0] == "4"
    ahead.app.run()
    assert ahead.place[0] == "4"
    assert one.student("b", step=7).place[0] == one.student(step=6).place[0] == "3"
    one.press("bring", 2, "bag")
    ahead.app.run()
    assert (ahead.get("lab"), ahead.place[0]) == ("bag", "2")
    assert ahead.prompt == one.asked(2, "bag").prompt
    labs = ahead.app.segmented_control(key="class_lab bag")
    assert labs.options == [LABS["row"].title, LABS["bag"].title]
    one.student(lab="cost").sees(never=[one.asked(1, "cost").prompt])


def test_an_answer_is_shown_in_no_other_lab(one: Class) -> None:
    """The class is brought there while a student answers: the answer counts where it was asked."""
    student = one.student(step=4)
    one.press("bring", 1, "bag")
    student.answer(one.asked(4).right)
    assert (student.get("lab"), student.place[0]) == ("bag", "1")
    assert student.field.value == ""
    assert [answer.step for answer in one.snapshot.answers] == [4]


def test_a_pause_stops_at_its_step(one: Class) -> None:
    """Nothing leads past it, a forged press neither."""
    one.press("pause_here", 2)
    before, at, behind = (one.student(step=step).sees("Paused at step 2") for step in (1, 2, 3))
    for label, seen in (("Next step", [True, False, False]), ("Answer", [True, True, False])):
        assert [label in each.labels() for each in (before, at, behind)] == seen
    assert len(behind.app.segmented_control(key="step_shown").options) == 3
    one.press("go_on")
    behind.app.run()
    one.press("pause_here", 2)  # The page does not know of it yet.
    behind.answer(one.asked(3).right).sees("press again when it goes on")
    assert (behind.field.value, one.snapshot.answers) == (written(one.asked(3).right), [])


def test_after_the_end_all_is_told_and_the_work_is_kept(one: Class) -> None:
    """No answer is taken, no sentence says otherwise; the link opens the same work alone."""
    student = one.student().answer(one.asked(1).right)
    assert "Other pages" in student.labels()  # the style sheet hides them meanwhile
    one.press("pause_here", 2)
    one.press("end")
    student.app.run()
    student.sees("every step is told", "Right: ", never=["Kept.", "Paused", "Answer"])
    assert {"Answer", "Other pages"}.isdisjoint(student.labels())
    one.student(step=4).sees("You did not answer this step.", "Why.")
    links = [link.proto for link in student.app.main.get("page_link")]
    (work,) = [link for link in links if "Keep your work" in link.label]
    query = dict(parse_qsl(work.query_string))
    alone = Visitor(**query).sees("Right: ", "Why.")
    assert (query["numbers"], alone.prompt) == (str(one.room.seed), one.asked(1).prompt)
    one.press("delete")
    student.app.run()
    student.sees("has deleted this class", never=["There is no class"])
    student.app.button(key="lab_start_bag").click().run()
    assert (student.get("class"), student.get("lab")) == ("", "bag")


def test_a_removed_row_can_come_again(one: Class) -> None:
    """It is told so; a press makes a new row; a closed door keeps others out."""
    student = one.student().answer(one.asked(1).right)
    (member,) = one.snapshot.members
    one.press("remove", member=member.number)
    student.app.run()
    student.sees("removed your row", never=[member.name])
    again = one.student().sees("removed your row")  # A reload brings no row.
    assert one.names() == []
    again.press("Join again").sees("You are ").press("Other pages")
    assert "Other pages" not in again.labels()
    one.press("close_door")
    student.app.run()
    student.sees("You are ")
    one.student("b").sees("takes no further members", never=[one.asked(1).prompt])


def test_the_page_asks_for_news_and_the_board_knows_where_it_is(one: Class) -> None:
    """It has its version, and the seconds of a countdown; the board what was refused there."""
    student = one.student(step=4)
    (data,) = sent(student.app, "embviz_class_poll")
    assert data["path"] == f"class/{one.code}/version"
    assert (data["version"].split(".")[0], data["left_s"]) == (str(one.room.version), 0)
    one.press("countdown", until=time.time() + 90)
    student.app.run()
    assert 80 < sent(student.app, "embviz_class_poll")[0]["left_s"] <= 90
    student.answer("no number").answer("5*8")
    for name in ("b", "", "!"):
        one.student(name, step=2)
    assert len(one.names()) == 2
    found = visits_of(one.code).values()
    assert sorted((each.lab, each.step, each.refused) for each in found) == [
        ("row", 2, ()),
        ("row", 4, ("no number", "5*8")),
    ]
    assert all(map(is_here, found))


def test_a_wrong_code_is_quoted_and_can_be_mended(
    one: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in the field for codes; without a cookie or a class a page leads on."""
    for wrong in ("bbb-bbbb", "<b>" + "k" * 5_000):
        student = one.student(**{"class": wrong}).sees(f"There is no class '{wrong[:40]}")
        assert f'value="{escape(wrong[:40])}"' in student.words
    one.student("").sees(f"href='class/{one.code}'", never=[one.asked(1).prompt])
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    one.student().sees("no classes")


def test_pages_wait_for_wrong_codes_together(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of boards; while many wait, one sentence says so, and a right code is shown at once."""
    monkeypatch.setattr(class_link, "codes", Tries())
    monkeypatch.setattr(spent, "time", SimpleNamespace(monotonic=lambda: 1e6))
    monkeypatch.setattr(pace, "AT_ONCE", 2)
    monkeypatch.setattr(pace, "MOST_WAIT_S", 1e-3)
    wrong = {"class": "bbb-bbbb"}, {"board": "bbb-bbbb"}
    for query in wrong:
        Visitor(**query).sees("There is no class")
    for query in wrong:
        Visitor(**query).sees("Wait some seconds", never=["There is no class"])
    student = one.student().sees(one.asked(1).title)
    board = one.board()
    one.press("delete")
    for page in (student, board):  # no guess: it has been there
        page.app.run()
        page.sees("deleted", never=["Wait some seconds", "There is no class"])


def test_a_row_waits_for_its_turn(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has one does not; who comes when very many do is told, and can come again."""
    one.student("a").sees(one.asked(1).title)
    with monkeypatch.context() as patch:
        patch.setattr(pace, "MOST_WAIT_S", -1.0)
        one.student("a").sees(one.asked(1).title)
        one.student("b").sees("Very many join this class just now", never=[one.asked(1).title])
    assert len(one.names()) == 1
    one.student("b").sees(one.asked(1).title)


def test_who_waits_at_a_pause_finds_a_harder_question(one: Class) -> None:
    """It is told at once, and the class has neither its answer nor a step for it."""
    one.press("pause_here", 1)
    visitor = one.student().sees(never=["A harder question"]).answer(one.asked(1).right)
    visitor.press("A harder question")
    right, _ = answers(re.findall("^## (.*)", visitor.words, re.MULTILINE)[0], visitor.prompt)
    visitor.answer(right).sees("Right: ", "Why.", "Paused at step 1")
    assert [visit.step for visit in visits_of(one.code).values()] == [1]
    assert len(one.snapshot.answers) == 1
    visitor.field.set_value("1 2").run()
    one.press("bring", 1)
    visitor.app.run()
    assert visitor.field.value == "1 2"  # who is writing there is asked, too
    visitor.press("Your class is at step 1: go there").sees("Kept. ", one.asked(1).title)
