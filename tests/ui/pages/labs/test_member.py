"""A student in a class: what the page shows, and what the store then has."""

from __future__ import annotations

import time
from html import escape
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from embviz.classes.room import StoreError
from embviz.classes.store import Store
from embviz.labs.catalogue import LABS
from embviz.labs.drawing import html_of
from embviz.labs.question import written
from embviz.server import pace
from embviz.server.class_routes import present
from embviz.server.pace import Guesses
from embviz.ui.pages.labs import class_link
from tests.ui.headless import sent
from tests.ui.pages.labs.conftest import Class, Visitor


def test_nothing_is_told_before_reveal(one: Class) -> None:
    """No message of any step has the answer, the mistake or the seed, whatever is answered."""
    for step in range(1, len(LABS["row"].steps) + 1):
        asked, student = one.asked(step), one.student(step=step)
        shown = html_of(asked.picture).encode("unicode_escape").decode()
        secrets = ["✓", "✗", "Why", str(one.room.seed), asked.why, *asked.mistakes.values()]
        secrets += [*asked.hints, *[shown] * (asked.picture != asked.start)]
        said = [student.answer(one).words for one in (next(iter(asked.mistakes)), asked.right)]
        assert said[0] == student.sees("Kept. What stands when the vote closes counts").words
        everything = "\n".join(str(getattr(node, "proto", "")) for node in student.app)
        assert [secret for secret in secrets if secret in everything] == []
    assert {(vote, right) for vote, _, right in one.kept()} == {(1, 1)}


def test_a_refused_answer_stays_in_the_field(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vote has closed, or the file is locked: another press takes what is in the field."""
    student, wrong = one.student(), next(iter(one.asked(1).mistakes))
    second = one.student().answer(wrong).sees("Kept.", never=["Vote again"])
    one.press("vote_again")
    second.app.run()
    assert second.sees("Vote again", never=["Kept."]).field.value == ""
    student.answer(one.asked(1).right).sees("first vote has closed")
    assert len(one.kept()) == 1
    with monkeypatch.context() as locked:  # the file is another program's meanwhile
        locked.setattr(Store, "keep", Mock(side_effect=StoreError("It is locked.")))
        student.press("Answer").sees("It is locked.")
    student.press("Answer")
    assert one.kept()[1:] == [(2, student.field.value, 1)]


def test_a_revealed_step_is_told_to_all(one: Class) -> None:
    """Also to a student without an answer: why, the picture and the bars, and no second answer."""
    one.student("b").answer(one.asked(1).right)
    one.press("reveal")
    student = one.student().sees("Why.", "bar 100: 1", never=["Right: ", "Not right"])
    assert student.picture == html_of(one.asked(1).picture)
    student.answer(next(iter(one.asked(1).mistakes))).sees("came late", "Not right", "bar 50: 1")
    assert [one.label for one in student.app.toggle if "explanation" in one.label] == []


def test_one_browser_is_one_student(one: Class) -> None:
    """A second tab has the name and the answer, whatever its address says; *Not you?* has none."""
    student, right = one.student().sees("Your first answer gets a pseudonym"), one.asked(1).right
    assert one.store.answers(one.code) == []
    student.answer(right)
    ((_, name, *_),) = one.store.answers(one.code)
    typed = one.code.upper().replace("-", " ")
    again = one.student(lab="cost", numbers="5", done="1", **{"class": typed})
    assert again.sees(f"You are **{name}**").field.value == written(right)
    assert again.press("Not you?").press("Not you?").sees(never=[name]).field.value == ""
    again.press("Not you?").sees("3 rows")


def test_a_pause_stops_at_its_step(one: Class) -> None:
    """Nothing leads past it, a forged press neither; one press leads a student there."""
    one.press("pause_here", 2)
    before, at, behind = (one.student(step=step) for step in (1, 2, 3))
    assert ["Next step" in each.labels() for each in (before, at, behind)] == [True, False, False]
    at.sees("Paused at step 2")
    before.sees("Paused at step 2")
    steps = behind.sees("Paused at step 2").app.segmented_control(key="step_shown")
    assert len(steps.options) == 3
    behind.answer(one.asked(3).right).sees("press again when it goes on")
    assert (behind.field.value, one.kept()) == (written(one.asked(3).right), [])


@pytest.mark.parametrize("typed", ["", "none", "x" * 3_000_000])
def test_what_is_no_answer_is_refused(one: Class, typed: str) -> None:
    """A sentence; no row is made."""
    student = one.student().answer(typed)
    assert [len(error.value) < 300 for error in student.app.error] == [True]
    assert one.store.answers(one.code) == []


def test_ended_and_deleted_classes_say_so(one: Class) -> None:
    """After the end an answer is refused; after the deletion a student can work alone."""
    student = one.student(step=len(LABS["row"].steps) + 1).sees(*LABS["row"].learned)
    path, version = f"class/{one.code}/version", str(one.room.version)
    assert sent(student.app, "embviz_class_poll") == [{"path": path, "version": version}]
    one.press("end")
    one.student().answer(one.asked(1).right).sees("The class has ended")
    assert one.kept() == []
    one.press("delete")
    student.app.run()
    assert student.press("All labs").get("class") == ""


def test_a_wrong_code_is_quoted_and_can_be_mended(
    one: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in the field for codes; without a cookie or a class a page leads on."""
    for wrong in ("bbb-bbbb", "<b>", "k" * 5_000):
        student = one.student(**{"class": wrong}).sees(f"There is no class '{wrong[:40]}")
        assert f'value="{escape(wrong[:40])}"' in student.words
    one.student("").sees(f"href='class/{one.code}'", never=[one.asked(1).prompt])
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    one.student().sees("no classes")


def test_pages_wait_for_wrong_codes_together(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of boards; while many wait, one sentence says so, and a right code is shown at once."""
    tries = Guesses()
    monkeypatch.setattr(class_link, "guesses", tries)
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: 1e6, sleep=time.sleep))
    monkeypatch.setattr(pace, "WRONG_S", 2**-9)
    wrong = {"class": "bbb-bbbb"}, {"board": "bbb-bbbb"}
    said = ["There is no class" in Visitor(**wrong[turn % 2]).words for turn in range(8)]
    assert said == [True] * (pace.MOST_WAIT + 1) + [False, False]
    for query in wrong:
        Visitor(**query).sees("Wait some seconds", never=["There is no class"])
    student = one.student().sees(one.asked(1).title)
    board = one.board()
    one.press("delete")
    for page in (student, board):  # no guess: it has been there
        page.app.run()
        page.sees("There is no class", never=["Wait some seconds"])


def test_a_page_that_is_open_counts_as_a_student(one: Class) -> None:
    """Before it has answered; without a cookie, and a cookie of another form, it does not."""
    for name, count in (("a", 1), ("b", 2), ("", 2), ("!", 2)):
        one.student(name)
        assert present(one.code) == count
