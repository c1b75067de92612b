"""The board of a class in AppTest: what it shows in each state, and what its teacher presses."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from embviz.classes.room import StoreError
from embviz.classes.store import Store
from embviz.labs.drawing import html_of
from embviz.labs.question import written
from embviz.server.class_routes import STUDENT, TEACHER
from embviz.ui.pages.labs import board_page, class_link
from tests.ui.frame import test_headings as headings
from tests.ui.pages.labs.conftest import BOSS, Class, Visitor


@pytest.fixture
def full(one: Class) -> Class:
    """A class whose three members answered step 1, one of them rightly."""
    asked = one.asked(1)
    wrong = next(iter(asked.mistakes))
    for name, answer in (("a", asked.right), ("b", wrong), ("c", wrong)):
        one.student(name).answer(answer)
    return one


def steps(board: Visitor) -> list[str]:
    """The steps as a row."""
    return [one.label for one in board.app.button if (one.key or "").startswith("step ")]


def opened(board: Visitor, step: int) -> Visitor:
    """The board, after a press on a step."""
    return board.press(steps(board)[step - 1])


def test_before_anybody_has_joined_nothing_is_counted(one: Class) -> None:
    """An empty class has its steps without counts."""
    assert steps(one.board())[:2] == ["**1** ", "**2** "]


def test_the_pages_of_a_class_have_their_headings_in_order(one: Class) -> None:
    """The board before and after somebody has joined, with a step, and ended; a student's page."""
    headings.check(one.board().app)
    headings.check(one.student().app)
    one.student().answer(one.asked(1).right)
    headings.check(opened(one.board(), 1).app)
    one.press("end")
    headings.check(one.board().app)
    one.cookies[STUDENT] = ""
    headings.check(Visitor(**{"class": one.code}).app)


def test_from_an_open_vote_to_hide(full: Class) -> None:
    """The class view counts, and tells nothing before *Reveal*; then all, until it is hidden."""
    board, asked = full.board(), full.asked(1)
    assert steps(board)[:2] == ["**1**  · 3 of 3", "**2**  · 0 of 3"]
    opened(board, 1)
    labels = board.labels()  # a second press of Vote again must not reveal
    assert labels.index("Reveal") < labels.index("Vote again")
    told = "✓", "bar ", "Why", html_of(asked.picture), written(asked.right)
    shown = asked.prompt, html_of(asked.start), "joined", f"/class/{full.code}"
    for press, said in (("Pause here", 1), ("Vote again", 2)):
        board.press(press).sees(*shown, f"Vote {said} of 2", never=told)
    assert (full.room.paused, full.room.step(1).vote) == (1, 2)
    assert steps(board)[0].endswith("0 of 3")
    assert "Vote again" not in board.labels()
    opened(full.board(), 3).sees(*[f"- {choice}" for choice in full.asked(3).choices])
    full.student("a").answer(asked.right)
    board.press("Reveal").sees(*told, "1 in vote 1", "1 in vote 2")
    assert "pause_circle" in steps(board)[0]
    board.press("Hide").sees("students still see it", never=told)
    assert full.room.step(1).hidden
    board.press("Reveal").sees(asked.why)
    assert "Pause here" in board.press("Go on").labels()
    assert "pause_circle" not in steps(board)[0]
    full.press("reveal", 2)  # nobody has answered it
    opened(full.board(), 2).sees(f"✓ {written(full.asked(2).right)}")


def test_reveal_before_anybody_has_joined(one: Class) -> None:
    """A teacher may try the board alone: the bars are there, and empty."""
    one.press("reveal")
    opened(one.board(), 1).sees(one.asked(1).why, f"✓ {written(one.asked(1).right)}", "bar 0: 0")


