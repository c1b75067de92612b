"""What a vote allows: the states of a step, pauses, own pace, rows, and who may press."""

from __future__ import annotations

import pytest

from embviz.classes.room import ClassError, NoClassError, Step
from embviz.classes.store import Store
from tests.classes.conftest import GIVEN, TEACHER, Class


@pytest.mark.parametrize(
    ("script", "kept", "step"),
    [
        ("a- a+ a-", "1-", Step()),  # the answer that stands counts
        ("a- vote_again vote_again a+", "1- 2+", Step(2)),
        ("a- reveal a+ b- b+", "0+ 1- 0+", Step(1, True)),  # late, and the last of these
        ("hide a+", "1+", Step()),  # nothing to hide
        ("reveal hide a+", "0+", Step(1, True, True)),
        ("reveal hide reveal", "", Step(1, True)),
        ("reveal vote_again a+", "0+", Step(1, True)),
        ("vote_again a- reveal", "2-", Step(2, True)),
    ],
)
def test_the_states_of_a_step(one: Class, script: str, kept: str, step: Step) -> None:
    """Open, a second vote, revealed, hidden; another step is as before."""
    room = one.play(script).store.room(one.code)
    assert (one.kept(), room.step(1), room.step(2)) == (kept, step, Step())
    assert (room.tells(1), room.tells(2)) == (step.revealed, False)


def test_an_answer_belongs_to_the_vote_that_its_page_shows(one: Class) -> None:
    """Who shows the first vote when it has closed is told; after *Reveal* it is late."""
    one.play("a- vote_again")
    with pytest.raises(ClassError, match="first vote has closed"):
        one.answer("a+", vote=1)
    one.press("reveal")
    one.answer("a+", vote=1)
    assert one.kept() == "0+ 1-"


def test_at_their_own_pace_the_first_answer_is_in_the_bar(other: Class) -> None:
    """Each step is told at once; later tries are kept as late, the last of them."""
    assert other.store.room(other.code).tells(3)
    other.play("a- a? a+", 3).play("a+", 4).play("b+", 3)
    assert (other.kept(3), other.kept(4)) == ("0+ 1- 1+", "1+")


def test_a_pause_and_the_end_refuse_answers(one: Class) -> None:
    """Answers up to the paused step are taken, later ones when the class goes on."""
    one.play("pause a+", 2)
    with pytest.raises(ClassError, match="paused at step 2"):
        one.answer("a+", 3)
    one.press("go_on")
    one.play("a+ end", 3)
    with pytest.raises(ClassError, match="has ended"):
        one.answer("a-", 3)
    assert one.store.room(one.code).ended
    assert (one.kept(2), one.kept(3)) == ("1+", "1+")


def test_each_press_is_a_new_version_and_an_answer_is_none(one: Class) -> None:
    """Students' pages ask for it."""
    before = one.store.version(one.code)
    assert one.play("a+").store.version(one.code) == before == one.store.room(one.code).version
    assert one.play("pause").store.version(one.code) == before + 1


def test_one_browser_is_one_row_and_three_at_most(one: Class) -> None:
    """Looking makes none; *Not you?* makes a new one, which the next answers belong to."""
    assert (one.name("a"), one.store.answers(one.code)) == ("", [])
    first = one.play("a-").name("a")
    assert one.store.another(one.code, "a") == one.name("a") != first
    assert one.play("a+").kept() == "1- 1+"
    assert [row[4] for row in one.store.answers(one.code, "a")] == ["4"]
    one.store.another(one.code, "a")
    with pytest.raises(ClassError, match="3 rows"):
        one.store.another(one.code, "a")
    assert one.play("b+").kept() == "1- 1+ 1+"


def test_remove_takes_a_row_with_its_answers(one: Class, other: Class) -> None:
    """Others stay; the browser may come again as somebody new; another class's row stays too."""
    (number, *_), _ = one.play("a+ b-").store.answers(one.code)
    other.press("remove", number)
    assert one.kept() == "1+ 1-"
    one.press("remove", number)
    assert (one.kept(), one.name("a")) == ("1-", "")
    assert one.play("a+").store.answers(one.code)[-1][0] != number


def test_only_a_teacher_presses(one: Class) -> None:
    """Another class's teacher and an empty cookie change nothing; a second device may."""
    second = one.store.start("row", False, "other")
    before = one.store.room(one.code)
    for secret in ("other", "", TEACHER[:-1]):
        assert not one.store.is_teacher(one.code, secret)
        for press in ("reveal", "delete"):
            with pytest.raises(ClassError, match="started"):
                one.press(press, 1, secret)
    assert one.store.room(one.code) == before
    one.store.add_teacher(one.code, "other")
    one.press("reveal", 1, "other")
    assert one.store.room(one.code).step(1).revealed
    for secret, codes in ((TEACHER, [one.code]), ("other", [one.code, second])):  # newest first
        assert [room.code for room in one.store.classes_of(secret)] == codes


@pytest.mark.parametrize("code", ["bbb-bbbb", "' OR 1 --"])
def test_what_is_no_class_is_refused(one: Class, code: str) -> None:
    """Whatever is asked of it, in one sentence; nothing is made."""
    store = one.store
    for ask, *more in (
        (store.room,),
        (store.version,),
        (store.answers,),
        (store.is_teacher, TEACHER),
        (store.add_teacher, TEACHER),
        (store.another, "a"),
        (store.keep, "a", 1, 1, GIVEN["+"]),
    ):
        with pytest.raises(NoClassError, match="There is no class"):
            ask(code, *more)
    with pytest.raises(ClassError, match="cookie"):
        one.answer("+")
    assert store.answers(one.code) == []


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
    assert len({room.seed for room in rooms}) == len({room.code for room in rooms}) == 20
    assert max(room.seed for room in rooms) > 2**20
