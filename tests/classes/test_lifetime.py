"""Which classes go by themselves, and that no loop keeps a teacher out or takes a class away."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from embviz.classes.lifetime import OPEN_S, SEEN_S, UNUSED_S
from embviz.classes.room import ClassError, NoClassError
from tests.classes.conftest import TEACHER, Class

DAY_S = 86_400
Later = Callable[[float], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Lets seconds pass; else no time passes."""
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])

    def wait(seconds: float) -> None:
        now[0] += seconds

    return wait


def is_there(one: Class) -> bool:
    """Whether the class can be found."""
    try:
        one.store.room(one.code)
    except NoClassError:
        return False
    return True


def test_a_class_is_deleted_after_30_days(later: Later, one: Class, other: Class) -> None:
    """30 days after its last answer; a younger one stays."""
    one.play("a+")
    other.play("a+")
    later(20 * DAY_S)
    one.play("a-")
    later(11 * DAY_S)
    one.store.forget_old()
    assert is_there(one)
    assert not is_there(other)
    assert one.kept() == "1-"
    later(20 * DAY_S)
    one.store.start("row", TEACHER)
    assert not is_there(one)


def test_a_class_that_nobody_has_joined_is_deleted_after_a_day(
    later: Later, one: Class, other: Class
) -> None:
    """A day after its start, or after its board was open; one whose last member is removed too."""
    third = Class(one.store, one.store.start("row", TEACHER))
    third.press("remove", member=third.play("a=").snapshot.members[0].number)
    later(UNUSED_S / 2)
    other.store.look(other.code)
    later(UNUSED_S / 2 + 1)
    one.store.forget_old()
    assert [is_there(each) for each in (one, other, third)] == [False, True, False]


def test_the_oldest_unused_gives_way(
    later: Later, one: Class, other: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a new class where the bound is reached: none that somebody has joined, however old."""
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "3")
    one.play("a+")
    later(OPEN_S + 1)
    third = Class(one.store, one.store.start("row", TEACHER))
    fourth = Class(one.store, one.store.start("row", TEACHER))
    assert [is_there(each) for each in (one, other, third, fourth)] == [True, False, True, True]
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "2")
    later(OPEN_S + 1)
    fifth = Class(one.store, one.store.start("row", TEACHER))
    assert [is_there(each) for each in (one, third, fourth, fifth)] == [True, False, False, True]


def test_a_loop_takes_no_class_that_was_just_begun(
    later: Later, one: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one whose board is open; when both are left, a teacher is not kept out."""
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "5")

    def loop() -> None:
        for _ in range(20):
            with suppress(ClassError):
                one.store.start("row", "somebody's")

    loop()
    later(OPEN_S - 1)
    loop()
    assert is_there(one)
    with pytest.raises(ClassError, match="5 classes at most, and all are used or new"):
        one.store.start("row", "a teacher")
    one.store.look(one.code)
    later(SEEN_S - 1)
    loop()
    assert is_there(one)
    later(OPEN_S + 1)
    mine = Class(one.store, one.store.start("row", "a teacher"))
    loop()
    assert (is_there(one), is_there(mine)) == (False, True)
