"""The tables of a board, from the answers of a class."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from embviz.classes import board
from embviz.classes.store import Answer
from tests.classes.conftest import Class


@pytest.fixture
def full(one: Class) -> Class:
    """Step 1: three vote, two of them again, one late. Step 2: one. A fourth has no answer."""
    one.play("a- b- c? vote_again a+ b- reveal c+").play("a-", 2)
    one.store.another(one.code, "d")
    return one


def test_bars_count_both_votes(full: Class) -> None:
    """In the order of the labels, also one that nobody gave; a late answer is in none."""
    rows = full.store.answers(full.code)
    found = board.bars(rows, 1, ["4", "5", "6", "other"])
    assert found.T.to_dict("list") == {"4": [0, 1], "5": [2, 1], "6": [0, 0], "other": [1, 0]}
    for none in (board.bars(rows, 3, ["4"]), board.bars([], 1, ["4"])):
        assert none.to_numpy().tolist() == [[0, 0]]


def test_the_summary_counts_the_last_vote(full: Class) -> None:
    """How many answered and are right, and the most frequent mistake in words."""
    room, rows = full.store.room(full.code), full.store.answers(full.code)
    assert board.summary(rows, room, 3).to_dict("list") == {
        "answered": [2, 1, 0],
        "right": [1, 0, 0],
        "wrong": [1, 1, 0],
        "mistake": ["Counted from 1.", "Counted from 1.", ""],
    }
    assert board.summary([], room, 2)["answered"].tolist() == [0, 0]


def test_the_most_frequent_mistake_is_named(one: Class) -> None:
    """Not the first; wrong answers without a known mistake name none."""
    for place, words in enumerate(["rare", "often", "often", "", "", ""]):
        one.store.keep(one.code, f"{place}", 1, 1, Answer("7", "other", False, words))
    found = board.summary(one.store.answers(one.code), one.store.room(one.code), 1)
    assert found["mistake"].tolist() == ["often"]


def test_students_have_a_row_each(full: Class) -> None:
    """The sign of the last answer, which may be late; a row without answers is there too."""
    rows = full.store.answers(full.code)
    found = board.students(rows, 3)
    names = board.members(rows)
    assert len(names) == 4
    assert found.pop("name").to_dict() == names
    assert found.T.to_numpy().tolist() == [["✓", "✗", "✓ late", ""], ["✗", "", "", ""], [""] * 4]
    assert board.students([], 2).empty


def test_the_csv_has_one_row_a_student(full: Class) -> None:
    """For each step the votes, a late answer, and if the last is right; no empty columns."""
    rows = full.store.answers(full.code)
    found = pd.read_csv(io.BytesIO(board.csv(rows)), dtype=str, keep_default_na=False)
    assert found.to_dict("list") == {
        "student": [*board.members(rows).values()],
        "step 1 vote 1": ["5", "5", "9", ""],
        "step 1 vote 2": ["4", "5", "", ""],
        "step 1 late": ["", "", "4", ""],
        "step 1 right": ["yes", "no", "yes", ""],
        "step 2 vote 1": ["5", "", "", ""],
        "step 2 right": ["no", "", "", ""],
    }
    assert board.csv([]) == b"\xef\xbb\xbfstudent\n"
