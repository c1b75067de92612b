"""The tables of a board, from the answers of a class."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from embviz.classes import board
from tests.classes.conftest import Class


@pytest.fixture
def full(one: Class) -> Class:
    """Step 1: three vote, two of them again, one late. Step 2: one. A fourth has no answer."""
    one.play("a- b- c? vote_again a+ b- reveal c+").play("a-", 2)
    one.store.another(one.code, "d")
    return one


def test_the_summary_counts_the_last_vote(full: Class) -> None:
    """How many answered and are right, and the most frequent mistake in words."""
    full.play("a! b- c- d? e? f? g+", 3)
    room, rows = full.store.room(full.code), full.store.answers(full.code)
    assert board.summary(rows, room, 4).to_dict("list") == {
        "answered": [2, 1, 7, 0],
        "right": [1, 0, 1, 0],
        "wrong": [1, 1, 6, 0],
        "mistake": ["Counted from 1."] * 3 + [""],
    }
    assert board.summary([], room, 2)["answered"].tolist() == [0, 0]


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
