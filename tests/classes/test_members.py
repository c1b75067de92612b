"""The members of a class: a browser is one row, who may come, and who is removed."""

from __future__ import annotations

import time

import pytest

from embviz.classes.room import ClassError, RemovedError
from embviz.classes.snapshot import student_digest
from tests.classes.conftest import TEACHER, Class


def test_a_page_that_is_open_joins_once(one: Class, other: Class) -> None:
    """Each browser gets one name, however often it comes; another class has its own."""
    one.play("a= a= a+ b+ b=")
    assert other.names() == []
    first, second = one.snapshot.members
    assert (first.browser, second.browser) == (
        student_digest(one.code, "a"),
        student_digest(one.code, "b"),
    )
    assert first.browser != student_digest(other.code, "a")
    assert one.names("a") == [first.name]
    assert one.names("nobody") == []


def test_remove_takes_a_row_with_its_answers(one: Class, other: Class) -> None:
    """Others stay, another class's row too; the browser comes again only if it asks to."""
    one.play("a+ b-")
    other.play("a+")
    number = one.snapshot.members[0].number
    other.press("remove", member=number)
    assert one.kept() == "1+ 1-"
    for _ in range(3):
        one.press("remove", member=one.store.snapshot(one.code, "a").members[0].number)
        assert one.kept() == "1-"
        assert one.names("a") == []
        for act in ("a=", "a+"):  # A page that is open, or opened again.
            with pytest.raises(RemovedError):
                one.play(act)
        one.store.join(one.code, "a", again=True)
        assert one.play("a= a+").snapshot.members[-1].number != number
    assert other.kept() == "1+"


def test_a_closed_door(one: Class, other: Class) -> None:
    """No new row comes in; those inside go on."""
    one.play("a+ close_door a= a-")
    assert one.room.closed
    for join in ("b+", "b="):
        with pytest.raises(ClassError, match="takes no further members"):
            one.play(join)
    assert other.play("b+").kept() == "1+"
    assert one.play("open_door b+").kept() == "1- 1+"


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
        one.store.press(one.code, "a", "remove", since=moment)
    one.store.press(one.code, TEACHER, "remove")  # no moment: nobody
    assert len(one.names()) == 22
    one.store.press(one.code, TEACHER, "remove", since=moment)
    assert (one.kept(), other.kept()) == ("1- 1+", "1+")


def test_the_bounds(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class takes no more than it may; who is in goes on."""
    monkeypatch.setenv("EMBVIZ_MAX_MEMBERS", "2")
    one.play("a+ b=")
    for script in ("c+", "c="):
        with pytest.raises(ClassError, match="2 members"):
            one.play(script)
    assert one.play("a- b+").kept() == "1- 1+"
