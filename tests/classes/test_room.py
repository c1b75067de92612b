import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from embviz.classes.board import CONSISTENT, NOT_BEGUN, PREDICTED, RIGHT, WRONG
from embviz.classes.record import ClassError, News, StoreError
from embviz.classes.room import POLL_S, Room, Rooms
from embviz.labs.check import Result, check
from embviz.labs.record import Step
from tests.classes.a_class import CODE, AClass


def look(given: AClass, room: Room) -> dict[str, list[str]]:
    """The states on the board after the next look at the store, by member."""
    given.now += POLL_S
    room.refresh()
    return {line.pseudonym: [cell.state.name for cell in line.cells] for line in room.board()}


def test_the_board_shows_each_members_last_answer() -> None:
    """The last answer to a step decides; a prediction is no error."""
    given = AClass(3)
    room = Rooms(given, given.clock).get(CODE)
    given.answer(1, "shape", "(9, 9)")
    given.answer(1, "shape", given.right(2, "shape"))
    given.answer(2, "shape", "(1, 3, 5)")
    given.answer(2, "ids", given.right(2, "ids"))
    given.answer(2, "ids", "0 0 0 0 0")
    states = look(given, room)
    assert states["member 1"] == [RIGHT.name] + [NOT_BEGUN.name] * 7
    assert states["member 2"][:3] == [PREDICTED.name, WRONG.name, NOT_BEGUN.name]
    assert {*states["member 3"]} == {NOT_BEGUN.name}
    first, second, _ = room.board()
    assert first.cells[0].tries == 2
    assert "transposed" in second.cells[0].mistake


def test_a_measured_answer_is_not_called_right() -> None:
    """Numbers that a student measured can only fit together."""
    given = AClass(1, "cost")
    room = Rooms(given, given.clock).get(CODE)
    given.answer(1, "sweep", "2 100 50")
    look(given, room)
    assert CONSISTENT in [cell.state for cell in room.board()[0].cells]


def test_a_verdict_follows_from_the_members_own_values() -> None:
    """Another member's right answer is wrong: each has other numbers."""
    given = AClass(2)
    room = Rooms(given, given.clock).get(CODE)
    given.answer(1, "ids", given.right(2, "ids"))
    given.answer(2, "ids", given.right(2, "ids"))
    states = look(given, room)
    assert [line[1] for line in states.values()] == [WRONG.name, RIGHT.name]


def test_the_store_is_asked_for_what_is_new_and_not_too_often() -> None:
    """A look soon after another asks nothing; a later one asks from the last id on."""
    given = AClass(1)
    room = Rooms(given, given.clock).get(CODE)
    given.answer(1, "shape", "(1, 3, 5)")
    room.refresh()
    assert given.asked == [0]
    look(given, room)
    look(given, room)
    assert given.asked == [0, 1, 2]


def test_the_version_grows_only_when_something_changed() -> None:
    """Without news the board is the same object; each kind of news makes a new version."""
    given = AClass(2)
    room = Rooms(given, given.clock).get(CODE)
    before = room.board()
    look(given, room)
    assert room.board() is before
    seen = [room.version]

    def changed() -> bool:
        look(given, room)
        seen.append(room.version)
        return seen[-1] > seen[-2]

    given.answer(1, "shape", "(1, 3, 5)")
    assert changed()
    assert room.board()[1] is before[1]  # the other line is not made again
    given.come()
    assert changed()
    assert [line.number for line in room.board()] == [1, 2, 3]
    given.press(paused=2, revealed={"shape": 1})
    assert changed()
    assert room.classroom.paused == 2
    assert not changed()


def test_a_broken_store_is_named_and_what_is_known_stays() -> None:
    """While the store cannot be read, the room says since when; then it goes on."""
    given = AClass(1)
    given.answer(1, "shape", given.right(1, "shape"))
    room = Rooms(given, given.clock).get(CODE)
    heard, given.broken = room.version, "the disk is full"
    assert look(given, room)["member 1"][0] == RIGHT.name
    assert (room.silent_since, room.why) == (0.0, "the disk is full")
    broken = room.version
    assert broken > heard
    look(given, room)
    assert (room.version, room.silent_since) == (broken, 0.0)
    given.broken = ""
    given.answer(1, "ids", given.right(1, "ids"))
    assert look(given, room)["member 1"][:2] == [RIGHT.name] * 2
    assert room.silent_since is None
    assert room.version > broken


def test_rooms_are_shared_and_forgotten_with_their_class() -> None:
    """All viewers have one room; a deleted class has none, and a wrong code never gets one."""

    class Deleted(AClass):
        deleted = False

        def news(self, code: str, since: int = 0) -> News:
            if self.deleted or code != CODE:
                raise ClassError(f"There is no class {code!r}.")
            return super().news(code, since)

    given = Deleted(1)
    rooms = Rooms(given, given.clock)
    room = rooms.get(CODE)
    assert rooms.get(CODE) is room
    with pytest.raises(ClassError):
        rooms.get("other-code-1")
    given.deleted = True
    given.now += POLL_S
    with pytest.raises(ClassError):
        room.refresh()
    with pytest.raises(ClassError):
        rooms.get(CODE)
    given.broken, given.deleted = "locked", False
    with pytest.raises(StoreError):
        rooms.get(CODE)


def test_the_first_viewers_share_one_check_of_all_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a restart many come at once: each answer is checked once, and nobody sees less."""
    given = AClass(40, "cost")
    for member in range(1, 41):
        given.answer(member, "table", given.right(member, "table"))
    checked: list[str] = []

    def check_and_note(step: Step[Any], values: Any, typed: str) -> Result:
        checked.append(typed)
        return check(step, values, typed)

    monkeypatch.setattr("embviz.classes.room.check", check_and_note)
    rooms = Rooms(given, given.clock)
    with ThreadPoolExecutor(8) as pool:
        boards = [*pool.map(lambda _: rooms.get(CODE).board(), range(24))]
    assert len(checked) == 40
    assert {line.cells[0].state for board in boards for line in board} == {RIGHT}


def test_two_hundred_members_answer_while_the_board_is_read() -> None:
    """Viewers in several threads see every answer of a full class once, and no torn board."""
    members, steps = 200, ("table", "one-hot")
    given = AClass(members, "cost")
    right = {
        (member, step): given.right(member, step)
        for member in range(1, members + 1)
        for step in steps
    }
    room = Rooms(given, given.clock).get(CODE)
    boards: list[set[int]] = []

    def watch() -> None:
        while not boards or boards[-1] != {2 * members}:
            given.now += POLL_S
            room.refresh()
            lines = room.board()
            boards.append({sum(cell.tries for line in lines for cell in line.cells)})
            if len(lines) != members or sum(bar.count for bar in room.spread("table").bars) > 200:
                boards.append({-1})

    viewers = [threading.Thread(target=watch) for _ in range(2)]
    for one in viewers:
        one.start()
    for (member, step), typed in right.items():
        given.answer(member, step, typed)
    for one in viewers:
        one.join()
    cells = [cell for line in room.board() for cell in line.cells[:2]]
    assert {(cell.state, cell.tries) for cell in cells} == {(RIGHT, 1)}
    assert {-1} not in boards
