"""What a vote allows: the states of a step, where the class is, the door, and who may press."""

from __future__ import annotations

import pytest

from embviz.classes.presses import OF_A_STEP, PRESSES
from embviz.classes.room import ClassError, NoClassError, StepState
from embviz.classes.store import Store
from tests.classes.conftest import GIVEN, TEACHER, Class

OPEN = ["bring", "pause_here", "reveal", "vote_again"]


@pytest.mark.parametrize(
    ("script", "kept", "step", "presses"),
    [
        ("a- a+ a-", "1-", StepState(), OPEN),  # the answer that stands counts
        ("a- vote_again vote_again a+", "1- 2+", StepState(2), OPEN[:-1]),
        # Late, and the last of these.
        ("a- reveal a+ b- b+", "1- 3+ 3+", StepState(1, True), OPEN[:2]),
        ("reveal vote_again a+", "3+", StepState(1, True), OPEN[:2]),
        ("vote_again a- reveal", "2-", StepState(2, True), OPEN[:2]),
        ("pause_here a+", "1+", StepState(1, False, True), ["bring", "go_on", *OPEN[2:]]),
        ("pause_here go_on reveal reveal", "", StepState(1, True), OPEN[:2]),
    ],
)
def test_the_states_of_a_step(
    one: Class, script: str, kept: str, step: StepState, presses: list[str]
) -> None:
    """Open, a second vote, revealed, paused; another step and another lab are as before."""
    room = one.play(script).room
    assert one.kept() == kept
    assert room.step("row", 1) == step
    assert room.step("row", 2) == room.step("bag", 1) == StepState()
    told = [room.tells(lab, at) for lab, at in (("row", 1), ("row", 2), ("bag", 1))]
    assert told == [step.revealed, False, False]
    assert room.presses("row", 1) == presses


def test_a_class_is_brought_to_a_step(one: Class) -> None:
    """Each time counts, so that all come again; a lab is opened so, and stays open."""
    room = one.room
    assert [room.lab, room.at, room.moved, room.labs] == ["row", 0, 0, ("row",)]
    with pytest.raises(ClassError, match="has not opened the lab 'bag'"):
        one.play("a+", 1, "bag")
    for number, (lab, step) in enumerate([("row", 3), ("bag", 2), ("row", 3), ("row", 3)], 1):
        room = one.play("bring", step, lab).room
        assert [room.lab, room.at, room.moved] == [lab, step, number]
    assert one.room.labs == ("row", "bag")
    one.play("a+", 1, "bag").play("a-", 1).play("reveal", 1, "bag")
    assert (one.kept(1, "bag"), one.kept(1)) == ("1+", "1-")
    assert (one.room.tells("bag", 1), one.room.tells("row", 1)) == (True, False)


def test_a_pause_closes_the_later_steps_of_its_lab(one: Class) -> None:
    """It is at one step of each lab, and moves with a class that is brought past it."""
    one.play("bring", 1, "bag").play("pause_here", 4).play("pause_here", 2)
    assert (one.room.paused("row"), one.room.paused("bag")) == (2, 0)
    assert [one.room.step("row", step).paused for step in (2, 4)] == [True, False]
    with pytest.raises(ClassError, match="paused at step 2"):
        one.play("a+", 3)
    assert one.play("a+", 2).play("a+", 9, "bag").kept(9, "bag") == "1+"
    for at, last in ((1, 2), (2, 2), (5, 5), (3, 5)):
        assert one.play("bring", at).room.paused("row") == last
    assert one.play("go_on", 5).play("a+", 9).kept(9) == "1+"
    assert one.play("bring", 3).room.paused("row") == 0


def test_after_the_end_every_step_is_told(one: Class) -> None:
    """Nothing is paused, no answer is taken, nobody comes, and no step is changed any more."""
    one.store.press(one.code, TEACHER, "countdown", until=5e9)
    one.play("a- pause_here end")
    room = one.room
    assert room.ended
    assert all(room.tells(lab, step) for lab in ("row", "bag") for step in (1, 7))
    assert [room.paused("row"), room.step("row", 1).paused, room.until] == [0, False, 0.0]
    assert room.presses("row", 1) == []
    for press in [*OF_A_STEP, "countdown"]:
        with pytest.raises(ClassError, match="has ended"):
            one.press(press)
    for script in ("a+", "b+", "b="):
        with pytest.raises(ClassError, match="has ended"):
            one.play(script)
    assert one.room == room
    assert (one.kept(), len(one.names())) == ("1-", 1)
    one.press("delete")


def test_a_countdown_ends_with_its_vote(one: Class) -> None:
    """Revealed, voted on again or left for another step; a press elsewhere does not end it."""

    def counts_after(press: str, step: int, lab: str = "row") -> bool:
        one.store.press(one.code, TEACHER, "countdown", until=5e9)
        assert one.room.until == 5e9
        return one.play(press, step, lab).room.until == 5e9

    one.play("bring", 3)
    elsewhere = [("reveal", 1, "row"), ("reveal", 3, "bag"), ("pause_here", 3, "row")]
    assert all(counts_after(*press) for press in elsewhere)
    here = [("vote_again", 3), ("reveal", 3), ("bring", 4), ("countdown", 4)]
    assert not any(counts_after(*press) for press in here)


def test_only_a_teacher_presses(one: Class) -> None:
    """Another class's teacher and an empty cookie change nothing; a second device may."""
    second = one.store.start("row", "other")
    before = one.room
    for press in PRESSES:
        for secret in ("other", ""):
            with pytest.raises(ClassError, match="started"):
                one.store.press(one.code, secret, press, "row", 1)
    assert one.room == before
    one.store.add_teacher(one.code, "other")
    one.store.press(one.code, "other", "reveal", "row", 1)
    assert one.room.tells("row", 1)
    assert one.room.version == before.version + 1
    for secret, codes in ((TEACHER, [one.code]), ("other", [one.code, second])):  # newest first
        assert [room.code for room in one.store.classes_of(secret)] == codes


def test_what_is_no_class_is_refused(one: Class) -> None:
    """In one sentence, and so is a browser without a cookie; nothing is made."""
    for code in ("bbb-bbbb", "' OR 1 --"):
        with pytest.raises(NoClassError, match="There is no class"):
            one.store.keep(code, "a", "row", 1, GIVEN["+"], vote=1)
    for script in ("+", "="):
        with pytest.raises(ClassError, match="cookie"):
            one.play(script)
    assert (one.snapshot.answers, one.names()) == ([], [])


def test_each_class_has_its_own_seed(store: Store) -> None:
    """The code does not lead to it."""
    assert len({store.room(store.start("row", TEACHER)).seed for _ in range(5)}) == 5
