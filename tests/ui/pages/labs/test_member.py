"""A student in a class, in AppTest: what the page shows, and what the store then has."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from embviz.classes import here as classes
from embviz.classes import store as store_module
from embviz.labs.catalogue import LABS
from embviz.labs.drawing import html_of
from embviz.server.class_routes import STUDENT
from tests.labs.reader import Notes, answers
from tests.ui.headless import open_page, press, refused, sent, value
from tests.ui.pages.labs.conftest import Class, give, give_text, made, prompt, words


def test_nothing_is_told_before_reveal(one: Class) -> None:
    """A right and a wrong answer look the same: kept, and it may be changed."""
    asked, app = one.asked(1), one.student()
    wrong = next(iter(asked.mistakes))
    seen = []
    for answer in (wrong, asked.right):
        give(app, asked, answer)
        seen.append(words(app))
        assert "Kept. What stands when the vote closes counts" in seen[-1]
        for told in ("Right", "Not right", "Why", asked.why, "✓", *asked.mistakes.values()):
            assert told not in seen[-1]
    assert seen[0] == seen[1]
    assert [row[1:] for row in one.typed()] == [(1, app.main.text_input[0].value, 1, "")]


def test_no_message_has_the_answer_or_the_seed(one: Class) -> None:
    """Whatever a page sends to a browser before *Reveal*, at any step, after any answer."""
    for step in range(1, len(LABS["row"].steps) + 1):
        asked, app = one.asked(step), one.student(step=step)
        for answer in (next(iter(asked.mistakes)), asked.right):
            give(app, asked, answer)
            everything = "\n".join(str(getattr(node, "proto", "")) for node in app)
            shown = html_of(asked.picture).encode("unicode_escape").decode()
            secrets = [str(one.room.seed), asked.why, *asked.mistakes.values(), *asked.hints]
            secrets += [shown] * (asked.picture != asked.start)
            for secret in filter(None, secrets):
                assert secret not in everything


def test_after_reveal_all_is_told_and_an_answer_is_late(one: Class) -> None:
    """Verdict, why and the bars of both votes, which a late answer does not change."""
    asked, app = one.asked(1), one.student()
    wrong = next(iter(asked.mistakes))
    give(app, asked, wrong)
    one.press("vote_again", 1)
    app.run()
    assert "Vote again" in words(app)
    assert app.main.text_input[0].value == ""
    give(app, asked, asked.right)
    one.press("reveal", 1)
    app.run()
    for told in ("Right: ", asked.why, "What the class answered", "1 in vote 1", "1 in vote 2"):
        assert told in words(app)
    bars = words(app).partition("class-bars")[2]
    give(app, asked, wrong)
    assert asked.mistakes[wrong] in words(app)
    assert "Not right" in words(app)
    assert [row[1] for row in one.typed()] == [0, 1, 2]
    assert bars[:200] in words(app)
    late = one.student("b")
    assert asked.why in words(late)
    give(late, asked, asked.right)
    assert "Right: " in words(late)


def test_a_page_that_is_behind_votes_in_what_it_shows(one: Class) -> None:
    """The first vote has closed: the answer stays in the field, and a second press takes it."""
    asked, app = one.asked(1), one.student()
    one.press("vote_again", 1)
    give(app, asked, asked.right)
    assert one.typed() == []
    assert "first vote has closed" in words(app)
    press(app, "Answer")
    assert [row[1] for row in one.typed()] == [2]


def test_one_browser_is_one_student(one: Class) -> None:
    """A reload and a second tab have the name and the answer; *Not you?* makes a new one."""
    asked, app = one.asked(1), one.student()
    assert one.store.answers(one.code) == []
    assert "Your first answer gets a pseudonym" in words(app)
    give(app, asked, asked.right)
    (name,) = {row[1] for row in one.store.answers(one.code)}
    typed = app.main.text_input[0].value
    again = one.student()
    assert f"You are **{name}**" in words(again)
    assert again.main.text_input[0].value == typed
    for _ in range(2):
        press(again, "Not you?")
    assert again.main.text_input[0].value == ""
    assert name not in words(again)
    press(again, "Not you?")
    assert "3 rows" in words(again)
    assert len({row[0] for row in one.store.answers(one.code)}) == 3


def test_the_address_has_the_code_alone(one: Class) -> None:
    """The lab and the numbers are the class's, whatever the address says."""
    one.cookies[STUDENT] = "a" * 43
    query = {
        "class": one.code.upper().replace("-", " "),
        "lab": "cost",
        "numbers": "5",
        "done": "1",
    }
    app = open_page("labs", **query)
    assert one.asked(1).prompt in words(app)
    give(app, one.asked(1), one.asked(1).right)
    assert one.typed()[0][3] == 1
    assert value(app, "done") == "1"


