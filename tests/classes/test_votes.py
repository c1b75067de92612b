"""What a vote allows: the three states of a step, pauses, own pace, and who may press."""

from __future__ import annotations

import pytest

from embviz.classes.names import read_code
from embviz.classes.store import LATE, Answer, ClassError, NoClassError, Room, Step, Store
from tests.classes.conftest import RIGHT, TEACHER, WRONG, Class


def test_an_open_vote_counts_the_answer_that_stands(one: Class) -> None:
    """An answer may be changed; the last one before the vote closes is the only one kept."""
    one.answer("a", WRONG)
    one.answer("a", RIGHT)
    one.answer("a", WRONG)
    assert one.kept() == [(1, "5", "5", 0, "Counted from 1.")]
    assert not one.store.room(one.code).tells(1)


def test_a_second_vote_is_empty_and_leaves_the_first(one: Class) -> None:
    """*Vote again* closes the first vote for good; who shows it still is told to press again."""
    one.answer("a", WRONG)
    one.press("vote_again", 1)
    one.press("vote_again", 1)
    assert one.store.room(one.code).step(1) == Step(2)
    with pytest.raises(ClassError, match="first vote has closed"):
        one.answer("a", RIGHT, vote=1)
    one.answer("a", RIGHT, vote=2)
    assert [row[:2] for row in one.kept()] == [(1, "5"), (2, "4")]
    assert not one.store.room(one.code).tells(1)


def test_after_reveal_an_answer_is_late(one: Class) -> None:
    """It changes no vote, also from a page that shows the step still open; nothing votes again."""
    one.answer("a", WRONG)
    one.press("reveal", 1)
    assert one.store.room(one.code).tells(1)
    assert not one.store.room(one.code).tells(2)
    one.answer("a", RIGHT, vote=1)
    one.answer("b", WRONG, vote=1)
    one.answer("b", RIGHT, vote=1)
    assert sorted(row[:2] for row in one.kept()) == [(LATE, "4"), (LATE, "4"), (1, "5")]
    one.press("vote_again", 1)
    assert one.store.room(one.code).step(1).vote == 1


def test_hide_covers_the_board_and_opens_nothing(one: Class) -> None:
    """The step stays closed; *Reveal* uncovers it. A step that is not revealed hides nothing."""
    one.press("hide", 1)
    assert one.store.room(one.code).step(1) == Step()
    one.press("reveal", 1)
    one.press("hide", 1)
    assert one.store.room(one.code).step(1) == Step(1, True, True)
    one.answer("a")
    assert one.kept()[0][0] == LATE
    one.press("reveal", 1)
    assert one.store.room(one.code).step(1) == Step(1, True, False)


def test_at_their_own_pace_the_first_answer_is_in_the_bar(store: Store) -> None:
    """Each step is told at once; later tries are kept as late, the last of them."""
    own = Class(store, store.start("row", True, TEACHER))
    assert store.room(own.code).tells(3)
    for answer in (WRONG, Answer("6", "other", False), RIGHT):
        own.answer("a", answer, 3)
    own.answer("a", step=4)
    own.answer("b", step=3)
    assert [row[:2] for row in own.kept(3)] == [(LATE, "4"), (1, "5"), (1, "4")]
    assert [row[:2] for row in own.kept(4)] == [(1, "4")]


def test_a_pause_refuses_what_is_beyond(one: Class) -> None:
    """Answers up to the paused step are taken, later ones when the class goes on."""
    one.press("pause", 2)
    one.answer("a", step=2)
    with pytest.raises(ClassError, match="paused at step 2"):
        one.answer("a", step=3)
    one.press("go_on")
    one.answer("a", step=3)
    assert len(one.kept(3)) == 1


def test_an_ended_class_takes_nothing(one: Class) -> None:
    """The board stays."""
    one.answer("a")
    one.press("end")
    with pytest.raises(ClassError, match="has ended"):
        one.answer("a", WRONG)
    assert one.store.room(one.code).ended
    assert [row[1] for row in one.kept()] == ["4"]


