"""Which classes go by themselves."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from embviz.classes.lifetime import OPEN_S
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


def test_the_oldest_unused_gives_way(
    later: Later, one: Class, other: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a new class where the bound is reached: none with a member, and none that is new."""
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "3")
    one.play("a=")
    later(1)
    third = Class(one.store, one.store.start("row", TEACHER))
    later(OPEN_S - 1)
    with pytest.raises(ClassError, match="3 classes at most, and all are used or new"):
        one.store.start("row", TEACHER)
    later(1)
    fourth = Class(one.store, one.store.start("row", TEACHER))
    assert [is_there(each) for each in (one, other, third, fourth)] == [True, False, True, True]
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "2")
    fourth.press("remove", member=fourth.play("a=").snapshot.members[0].number)
    later(OPEN_S + 1)
    fifth = Class(one.store, one.store.start("row", TEACHER))
    assert [is_there(each) for each in (one, third, fourth, fifth)] == [True, False, False, True]
