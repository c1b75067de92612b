"""What a vote allows: the states of a step, pauses, own pace, rows, and who may press."""

from __future__ import annotations

import time

import pytest

from embviz.classes.room import ClassError, NoClassError, StepState
from embviz.classes.store import Store
from tests.classes.conftest import GIVEN, TEACHER, Class


@pytest.mark.parametrize(
    ("script", "kept", "step"),
    [
        ("a- a+ a-", "1-", StepState()),  # the answer that stands counts
        ("a- vote_again vote_again a+", "1- 2+", StepState(2)),
        ("a- reveal a+ b- b+", "1- 3+ 3+", StepState(1, True)),  # late, and the last of these
        ("hide a+", "1+", StepState()),  # nothing to hide
        ("reveal hide a+", "3+", StepState(1, True, True)),
        ("a+ reveal hide reveal", "1+", StepState(1, True)),
        ("reveal vote_again a+", "3+", StepState(1, True)),
        ("vote_again a- reveal", "2-", StepState(2, True)),
    ],
)
def test_the_states_of_a_step(one: Class, script: str, kept: str, step: StepState) -> None:
    """Open, a second vote, revealed, hidden; another step is as before."""
    room = one.play(script).store.room(one.code)
    assert one.kept() == kept
    assert room.step(1) == step
    assert room.step(2) == StepState()
    assert (room.tells(1), room.tells(2)) == (step.revealed, False)


def test_remove_takes_a_row_with_its_answers(one: Class, other: Class) -> None:
    """Others stay; the browser may come again as somebody new; another class's row stays too."""
    (number, *_), _ = one.play("a+ b-").store.answers(one.code)
    other.press("remove", number)
    assert one.kept() == "1+ 1-"
    one.press("remove", number)
    assert (one.kept(), one.store.answers(one.code, "a")) == ("1-", [])
    assert one.play("a+").store.answers(one.code)[-1][0] != number


def test_only_a_teacher_presses(one: Class) -> None:
    """Another class's teacher and an empty cookie change nothing; a second device may."""
    second = one.store.start("row", False, "other")
    for secret in ("other", ""):
        with pytest.raises(ClassError, match="started"):
            one.press("reveal", 1, secret)
    assert not one.store.room(one.code).tells(1)
    one.store.add_teacher(one.code, "other")
    one.press("reveal", 1, "other")
    assert one.store.room(one.code).tells(1)
    for secret, codes in ((TEACHER, [one.code]), ("other", [one.code, second])):  # newest first
        assert [room.code for room in one.store.classes_of(secret)] == codes


def test_a_closed_door(one: Class, other: Class) -> None:
    """No new member comes in; those inside go on; opened again, all may."""
    one.play("a+ close_door a-")
    assert one.store.room(one.code).closed
    for join in (lambda: one.answer("b+"), lambda: one.store.another(one.code, "a")):
        with pytest.raises(ClassError, match="takes no further members"):
            join()
    assert other.play("b+").kept() == "1+"
    assert one.play("a+ open_door b+").kept() == "1+ 1+"


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
    assert len(one.store.answers(one.code)) == 22
    one.store.press(one.code, TEACHER, "remove_since", since=moment)
    assert (one.kept(), other.kept()) == ("1- 1+", "1+")


def test_what_is_no_class_is_refused(one: Class) -> None:
    """In one sentence, and so is a browser without a cookie; nothing is made."""
    for code in ("bbb-bbbb", "' OR 1 --"):
        with pytest.raises(NoClassError, match="There is no class"):
            one.store.keep(code, "a", 1, 1, GIVEN["+"])
    with pytest.raises(ClassError, match="cookie"):
        one.answer("+")
    assert one.store.answers(one.code) == []


def test_the_bounds(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members of a class and classes of a server; who is in goes on."""
    monkeypatch.setenv("EMBVIZ_MAX_MEMBERS", "2")
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "1")
    one.play("a+ b+")
    with pytest.raises(ClassError, match="2 members"):
        one.answer("c+")
    assert one.play("b-").kept() == "1+ 1-"
    with pytest.raises(ClassError, match="1 classes"):
        one.store.start("row", False, TEACHER)


def test_each_class_has_its_own_seed(store: Store) -> None:
    """The code does not lead to it."""
    rooms = [store.room(store.start("row", False, TEACHER)) for _ in range(20)]
    assert len({room.seed for room in rooms}) == 20