def test_each_press_is_a_new_version_and_an_answer_is_none(one: Class) -> None:
    """Students' pages ask for it."""
    before = one.store.version(one.code)
    one.answer("a")
    assert one.store.version(one.code) == before == one.store.room(one.code).version
    one.press("pause", 1)
    assert one.store.version(one.code) == before + 1


def test_one_browser_is_one_row_and_three_at_most(one: Class) -> None:
    """Looking makes none; *Not you?* makes a new one, which the next answers belong to."""
    assert one.name("a") == ""
    assert one.store.answers(one.code) == []
    one.answer("a", WRONG)
    first = one.name("a")
    assert one.store.another(one.code, "a") == one.name("a") != first
    one.answer("a")
    names = [(row[1], row[4]) for row in one.store.answers(one.code)]
    assert names == [(first, "5"), (one.name("a"), "4")]
    assert [row[4] for row in one.store.answers(one.code, "a")] == ["4"]
    one.store.another(one.code, "a")
    with pytest.raises(ClassError, match="3 rows"):
        one.store.another(one.code, "a")
    one.answer("b")
    assert len({row[1] for row in one.store.answers(one.code)}) == 4


def test_remove_takes_a_row_with_its_answers(one: Class) -> None:
    """Others stay; the browser may come again as somebody new; another class's row stays too."""
    one.answer("a")
    one.answer("b", WRONG)
    (number, *_), _ = one.store.answers(one.code)
    other = Class(one.store, one.store.start("row", False, TEACHER))
    other.press("remove", number)
    assert len(one.kept()) == 2
    one.press("remove", number)
    assert [row[1] for row in one.kept()] == ["5"]
    assert one.name("a") == ""
    one.answer("a")
    assert one.store.answers(one.code)[-1][0] not in (number, None)


def test_only_a_teacher_presses(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another class's teacher and an empty cookie change nothing; a second device may."""
    one.store.start("row", False, "other")
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
    assert one.store.is_teacher(one.code, TEACHER)
    assert [room.code for room in one.store.classes_of(TEACHER)] == [one.code]
    codes = [room.code for room in one.store.classes_of("other")]
    assert codes[0] == one.code  # the newest first
    assert len(codes) == 2


def test_what_is_no_class_is_refused(one: Class) -> None:
    """Whatever is asked of it, in one sentence; nothing is made."""
    code = read_code("bbb-bbbb")
    for ask in (
        lambda: one.store.room(code),
        lambda: one.store.version(code),
        lambda: one.store.answers(code),
        lambda: one.store.is_teacher(code, TEACHER),
        lambda: one.store.add_teacher(code, TEACHER),
        lambda: one.store.another(code, "a"),
        lambda: one.store.keep(code, "a", 1, 1, RIGHT),
        lambda: one.store.room("' OR 1 --"),
    ):
        with pytest.raises(NoClassError, match="There is no class"):
            ask()
    with pytest.raises(ClassError, match="cookie"):
        one.answer("")
    assert one.store.answers(one.code) == []


def test_the_bounds(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members of a class and classes of a server; who is in goes on."""
    monkeypatch.setenv("EMBVIZ_MAX_MEMBERS", "2")
    one.answer("a")
    one.answer("b")
    with pytest.raises(ClassError, match="2 members"):
        one.answer("c")
    one.answer("b", WRONG)
    monkeypatch.setenv("EMBVIZ_MAX_CLASSES", "2")
    one.store.start("row", False, TEACHER)
    with pytest.raises(ClassError, match="2 classes"):
        one.store.start("row", False, TEACHER)


def test_each_class_has_its_own_seed(store: Store) -> None:
    """The code does not lead to it."""
    rooms: list[Room] = [store.room(store.start("row", False, TEACHER)) for _ in range(20)]
    assert len({room.seed for room in rooms}) == len({room.code for room in rooms}) == 20
    assert max(room.seed for room in rooms) > 2**20
