"""A class as the app runs it, without a browser: outboxes, store and board together."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from embviz.classes.board import RIGHT
from embviz.classes.codes import guest_of, new_token
from embviz.classes.outbox import Outbox
from embviz.classes.record import Answer
from embviz.classes.room import Room
from embviz.classes.store import Store
from embviz.labs.answers import written
from embviz.labs.exercises import lab as lab_of
from embviz.labs.student import Student

TEACHER = "a teacher's secret"
WRONG = "9 9"  # to "Which ids are these?"
LOOK_S = 0.1
LAB = lab_of("row")


def work_of(token: str) -> list[Answer]:
    """The answers that a member gives to all steps, one of them wrong at first."""
    values, found = LAB.values(Student(guest_of(token))), list[Answer]()
    for step in LAB.steps:
        solution = step.solution(values)
        assert solution is not None
        right = written(solution)
        for typed in (WRONG, right) if step.name == "ids" else (right,):
            nth = sum(one.step == step.name for one in found) + 1
            found.append(Answer(step.name, nth, typed, len(found)))
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with the steps of the real labs."""
    found = Store(tmp_path / "classes.sqlite3")
    yield found
    found.close()


def test_a_hundred_students_do_a_lab_before_an_open_board(store: Store) -> None:
    """Each answer is on the board once, in its student's order, and the board never goes back."""
    code = store.start("row", TEACHER).code
    works = {token: work_of(token) for token in (new_token() for _ in range(100))}
    # Each look asks the store, because each is a second after the last one.
    room = Room(code, store, map(float, count()).__next__)
    done, shown = threading.Event(), list[int]()
    room.begin()

    def watch() -> None:
        while not done.wait(LOOK_S):
            room.refresh()
            shown.append(sum(cell.tries for one in room.board() for cell in one.cells))

    def student(token: str) -> None:
        outbox = Outbox(store, code, token)
        for answer in works[token]:
            outbox.add(answer)
            outbox.add(answer)  # a second tab sends it, too
        store.join(code, token).result()  # comes after what the outbox has sent so far
        while outbox.waiting:
            store.join(code, token).result()

    board = threading.Thread(target=watch)
    board.start()
    try:
        with ThreadPoolExecutor(100) as pool:
            assert list(pool.map(student, works)) == [None] * 100
    finally:
        done.set()
        board.join()
    room.refresh()
    lines = room.board()
    assert shown == sorted(shown)
    assert len({one.pseudonym for one in lines}) == len(lines) == 100
    for token, work in works.items():
        member = room.member(token)
        assert member is not None
        assert room.answers(token) == {*work}
        (line,) = (one for one in lines if one.pseudonym == member.pseudonym)
        tries = {step.name: sum(one.step == step.name for one in work) for step in LAB.steps}
        assert [cell.tries for cell in line.cells] == [*tries.values()]
        assert {cell.state for cell in line.cells} == {RIGHT}
