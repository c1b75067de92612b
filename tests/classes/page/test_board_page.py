"""The board of a class in AppTest: what it shows in each state, and what its teacher presses."""

from __future__ import annotations

import time
from unittest.mock import Mock

import pytest
import streamlit as st

from embviz.classes.page import board_controls, board_view, class_link
from embviz.classes.room import StoreError
from embviz.classes.routes import TEACHER
from embviz.classes.store import Store
from embviz.labs.drawing import html_of
from embviz.labs.question import written
from tests.classes.page.made import BOSS, Class
from tests.labs.page.visitor import Visitor
from tests.ui.headless import sent


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


def viewed(board: Visitor) -> Visitor:
    """The board, after the teacher's view is put on this screen."""
    board.app.toggle(key=board_view.SWITCH).set_value(True).run()
    return board


def large(board: Visitor, code: str, is_on: bool) -> Visitor:
    """The board, after its switch of the large code is pressed."""
    board.app.toggle(key=f"labs_large {code}").set_value(is_on).run()
    return board


def test_in_a_new_class_the_code_is_large_until_a_press(one: Class) -> None:
    """Also when the first have come, since others still scan it; later whenever it is asked for."""
    board = one.board().sees("Nobody is here yet", f"/class/{one.code}", never=["Vote 1"])
    assert steps(board) == []
    one.press("reveal")  # A teacher may try the board alone.
    never = ["bar ", "0 of 0"]
    large(board, one.code, False).sees(one.asked(1).why, "Nobody has answered.", never=never)
    assert steps(board)[:2] == ["**1** ", "**2** "]
    large(board, one.code, True)
    one.student()
    board.app.run()
    board.sees("1 here", f"/class/{one.code}", never=[one.asked(1).prompt])
    large(board, one.code, False).sees("1 here", one.asked(1).prompt)
    assert steps(board)[:2] == ["**1**  · 0 of 1", "**2**  · 0 of 1"]
    one.board().sees(one.asked(1).prompt)


def test_from_an_open_vote_to_reveal(full: Class) -> None:
    """The board counts, and tells nothing before *Reveal*; then all."""
    full.student("d")  # A page that is open counts as a student.
    board, asked = full.board(), full.asked(1)
    assert steps(board)[:2] == ["**1**  · 3 of 4", "**2**  · 0 of 4"]
    labels = board.labels()  # a second press of Vote again must not reveal
    assert labels.index("Reveal") < labels.index("Vote again")
    told = "✓", "bar ", "Why", html_of(asked.picture), written(asked.right)
    shown = asked.prompt, html_of(asked.start), "4 here", f"/class/{full.code}"
    for press, said in (("Pause here", "1 · 3"), ("Vote again", "2 · 0")):
        board.press(press).sees(*shown, f"Vote {said} of 4 answered · 4 of 4 at this", never=told)
    assert (full.room.paused("row"), full.room.step("row", 1).vote) == (1, 2)
    assert steps(board)[0].endswith("0 of 4")
    closed = "Closed · 3 of 4 answered"
    board.press("Reveal").sees(asked.prompt, asked.why, "✓", "bar 66: 2 of 3 in vote 1", closed)
    assert {"Reveal", "Vote again"}.isdisjoint(board.labels())
    assert "Pause here" in board.press("Go on").labels()
    assert "pause_circle" not in steps(board)[0]
    full.press("reveal", 2)  # nobody has answered it
    opened(full.board(), 2).sees(f"✓ {written(full.asked(2).right)}")


def test_all_boards_show_the_same_step(full: Class) -> None:
    """Another window, a phone, and a board after a restart; members are not moved by it."""
    version, phone = full.room.version, full.board()
    board = opened(full.board(), 3)
    phone.app.run()
    phone.sees(full.asked(3).title)
    phone.app.selectbox(key="board_lab").set_value("bag").run()
    board.app.run()
    for each in (phone, board):
        each.sees(full.asked(1, "bag").prompt)
    assert (full.room.lab, full.room.version) == ("row", version)


def test_everyone_is_brought_and_a_pause_comes_along(full: Class) -> None:
    """One press brings all to the step that is shown; the board tells what it takes along."""
    full.press("pause_here", 2)
    board = opened(full.board(), 2).sees("0 of 3 at this step", never=["takes the pause"])
    opened(board, 4).sees("Bring everyone here takes the pause at step 2 along")
    board.press("Bring everyone here").sees(never=["takes the pause"])
    assert [full.room.lab, full.room.at, full.room.moved, full.room.paused("row")] == [
        "row",
        4,
        1,
        4,
    ]
    full.student("a", step=4)
    board.app.run()
    board.sees("1 of 3 at this step")


def test_the_teachers_view_is_private_until_it_is_switched_on(full: Class) -> None:
    """It has who is stuck, bars, mistakes, other answers and rows; *Remove* asks first."""
    asked, board = full.asked(1), full.board()
    mistake = next(iter(asked.mistakes.values()))
    full.student("c", step=2).answer("77 77 7")
    full.student("b").answer("lol")
    names = full.names()
    board.sees(never=[mistake, *names])
    viewed(board).sees("bar 66: 2 of 3", mistake)
    strip = board.app.dataframe[0].value.set_index("student").loc[names]
    assert strip["step"].tolist() == [1, 1, 2]
    assert "lol" in strip.astype(str).to_string()
    assert board.app.table[0].value.loc[1].tolist() == [asked.title, 3, 1, 2, mistake]
    opened(board, 2)
    assert "77" in board.app.dataframe[1].value.to_string()
    rows = [toggle for toggle in board.app.main.toggle if toggle.key != "projector"][-1]
    rows.set_value(True).run()
    assert board.app.dataframe[-1].value["student"].tolist() == names
    board.press(f"Remove {names[0]} and all answers").press("No")
    assert full.names() == names
    board.press(f"Remove {names[0]} and all answers").press("Yes, remove")
    assert full.names() == names[1:]


