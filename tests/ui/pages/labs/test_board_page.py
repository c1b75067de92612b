"""The board of a class in AppTest: what it shows in each state, and what its teacher presses."""

from __future__ import annotations

import sqlite3

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from embviz.classes import store as store_module
from embviz.labs.catalogue import LABS
from embviz.labs.drawing import html_of
from embviz.server.class_routes import TEACHER
from embviz.ui.pages.labs import board_page
from embviz.ui.pages.labs.class_link import link
from tests.ui.headless import open_page, press, refused, unescaped, value
from tests.ui.pages.labs.conftest import BOSS, Class, give, words


@pytest.fixture
def full(one: Class) -> Class:
    """A class whose three members answered step 1, one of them rightly."""
    asked = one.asked(1)
    wrong = next(iter(asked.mistakes))
    for name, answer in (("a", asked.right), ("b", wrong), ("c", wrong)):
        give(one.student(name), asked, answer)
    return one


def steps(app: AppTest) -> list[str]:
    """The steps as a row."""
    return [unescaped(one) for one in app.button_group(key="board_step").options]


def test_the_class_view_counts_and_tells_nothing(full: Class) -> None:
    """How many have answered each step; then one question with bars, without right or wrong."""
    app = full.board()
    assert steps(app)[:2] == ["**1**  · 3 of 3", "**2**  · 0 of 3"]
    assert f"/class/{full.code}" in words(app)
    assert "class-head joined" in words(app)
    app, asked = full.board(question="1"), full.asked(1)
    assert asked.prompt in words(app)
    assert "The first vote is open." in words(app)
    for counted in ('width: 53.3%"></i>2</span>', 'width: 26.7%"></i>1</span>'):  # of 3
        assert counted in words(app)
    assert html_of(asked.start) in words(app)
    assert html_of(asked.picture) not in words(app)
    for told in ("✓", 'class="right"', "Why", asked.why, *asked.mistakes.values()):
        assert told not in words(app)