def test_a_pause_stops_at_its_step(one: Class) -> None:
    """Nothing leads past it; a student who is further reads the question, and is not taken."""
    one.press("pause", 2)
    at = {step: one.student(step=step) for step in (1, 2, 3)}
    forward = {
        step: next(button for button in app.button if button.key == "lab_next").disabled
        for step, app in at.items()
    }
    assert forward == {1: False, 2: True, 3: True}
    assert "paused at step 2" in words(at[1])
    assert "paused at step 2" in words(at[3])
    answer = next(button for button in at[3].button if button.label == "Answer")
    assert answer.disabled
    one.press("go_on")
    at[3].run()
    assert "paused" not in words(at[3])
    one.press("pause", 2)
    give(at[3], one.asked(3), one.asked(3).right)  # its page does not know yet
    assert one.typed() == []


@pytest.mark.parametrize("own_pace", [True, False])
@pytest.mark.parametrize("lab", LABS)
def test_every_answer_of_a_student_who_reads_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lab: str, own_pace: bool
) -> None:
    """Each mistake and the right answer of each step is kept with its verdict and its words.

    At the own pace they are told at once, and the right answer ends with the bars; in a vote not.
    """
    mine, notes = made(tmp_path, monkeypatch, lab, own_pace), Notes()
    for step in range(1, len(LABS[lab].steps) + 1):
        app = mine.student(step=step)
        assert f"step {step} of {len(LABS[lab].steps)}" in words(app)
        right, wrong = answers(lab, step, prompt(app), notes)
        for mistake, typed in [*wrong.items(), ("", right)]:
            give_text(app, typed)
            said = words(app)
            assert ("Kept. " in said) != own_pace
            assert ("Not right" in said) == (own_pace and typed != right)
            assert (
                ("Right: " in said) == ("What the class" in said) == (own_pace and typed == right)
            )
            assert mistake in said.replace("`", "") or not own_pace
            (*_, is_right, told) = next(row for row in mine.typed() if row[0] == step)
            assert is_right == (typed == right)
            assert mistake in str(told).replace("`", "")
    votes = [row[1] for row in mine.typed()]
    assert votes == ([0, 1] if own_pace else [1]) * len(LABS[lab].steps)


@pytest.mark.parametrize("typed", ["", "none", "1 2 3 4 5 6", "x" * 3_000_000])
def test_what_is_no_answer_is_refused_and_stays(one: Class, typed: str) -> None:
    """A sentence; no row is made."""
    app = one.student()
    give_text(app, typed)
    assert len(refused(app)) == 1
    assert len(refused(app)[0]) < 300
    assert one.store.answers(one.code) == []


def test_a_locked_file_loses_nothing(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not stored yet, press again: the answer stays in the field."""
    monkeypatch.setattr(store_module, "BUSY_S", 0.05)
    asked, app = one.asked(1), one.student()
    other = sqlite3.connect(one.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    give(app, asked, asked.right)
    assert "Not stored yet, press again. The file votes.sqlite3 is locked" in refused(app)[0]
    typed = app.main.text_input[0].value
    assert typed
    other.execute("ROLLBACK")
    other.close()
    press(app, "Answer")
    assert [row[2] for row in one.typed()] == [typed]


def test_ended_and_deleted_classes_say_so(one: Class) -> None:
    """After the end an answer is refused; after the deletion a student can work alone."""
    asked, app = one.asked(1), one.student()
    one.press("end")
    app.run()
    assert "The class has ended" in words(app)
    give(app, asked, asked.right)
    assert one.typed() == []
    one.press("delete")
    app.run()
    assert refused(app) == [f"The class {one.code} was deleted."]
    press(app, "Work alone")
    assert value(app, "class") == ""


def test_a_wrong_code_is_quoted_and_can_be_mended(
    one: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in the field for codes; a server without classes says so."""
    one.cookies[STUDENT] = "a" * 43
    for wrong in ("bbb-bbbb", "<b>", "k" * 5_000):
        app = open_page("labs", **{"class": wrong})
        assert f"There is no class '{wrong[:40]}" in refused(app)[0]
        assert sent(app, "embviz_start_class")[0]["code"] == wrong[:40]
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert "no classes" in refused(one.student())[0]
    assert classes.here() is None


def test_without_the_cookie_the_page_leads_to_the_link(one: Class) -> None:
    """The question is not shown, and no row is made."""
    one.cookies.clear()
    app = open_page("labs", **{"class": one.code})
    assert f"href='class/{one.code}'" in words(app)
    assert one.asked(1).prompt not in words(app)


def test_the_end_says_what_was_learned(one: Class) -> None:
    """And leads back to the steps."""
    app = one.student(step=len(LABS["row"].steps) + 1)
    assert LABS["row"].learned[0] in words(app)
    path, version = f"../class/{one.code}/version", str(one.room.version)
    assert sent(app, "embviz_class_poll") == [{"path": path, "version": version}]
