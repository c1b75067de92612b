"""Answers wait in the session while the store fails, and arrive once it works again."""

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from embviz.classes import database, outbox
from embviz.classes.codes import new_token
from embviz.classes.outbox import MOST_AT_ONCE, Outbox
from embviz.classes.record import Answer
from embviz.core import bounds
from tests.classes.stores import TEACHER, AClass


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AClass]:
    """A class with one member, whose outboxes try again at once."""
    monkeypatch.setattr(database, "BUSY_S", 0.01)
    monkeypatch.setattr(outbox, "AGAIN_S", 0.0)
    made = AClass(tmp_path / "classes.sqlite3")
    yield made
    made.store.close()


def answers(*numbers: int) -> list[Answer]:
    """Answers of these attempts."""
    return [Answer("ids", nth, "3", nth) for nth in numbers]


def test_it_joins_and_sends(one: AClass) -> None:
    """A new token becomes a member, and answers arrive in order without anybody waiting."""
    mine = Outbox(one.store, one.code, new_token())
    with one.held():
        for answer in answers(1, 2, 3):
            mine.add(answer)
        assert mine.waiting == 3
    one.settle()
    assert mine.member == one.store.news(one.code).members[1]
    assert (mine.waiting, mine.since, mine.refused) == (0, None, None)
    assert one.kept() == [(1, "3"), (2, "3"), (3, "3")]


def test_answers_of_an_idle_student_arrive_later(one: AClass) -> None:
    """While the file is locked answers wait; later they arrive by themselves."""
    mine = Outbox(one.store, one.code, one.token)
    one.settle()
    with one.locked():
        for answer in answers(1, 2, 3):
            mine.add(answer)
        one.settle()
        assert mine.waiting == 3
        assert mine.since is not None
        assert len(one.store._writer._again) <= 1  # not one for each answer
        since = mine.since
        one.settle()
        assert mine.since == since
    one.settle()
    assert (mine.waiting, mine.since) == (0, None)
    assert one.kept() == [(1, "3"), (2, "3"), (3, "3")]


def test_joining_waits_too(one: AClass) -> None:
    """A student joins later if the file is away, and then all answers arrive."""
    aside = one.path.with_name("aside")
    one.path.rename(aside)
    mine = Outbox(one.store, one.code, new_token())
    mine.add(*answers(1))
    one.settle()
    assert (mine.member, mine.waiting) == (None, 1)
    assert mine.since is not None
    aside.rename(one.path)
    one.settle()
    assert mine.member is not None
    assert (mine.waiting, len(one.kept())) == (0, 1)


def test_at_most_200_answers_wait(one: AClass) -> None:
    """The oldest of more than 200 waiting answers are left out: later ones say more."""
    mine = Outbox(one.store, one.code, one.token)
    one.settle()
    with one.held():
        for answer in answers(*range(1, 1001)):
            mine.add(answer)
        assert mine.waiting <= 2 * MOST_AT_ONCE
    one.store.close()
    for answer in answers(*range(1001, 1501)):
        mine.add(answer)
    assert mine.waiting == MOST_AT_ONCE


def test_a_refused_answer_waits_no_longer(one: AClass) -> None:
    """An answer that is refused for good goes, and the reason is kept until one is taken."""
    mine = Outbox(one.store, one.code, one.token)
    one.store.change(one.code, TEACHER, ended=True).result()
    mine.add(*answers(1))
    one.settle()
    assert mine.waiting == 0
    assert "has ended" in (mine.refused or "")
    one.store.change(one.code, TEACHER, ended=False).result()
    mine.add(*answers(2))
    one.settle()
    assert (mine.waiting, mine.refused, len(one.kept())) == (0, None, 1)


def test_a_stranger_waits_for_nothing(one: AClass, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a full class answers do not gather."""
    monkeypatch.setenv(bounds.MEMBERS.variable, "1")
    mine = Outbox(one.store, one.code, new_token())
    for answer in answers(1, 2):
        mine.add(answer)
        one.settle()
    assert (mine.member, mine.waiting) == (None, 0)
    assert "is full" in (mine.refused or "")


def test_more_than_a_minute_takes_arrives_later(
    one: AClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long work that is sent again waits for the next minute; nothing of it is lost."""
    monkeypatch.setenv(bounds.ANSWERS.variable, "5")
    mine = Outbox(one.store, one.code, one.token)
    for answer in answers(*range(1, 9)):
        mine.add(answer)
    one.settle()
    assert mine.waiting
    assert mine.since is None  # the store works
    monkeypatch.setenv(bounds.ANSWERS.variable, "50")  # the minute is over
    one.settle()
    assert mine.waiting == 0
    assert [nth for nth, _ in one.kept()] == [*range(1, 9)]


def test_an_outbox_ends_with_its_session(one: AClass) -> None:
    """A session that ended tries nothing again, and keeps no memory."""
    with one.locked():
        mine = Outbox(one.store, one.code, one.token)
        gone = weakref.ref(mine)
        mine.add(*answers(1))
        del mine
        one.settle()
        gc.collect()
        assert gone() is None