def test_a_class_is_as_large_as_the_pages_that_are_open(
    full: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has the page open and has not answered counts too; the bars are scaled to it."""
    full.press("reveal")
    for size, wide in ((3, 66), (10, 20)):
        monkeypatch.setattr(board_page, "present", {full.code: size}.__getitem__)
        board = opened(full.board(), 1).sees(f"bar {wide}: 2")
        assert steps(board)[0].endswith(f"3 of {size}")


def test_the_teachers_view_adds_right_and_wrong(full: Class) -> None:
    """Its label warns; then bars, counts and mistakes; *Remove* asks before it removes."""
    asked, board = full.asked(1), opened(full.board(), 1)
    view = board.app.main.toggle[0]
    assert "A projected screen shows it too" in view.label
    view.set_value(True).run()
    mistake = next(iter(asked.mistakes.values()))
    board.sees("bar 66: 2", mistake)
    shown = board.app.table[0].value
    assert shown.loc[1].tolist() == [asked.title, 3, 1, 2, mistake]
    assert {*shown["wrong"].tolist()[1:]} == {0}
    board.app.main.toggle[1].set_value(True).run()
    names = [str(row[1]) for row in full.store.answers(full.code)]
    students = board.app.dataframe[0].value
    assert students["student"].tolist() == names
    board.press(f"Remove {names[0]} and all answers")
    assert [row[1] for row in full.store.answers(full.code)] == names[1:]


def test_a_refused_press_is_said(full: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked file: the sentence stays for a while, though the board looks again each second."""
    monkeypatch.setattr(Store, "press", Mock(side_effect=StoreError("Press again")))
    assert opened(full.board(), 1).press("Reveal").app.toast[0].value == "Press again"


def test_a_board_that_is_open_keeps_its_class(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is noted each minute, also where the file is locked then."""
    looks = list[str]()
    monkeypatch.setattr(Store, "look", lambda _store, code: looks.append(code))
    board = one.board()
    board.app.run()
    assert looks == [one.code]
    monkeypatch.setattr(board_page, "LOOK_S", 0.0)
    board.app.run()
    assert looks == [one.code] * 2
    monkeypatch.setattr(Store, "look", Mock(side_effect=StoreError("It is locked.")))
    board.app.run()
    board.sees("How many have answered", never=["locked"])


def test_another_browser_sees_no_board(full: Class) -> None:
    """A sentence; and neither its cards nor its own list have the class."""
    never = [full.asked(1).prompt]
    board = full.board("x" * 43).sees("belongs to the browser that", never=never)
    assert board.labels() == ["All labs"]
    assert full.code not in "".join(board.press("All labs").labels())


def test_a_browser_finds_its_boards(full: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the cards; a board makes an address for another device when it is asked to."""
    full.cookies[TEACHER] = BOSS
    assert 'name="word"' not in Visitor().words
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", "correct horse")
    board = Visitor().sees('name="word"').press(f"Board of {full.code}: One row of a table")
    assert board.get("board") == full.code
    assert not board.app.code
    assert f"/class/{full.code}/board/" in board.press("Make the address").app.code[0].value
    for variable, value in (("EMBVIZ_HOSTED", "1"), ("EMBVIZ_CLASSES", "on")):
        monkeypatch.setenv(variable, value)
    Visitor().sees('name="word"')
    monkeypatch.delenv("EMBVIZ_CLASS_WORD")
    Visitor().sees("Nobody can start a class here", "Join", never=["Start a class"])
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert "Work together as a class" not in [one.label for one in Visitor().app.expander]


@pytest.mark.parametrize(
    ("elsewhere", "host"), [("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "localhost")]
)
def test_the_link_works_on_other_machines(
    monkeypatch: pytest.MonkeyPatch, elsewhere: str, host: str
) -> None:
    """That of localhost has the address in the network, if there is one."""
    monkeypatch.setattr(class_link, "_ELSEWHERE", (elsewhere, 9))
    for page, link in (
        ("http://localhost:8501/labs?board=x", f"http://{host}:8501/class/k7m-q2x4"),
        ("https://a.example/app/labs", "https://a.example/app/class/k7m-q2x4"),
    ):
        assert class_link.link("k7m-q2x4", page) == link
