"""The rows of a browser: one counts, an earlier one is kept, and who may come."""

from __future__ import annotations

import time

import pytest

from embviz.classes.members import OF_ONE_BROWSER
from embviz.classes.room import ClassError, RemovedError
from embviz.classes.snapshot import student_digest
from tests.classes.conftest import TEACHER, Class


def test_a_page_that_is_open_joins_once(one: Class, other: Class) -> None:
    """Each browser gets one name, however often it comes; another class has its own."""
    one.play("a= a= a+ b+ b=")
    assert [is_current for _, is_current in one.rows()] == [True, True]
    assert other.rows() == []
    first, second = one.snapshot.members
    assert (first.browser, second.browser) == (
        student_digest(one.code, "a"),
        student_digest(one.code, "b"),
    )
    assert first.browser != student_digest(other.code, "a")
    assert one.rows("a") == [(first.name, True)]
    assert one.rows("nobody") == []


def test_somebody_else_at_a_browser(one: Class) -> None:
    """A new row counts, and only it is told; answers and name of the earlier one are kept."""
    one.play("a- b+")
    (name, _), _ = one.rows()
    assert one.store.earlier(one.code, "a") == ""
    one.store.another(one.code, "a")
    assert one.store.earlier(one.code, "a") == name
    assert one.store.earlier(one.code, "b") == ""
    assert one.store.snapshot(one.code, "a").answers == []
    one.play("a+")
    assert [is_current for _, is_current in one.rows()] == [False, True, True]
    assert [(given.current, given.right) for given in one.snapshot.answers] == [
        (False, False),
        (True, True),
        (True, True),
    ]
    assert [given.right for given in one.store.snapshot(one.code, "a").answers] == [True]


def test_it_can_be_undone(one: Class) -> None:
    """The earlier row counts again; a new one without answers goes, one with answers is kept."""
    one.play("a-")
    ((name, _),) = one.rows()
    one.store.another(one.code, "a")
    one.store.back(one.code, "a")
    one.store.back(one.code, "a")  # a double click: there is nothing to undo any more
    assert one.rows() == [(name, True)]
    assert one.store.earlier(one.code, "a") == ""
    one.store.another(one.code, "a")
    one.play("a+")
    one.store.back(one.code, "a")
    assert [is_current for _, is_current in one.rows()] == [True, False]
    assert one.store.earlier(one.code, "a") == ""
    one.store.another(one.code, "a")
    assert one.store.earlier(one.code, "a") == name  # not that of the row in between
    one.store.back(one.code, "a")
    assert one.rows("a") == [(name, True)]
    assert one.kept() == "1- 1+"


def test_a_browser_has_three_names_at_most(one: Class) -> None:
    """A sentence says so, and nothing is changed; undone ones do not count."""
    one.play("a+")
    for _ in range(OF_ONE_BROWSER):
        one.store.another(one.code, "a")
        one.store.back(one.code, "a")
    for _ in range(OF_ONE_BROWSER - 1):
        one.store.another(one.code, "a")
    before = one.rows()
    assert len(before) == OF_ONE_BROWSER
    sentence = "This browser has had 3 names, the most that it may have."
    with pytest.raises(ClassError, match=sentence):
        one.store.another(one.code, "a")
    assert one.rows() == before


def test_remove_takes_a_row_with_its_answers(one: Class, other: Class) -> None:
    """Others stay, another class's row too; the browser comes again only if it asks to."""
    one.play("a+ b-")
    other.play("a+")
    number = one.snapshot.members[0].number
    other.press("remove", member=number)
    assert one.kept() == "1+ 1-"
    one.press("remove", member=number)
    assert one.kept() == "1-"
    assert one.rows("a") == []
    assert one.store.earlier(one.code, "a") == ""
    for act in ("a=", "a+"):  # A page that is open, or opened again.
        with pytest.raises(RemovedError):
            one.play(act)
    with pytest.raises(RemovedError):
        one.store.another(one.code, "a")
    one.store.join(one.code, "a", again=True)
    assert one.play("a= a+").snapshot.members[-1].number != number
    assert other.kept() == "1+"


def test_a_browser_comes_again_after_each_removal(one: Class) -> None:
    """Also with earlier rows, which stay as they are."""
    one.play("a+")
    for _ in range(OF_ONE_BROWSER - 1):
        one.store.another(one.code, "a")
    for _ in range(3):
        one.press("remove", member=one.store.snapshot(one.code, "a").members[0].number)
        assert one.rows("a") == []
        one.store.join(one.code, "a", again=True)
        assert [is_current for _, is_current in one.rows()] == [False, False, True]


def test_a_closed_door(one: Class, other: Class) -> None:
    """No new row comes in, for a browser inside neither; those inside go on."""
    one.play("a+")
    one.store.another(one.code, "a")
    one.play("close_door a= a-")
    assert one.room.closed
    for join in ("b+", "b="):
        with pytest.raises(ClassError, match="takes no further members"):
            one.play(join)
    with pytest.raises(ClassError, match="takes no further members"):
        one.store.another(one.code, "a")
    one.store.back(one.code, "a")
    assert [is_current for _, is_current in one.rows()] == [True, False]
    assert other.play("b+").kept() == "1+"
    assert one.play("open_door b+").kept() == "1+ 1- 1+"


def test_all_who_came_after_a_moment_are_removed(
    one: Class, other: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their answers; those before stay, also with a later answer, and other classes."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    one.play("a+ b+")
    now += 60
    moment = now
    one.play("a-").play(" ".join(f"made-up-{number}+" for number in range(20)))
    other.play("c+")
    with pytest.raises(ClassError, match="started"):
        one.store.press(one.code, "a", "remove_since", since=moment)
    one.store.press(one.code, TEACHER, "remove_since")  # no moment: nobody
    assert len(one.rows()) == 22
    one.store.press(one.code, TEACHER, "remove_since", since=moment)
    assert (one.kept(), other.kept()) == ("1- 1+", "1+")


def test_the_bounds(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows of a class count, those of earlier students too; who is in goes on."""
    monkeypatch.setenv("EMBVIZ_MAX_MEMBERS", "2")
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "1")
    one.play("a+")
    one.store.another(one.code, "a")
    for script in ("c+", "c="):
        with pytest.raises(ClassError, match="2 members"):
            one.play(script)
    assert one.play("a-").kept() == "1+ 1-"
    with pytest.raises(ClassError, match="1 classes"):
        one.store.start("row", TEACHER)
