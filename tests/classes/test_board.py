"""The tables of a board, from the answers of a class."""

from __future__ import annotations

import csv
import io

import pytest

from embviz.classes import board
from embviz.classes.store import Answer
from tests.classes.conftest import RIGHT, WRONG, Class

OTHER = Answer("9", "other", False)


@pytest.fixture
def full(one: Class) -> Class:
    """Step 1: three vote, two of them again, one late. Step 2: one. A fourth has no answer."""
    for who, answer in (("a", WRONG), ("b", WRONG), ("c", OTHER)):
        one.answer(who, answer)
    one.press("vote_again", 1)
    one.answer("a", RIGHT)
    one.answer("b", WRONG)
    one.press("reveal", 1)
    one.answer("c", RIGHT)
    one.answer("a", WRONG, 2)
    one.store.another(one.code, "d")
    return one


def test_bars_count_both_votes(full: Class) -> None:
    """In the order of the labels, also one that nobody gave; a late answer is in none."""
    rows = full.store.answers(full.code)
    found = board.bars(rows, 1, ["4", "5", "6", "other"])
    assert [*found.index] == ["4", "5", "6", "other"]
    assert found[1].tolist() == [0, 2, 0, 1]
    assert found[2].tolist() == [1, 1, 0, 0]
    assert board.bars(rows, 3, ["4", "5"]).to_numpy().tolist() == [[0, 0], [0, 0]]


def test_the_summary_counts_the_last_vote(full: Class) -> None:
    """How many answered and are right, and the most frequent mistake in words."""
    room = full.store.room(full.code)
    found = board.summary(full.store.answers(full.code), room, 3)
    assert found["answered"].tolist() == [2, 1, 0]
    assert found["right"].tolist() == [1, 0, 0]
    assert found["wrong"].tolist() == [1, 1, 0]
    assert found["mistake"].tolist() == ["Counted from 1.", "Counted from 1.", ""]


def test_the_most_frequent_mistake_is_named(one: Class) -> None:
    """Not the first; wrong answers without a known mistake name none."""
    for place, words in enumerate(["rare", "often", "often", "", "", ""]):
        one.answer(f"browser {place}", Answer(str(place), "other", False, words))
    found = board.summary(one.store.answers(one.code), one.store.room(one.code), 1)
    assert found["mistake"].tolist() == ["often"]


def test_students_have_a_row_each(full: Class) -> None:
    """The sign of the last answer, which may be late; a row without answers is there too."""
    rows = full.store.answers(full.code)
    found = board.students(rows, 3)
    assert found[1].tolist() == ["✓", "✗", "✓ late", ""]
    assert found[2].tolist() == ["✗", "", "", ""]
    assert found[3].tolist() == [""] * 4
    assert found["name"].tolist() == [*board.members(rows).values()]
    assert [*found.index] == [*board.members(rows)]
    assert len(board.members(rows)) == 4


def test_the_csv_has_one_row_a_student(full: Class) -> None:
    """For each step vote one, vote two, late, and whether the last answer is right."""
    rows = full.store.answers(full.code)
    text = board.csv(rows, 2).decode("utf-8-sig")
    found = [*csv.DictReader(io.StringIO(text))]
    names = [*board.members(rows).values()]
    assert [row["student"] for row in found] == names
    steps = [
        [row[f"step 1 {what}"] for what in ("vote 1", "vote 2", "late", "right")] for row in found
    ]
    assert steps == [["5", "4", "", "yes"], ["5", "5", "", "no"], ["9", "", "4", "yes"], [""] * 4]
    assert [row["step 2 right"] for row in found] == ["no", "", "", ""]
    assert board.csv([], 1).decode("utf-8-sig").startswith("student,step 1 vote 1,")


def test_an_empty_class_has_empty_tables(one: Class) -> None:
    """Nothing fails before the first answer."""
    assert board.summary([], one.store.room(one.code), 2)["answered"].tolist() == [0, 0]
    assert board.students([], 2).empty
    assert board.bars([], 1, ["4"]).to_numpy().tolist() == [[0, 0]]