def test_a_projector_has_one_row_of_controls_and_no_private_view(full: Class) -> None:
    """Menu and steps without counts; the view, also one that is on, is for other screens."""
    board = viewed(full.board())
    (kept,) = sent(board.app, "embviz_board_view")
    assert kept == {"code": full.code, "is_on": True}
    board = full.board(projector="true").sees("Vote 1 · 3 of 3 answered", full.asked(1).prompt)
    assert steps(board)[:2] == ["**1** ", "**2** "]
    assert {"Bring everyone here", "Reveal", "5 min", "Close the door"} < {*board.labels()}
    assert "Make the address" not in board.labels()
    board.app.session_state[board_view.SWITCH] = True
    board.app.run()
    board.sees(never=["bar ", "Who is stuck", "at this step"])
    large(board, full.code, True).sees(f"/class/{full.code}", never=[full.asked(1).prompt])


@pytest.mark.parametrize(
    ("listens", "host"), [("127.0.0.1", "localhost"), ("192.0.2.9", "127.0.0.1")]
)
def test_the_link_works_on_other_machines_or_the_board_says_so(
    full: Class, monkeypatch: pytest.MonkeyPatch, listens: str, host: str
) -> None:
    """That of localhost has the address in the network; behind a proxy others can open any."""
    real, said = st.get_option, "No other device can open this link"
    monkeypatch.setattr(
        st, "get_option", lambda name: listens if name == "server.address" else real(name)
    )
    monkeypatch.setattr(class_link, "_ELSEWHERE", ("127.0.0.1", 9))
    page, proxied = "http://localhost:8501/labs?board=x", "https://a.example/app/labs"
    assert class_link.link("k7m-q2x4", page) == f"http://{host}:8501/class/k7m-q2x4"
    assert class_link.link("k7m-q2x4", proxied) == "https://a.example/app/class/k7m-q2x4"
    assert (said in class_link.alone(page)) == (host == "localhost")
    assert class_link.alone(proxied) == ""
    monkeypatch.setattr(class_link, "alone", lambda _url: said)
    for query in ({}, {"projector": "true"}):
        full.board(**query).sees(said)
    monkeypatch.setattr(class_link, "_ELSEWHERE", ("255.255.255.255", 9))  # no network
    assert "localhost" in class_link.link("k7m-q2x4", page)


def test_the_menus_of_a_board(full: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """A countdown; a door that closes, also in a rush; those who came last; the end; deletion."""
    board, before = full.board().sees(never=["Many join at once"]), time.time()
    board.press("2 min").sees("timer")
    assert before + 120 <= full.room.until <= time.time() + 120
    assert "timer" not in board.press("Stop").words
    with monkeypatch.context() as rush:
        rush.setattr(board_controls, "is_rushed", lambda code: code == full.code)
        board = full.board().sees("Many join at once: 5 a second are let in.")
        board.app.button(key="close_door  1").click().run()
        assert full.room.closed
        board.sees(never=["Many join at once"])
    board.press("Open the door").press("Close the door")
    assert full.room.closed
    board.press("Remove the 3 of the last 5 min, and their answers").press("Yes, remove")
    assert full.names() == []
    board.press("End now").press("Yes, end").sees("This class has ended", full.asked(1).why)
    assert {"End now", "Pause here", "Bring everyone here", "2 min"}.isdisjoint(board.labels())
    board.press("Delete").press("No").press("Delete").press("Yes, delete")
    board.sees(f"The class {full.code} is deleted")
    assert board.app.error == []


def test_a_refused_press_is_said(full: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked file: the sentence stays for a while, though the board looks again each second."""
    monkeypatch.setattr(Store, "press", Mock(side_effect=StoreError("Press again")))
    assert opened(full.board(), 1).press("Reveal").app.toast[0].value == "Press again"


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
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", "correct horse battery")
    board = Visitor().sees('name="word"').press(f"Board of {full.code}: One row of a table")
    assert board.get("board") == full.code
    assert not board.app.code
    board.press("Make the address").app.run()  # The next look keeps it.
    assert f"/class/{full.code}/board/" in board.app.code[0].value
    for variable, value in (("EMBVIZ_HOSTED", "1"), ("EMBVIZ_CLASSES", "on")):
        monkeypatch.setenv(variable, value)
    Visitor().sees('name="word"', never=["not the class word"])
    Visitor(refused="word").sees('name="word"', "This is not the class word")
    Visitor(refused="<b>").sees('name="word"', never=["<b>"])
    monkeypatch.delenv("EMBVIZ_CLASS_WORD")
    Visitor().sees("Nobody can start a class here", "Join", never=["Start a class"])
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert "Work together as a class" not in [one.label for one in Visitor().app.expander]