def test_a_class_is_as_large_as_the_pages_that_are_open(
    full: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has the page open and has not answered counts too; the bars are scaled to it."""
    monkeypatch.setattr(board_page, "present", {full.code: 10}.__getitem__)
    app = full.board(question="1")
    assert steps(app)[0] == "**1**  · 3 of 10"
    assert 'width: 16.0%"></i>2</span>' in words(app)


def test_the_code_is_large_until_somebody_has_answered(one: Class) -> None:
    """No row, no bars; all that can be pressed is a step."""
    app = one.board()
    assert "class-head " in words(app)
    assert "class-head joined" not in words(app)
    assert steps(app)[0] == "**1**  · 0 of 0"
    assert '<div class="class-bars"></div>' in words(one.board(question="1"))  # also not the right
    give(one.student(), one.asked(1), one.asked(1).right)
    assert "class-head joined" in words(one.board())


def test_presses_from_the_first_vote_to_hide(full: Class) -> None:
    """Pause, vote again, reveal, hide, reveal, go on: each changes the class and the buttons."""
    app, asked = full.board(question="1"), full.asked(1)
    labels = [one.label for one in app.button]  # a second press of Vote again must not reveal
    assert labels.index("Reveal") < labels.index("Vote again")
    press(app, "Pause here")
    assert full.room.paused == 1
    press(app, "Vote again")
    assert full.room.step(1).vote == 2
    assert "The second vote is open." in words(app)
    assert steps(app)[0].endswith("0 of 3")
    give(full.student("a"), asked, asked.right)
    press(app, "Reveal")
    assert full.room.step(1).revealed
    told_now = "✓", asked.why, html_of(asked.picture)
    for told in (*told_now, "1 in vote 1", "2 in vote 1", "1 in vote 2"):
        assert told in words(app)
    assert "Vote again" not in [one.label for one in app.button]
    press(app, "Hide")
    assert "Hidden on this board: answers come late." in words(app)
    assert full.room.step(1).hidden
    assert asked.why not in words(app)
    assert "✓" not in words(app)
    press(app, "Reveal")
    assert asked.why in words(app)
    press(app, "Go on")
    assert full.room.paused == 0
    assert "Pause here" in [one.label for one in app.button]


def test_the_teachers_view_adds_right_and_wrong(full: Class) -> None:
    """Its label warns; then counts, the mistake in words, and rows of students with *Remove*."""
    asked, app = full.asked(1), full.board(question="1")
    view = app.main.toggle(key="board_teacher")
    assert "A projected screen shows it too" in view.label
    view.set_value(True).run()
    wrong = next(iter(asked.mistakes))
    assert asked.mistakes[wrong] in words(app)
    shown = app.table[0].value
    assert shown.loc[1, ["right", "wrong"]].tolist() == [1, 2]
    assert shown.loc[1, "mistake"] == asked.mistakes[wrong]
    assert shown["wrong"].tolist()[1:] == [0] * (len(LABS["row"].steps) - 1)
    assert "Remove" not in [one.label for one in app.button]
    app.main.toggle(key="board_rows").set_value(True).run()
    names = list({row[0]: row[1] for row in full.store.answers(full.code)}.values())
    assert all(name in words(app) for name in names)
    assert [one.label for one in app.button].count("Remove") == 3
    press(app, "Remove")
    assert {row[1] for row in full.store.answers(full.code)} == {*names[1:]}


def test_the_own_pace_has_no_votes(full: Class) -> None:
    """The bars tell at once."""
    own = Class(full.store, full.store.start("row", True, BOSS), full.cookies)
    asked = own.asked(1)
    give(own.student("a"), asked, asked.right)
    app = own.board(question="1")
    assert "✓" in words(app)
    labels = [one.label for one in app.button]
    assert {"Vote again", "Reveal", "Hide"}.isdisjoint(labels)
    assert "Pause here" in labels
    assert "own pace" in words(app)


def test_a_step_is_chosen_in_the_row(full: Class) -> None:
    """It is in the address; pressing it again leads back to the row alone."""
    app = full.board()
    app.button_group(key="board_step").set_value(2).run()
    assert value(app, "question") == 2
    assert full.asked(2).title in words(app)


def test_the_end_and_the_deletion(full: Class) -> None:
    """The board stays after the end; after the deletion the cards say so."""
    app = full.board()
    press(app, "End now")
    assert full.room.ended
    assert "has ended" in words(app)
    app = full.board(question="1")
    assert "The first vote ended with the class." in words(app)
    assert not {"Pause here", "Vote again"} & {one.label for one in app.button}
    assert f"/class/{full.code}" not in words(app)
    press(app, "Delete now")
    assert f"The class {full.code} and all its answers are deleted." in words(app)
    assert full.store.classes_of(BOSS) == []


def test_another_browser_sees_no_board(full: Class) -> None:
    """A sentence; no code of another class either, and nothing is changed."""
    for cookie in ("", "x" * 43):
        app = full.board(cookie, question="1")
        assert "belongs to the browser that started" in refused(app)[0]
        assert full.asked(1).prompt not in words(app)
        assert {one.label for one in app.button} == {"All labs"}
    full.cookies[TEACHER] = BOSS
    assert "There is no class" in refused(open_page("labs", board="bbb-bbbb"))[0]


def test_a_press_into_a_locked_file_says_so(full: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """The board is read meanwhile."""
    monkeypatch.setattr(store_module, "BUSY_S", 0.05)
    app = full.board(question="1")
    other = sqlite3.connect(full.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    press(app, "Reveal")
    other.close()
    assert "locked by another program. Press again." in refused(app)[0]
    assert not full.room.step(1).revealed
    assert steps(app)[0] == "**1**  · 3 of 3"


def test_another_device(full: Class) -> None:
    """The address is made when it is asked for."""
    app = full.board()
    assert not app.code
    press(app, "Make the address")
    assert f"/class/{full.code}/board/" in app.code[0].value


def test_a_browser_finds_its_boards(full: Class) -> None:
    """Below the cards; not those of others, and nothing where classes are off."""
    full.cookies[TEACHER] = BOSS
    app = open_page("labs")
    press(app, f"Board of {full.code}: One row of a table")
    assert value(app, "board") == full.code
    full.cookies[TEACHER] = "x" * 43
    assert full.code not in str([one.label for one in open_page("labs").button])


def test_without_classes_the_cards_offer_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `EMBVIZ_CLASSES=off`."""
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert "Work together as a class" not in [one.label for one in open_page("labs").expander]
    assert "switched off" in refused(open_page("labs", board="bbb-bbbb"))[0]


def test_the_link_works_on_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link of a page on localhost has the address in the network, and says so."""
    made = link("k7m-q2x4", "http://localhost:8501/labs?board=x")
    assert made.url.endswith(":8501/class/k7m-q2x4")
    assert "localhost works on this machine alone" in made.remark
    hosted = link("k7m-q2x4", "https://a.example/app/labs")
    assert (hosted.url, hosted.remark) == ("https://a.example/app/class/k7m-q2x4", "")
    monkeypatch.setattr(st, "get_option", lambda _: "127.0.0.1")
    alone = link("k7m-q2x4", "http://localhost:8501/labs")
    assert alone.url == "http://localhost:8501/class/k7m-q2x4"
    assert "start it without server.address" in alone.remark
