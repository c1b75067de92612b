"""The tables of a board, from the answers of a class."""

from __future__ import annotations

import csv
import io
import time
from datetime import datetime

import pytest

from embviz.classes import board
from embviz.classes.room import StoredAnswer
from embviz.classes.snapshot import student_digest
from embviz.classes.visit import HERE_S, Visit
from embviz.labs.catalogue import LABS
from embviz.labs.question import OTHER, Question
from tests.classes.conftest import Class

QUESTION = Question(
    "A sum", "", (4.0,), "", mistakes={(5.0,): "Counted from 1.", (3.0,): "A rare one."}
)
CHOICE = Question("Who", "", "4", "", choices=("4", "5"), mistakes={"5": "Counted from 1."})


@pytest.fixture
def full(one: Class) -> Class:
    """Step 1: three vote, two of them again, one late. Step 2: one. A fourth has no answer.

    Then the lab `bag` is opened.
    """
    return (
        one.play("d= a- b- c? vote_again a+ b- reveal c+ a!").play("a-", 2).play("bring", 1, "bag")
    )


@pytest.mark.parametrize(
    ("script", "votes"),
    [
        ("a- b- c?", {"4": (0, 0), "5": (2, 0), OTHER: (1, 0)}),
        ("a- b- c? vote_again a+", {"4": (0, 1), "5": (2, 0), OTHER: (1, 0)}),
        ("a- vote_again reveal b- c?", {"4": (0, 0), "5": (1, 0)}),  # late ones are in none
    ],
)
def test_the_bars_have_both_votes(
    one: Class, script: str, votes: dict[str, tuple[int, int]]
) -> None:
    """Of this step of this lab; a mistake that nobody made has none, a choice always has one."""
    answers = one.play(script).play("bring a! b!", 1, "bag").play("a! b!", 2).snapshot.answers
    found = {bar.words: bar for bar in board.bars(answers, "row", 1, QUESTION)}
    assert {words: bar.votes for words, bar in found.items()} == votes
    assert [words for words, bar in found.items() if bar.right] == ["4"]
    assert found["5"].mistake == "Counted from 1."
    assert [bar.words for bar in board.bars([], "row", 1, CHOICE)] == ["4", "5"]


def test_a_bar_of_guesses_has_what_was_typed(one: Class) -> None:
    """The smallest and the largest number, of both votes, without late answers and other rows."""
    question = Question("Times", "", (4.0,), "", mistakes={(40.0,): "Too many."}, within=3.2)

    def guess(who: str, typed: str, bar: str) -> None:
        vote = one.room.step("row", 1).vote
        answer = StoredAnswer(typed, bar, bar == "4", "", "Times")
        one.store.keep(one.code, who, "row", 1, answer, vote=vote)

    for who, typed, bar in (("a", "2", "4"), ("b", "100", "40"), ("c", "99", OTHER)):
        guess(who, typed, bar)
    one.press("vote_again")
    guess("a", "9", "4")
    one.press("reveal")
    guess("b", "1", "4")
    found = {bar.words: bar.typed for bar in board.bars(one.snapshot.answers, "row", 1, question)}
    assert found == {"4": "2 to 9", "40": "100", OTHER: ""}
    assert {bar.typed for bar in board.bars(one.snapshot.answers, "row", 1, QUESTION)} == {""}


def test_a_student_has_one_verdict_in_all_tables(one: Class) -> None:
    """While a vote is open that of this vote; once told, of the last answer that is not late."""

    def after(script: str) -> list[object]:
        found = one.play(script).snapshot
        row = board.summary(found, "row", 1).iloc[0].tolist()
        verdicts = [*board.students(found, "row").get("step 1 counts as right", [])]
        assert [verdicts.count("yes"), verdicts.count("no")] == row[1:3]
        return row

    assert after("a- b- c+ d=") == [3, 1, 2, "Counted from 1."]
    assert after("vote_again") == [0, 0, 0, ""]
    assert after("a+") == [1, 1, 0, ""]
    assert after("reveal") == [3, 2, 1, "Counted from 1."]
    assert after("b+ d+") == [3, 2, 1, "Counted from 1."]
    # Told by the end, with an empty second vote: whoever is in a bar has answered.
    found = one.play("a- b+ vote_again end", 2).snapshot
    assert [bar.votes for bar in board.bars(found.answers, "row", 2, QUESTION)] == [(1, 0)] * 2
    assert board.summary(found, "row", 2).loc[2].tolist() == [2, 1, 1, "Counted from 1."]


def test_the_summary_has_the_most_frequent_mistake(full: Class) -> None:
    """In words, for each step of the lab; without answers all is 0."""
    full.play("a! b- c- d? e? f? g+", 3).play("a-", 1, "bag")
    assert board.summary(full.snapshot, "row", 4).to_dict("list") == {
        "answered": [3, 1, 7, 0],
        "right": [1, 0, 1, 0],
        "wrong": [2, 1, 6, 0],
        "mistake": ["Counted from 1."] * 3 + [""],
    }
    assert board.summary(full.snapshot, "bag", 2)["answered"].to_dict() == {1: 1, 2: 0}


def test_the_table_of_students(full: Class) -> None:
    """A row for each, by number: votes, a late answer, the verdict; no empty columns."""
    found = board.students(full.snapshot, "row")
    names = full.names()
    assert found.to_dict("list") == {
        "student": names,  # the one without answers came first
        "step 1 vote 1": ["", "5", "5", "9"],
        "step 1 vote 2": ["", "4", "5", ""],
        "step 1 late answer": ["", "3", "", "4"],
        "step 1 counts as right": ["", "yes", "no", "no"],  # not the late ones
        "step 2 vote 1": ["", "5", "", ""],
        "step 2 counts as right": ["", "no", "", ""],
    }
    assert board.students(full.snapshot, "bag").to_dict("list") == {"student": names}


def test_what_is_counted_as_other(one: Class) -> None:
    """Who wrote it, and what: of both votes, each once, without late answers."""
    found = one.play("a? b- c? vote_again a? c+ reveal b?").play("b?", 2).snapshot
    a, _, c = one.names()
    assert board.others(found.answers, "row", 1).to_dict("list") == {
        "name": [a, c],
        "typed": ["9", "9"],
    }
    assert board.others(found.answers, "bag", 1).empty


def test_who_is_stuck(full: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each is, how old the last answer is, what was refused, and if a page is open."""
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    found = full.snapshot
    visits = {
        student_digest(full.code, "a"): Visit(now, "row", 2, 3),
        student_digest(full.code, "b"): Visit(now, "row", 2, 3, ("lol", "5*8")),
        student_digest(full.code, "c"): Visit(now - HERE_S, "row", 1),
        student_digest(full.code, "stranger"): Visit(now, "row", 1),
    }
    at = max(one.at for one in found.answers)
    strip = board.strip(found, visits, "row", at + 60)
    d, a, b, c = found.members
    title = LABS["row"].title
    assert strip.index.tolist() == [one.number for one in (b, a, d, c)]
    assert strip.fillna(-1).to_dict("list") == {
        "student": [one.name for one in (b, a, d, c)],
        "here": [True, True, False, False],
        "lab": [title, title, "", title],
        "step": [2, 2, 0, 1],
        "answered it": [False, True, False, True],  # the last one late
        "last answer, seconds ago": [60, 60, -1, 60],
        "could not be read": [["lol", "5*8"], [], [], []],
    }
    assert board.strip(found, visits, "bag", at)["last answer, seconds ago"].isna().all()
    assert board.size(found, visits) == 3
    full.store.join(full.code, "stranger")
    assert board.size(full.snapshot, visits) == 4


def test_an_answer_to_a_vote_that_has_closed_is_none(one: Class) -> None:
    """Who has not voted again is shown as one who has no answer; after Reveal not any more."""
    visits = {student_digest(one.code, "a"): Visit(time.monotonic(), "row", 1)}

    def after(script: str) -> list[bool]:
        found = one.play(script).snapshot
        return board.strip(found, visits, "row", 0)["answered it"].tolist()

    assert [after(script) for script in ("a-", "vote_again", "reveal")] == [[True], [False], [True]]


def read(file: bytes) -> list[dict[str, str]]:
    """The rows of a file for spreadsheets, which begins with a mark."""
    assert file.startswith(b"\xef\xbb\xbfstudent,")
    return [*csv.DictReader(io.StringIO(file.decode("utf-8-sig")))]


def test_the_file_has_a_row_for_each_answer(full: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its lab, step, question, vote and moment; a student without answers has a row too."""
    monkeypatch.setattr(time, "time", lambda: 5e9)
    full.play("b+", 2, "bag")
    without, a, b, c = full.names()
    rows = read(board.csv(full.snapshot))
    seen = ["student", "step", "vote", "answer", "right", "mistake"]
    assert [[row[name] for name in seen] for row in rows] == [
        [without, "", "", "", "", ""],
        [a, "1", "1", "5", "no", "Counted from 1."],
        [a, "1", "2", "4", "yes", ""],
        [a, "1", "late", "3", "no", "A rare one."],
        [a, "2", "1", "5", "no", "Counted from 1."],
        [b, "1", "1", "5", "no", "Counted from 1."],
        [b, "1", "2", "5", "no", "Counted from 1."],
        [b, "2", "1", "4", "yes", ""],
        [c, "1", "1", "9", "no", ""],
        [c, "1", "late", "4", "yes", ""],
    ]
    labs = {row["lab"] for row in rows if row["student"] == b}
    assert labs == {LABS["row"].title, LABS["bag"].title}
    (last,) = [row for row in rows if row["lab"] == LABS["bag"].title]
    assert last["question"] == "A sum"
    moment = datetime.fromisoformat(last["answered_at"])
    assert (moment.timestamp(), last["answered_at"][-1]) == (5e9, "Z")


def test_the_file_has_plain_text(one: Class) -> None:
    """Marks of weight and code are for pages; what a student typed stays as it is."""
    said = StoredAnswer("*5*", "5", False, "Not `w * w`: **that** is *another* one.", "A `sum`")
    one.store.keep(one.code, "a", "row", 1, said, vote=1)
    (row,) = read(board.csv(one.snapshot))
    found = [row[name] for name in ("question", "answer", "mistake")]
    assert found == ["A sum", "*5*", "Not w * w: that is another one."]


def test_the_file_has_a_line_for_each_student(full: Class) -> None:
    """Steps done, a late answer too, and the votes that count as right; in all, and by lab."""
    full.play("b+ c!", 2, "bag")
    without, a, b, c = full.names()
    row, bag = LABS["row"].title, LABS["bag"].title
    heads = [f"{lab}: {what}" for lab in (row, bag) for what in board.DONE]
    lines = read(board.csv_students(full.snapshot))
    assert [*lines[0]] == ["student", *board.DONE, *heads]
    assert [[*line.values()] for line in lines] == [
        [without, "0", "0", "0", "0", "0", "0"],
        [a, "2", "1", "2", "1", "0", "0"],
        [b, "2", "1", "1", "0", "1", "1"],
        [c, "2", "0", "1", "0", "1", "0"],
    ]


@pytest.mark.parametrize(("typed", "cell"), [("-1 2", "'-1 2"), ("-1e-05", "-1e-05")])
def test_no_spreadsheet_runs_an_answer(one: Class, typed: str, cell: str) -> None:
    """A text that could be a formula begins with an apostrophe; a number stays one."""
    answer = StoredAnswer(typed, "", False, "=a mistake", "=a title")
    one.store.keep(one.code, "a", "row", 1, answer, vote=1)
    (row,) = read(board.csv(one.snapshot))
    assert [row[name] for name in ("answer", "mistake", "question")] == [
        cell,
        "'=a mistake",
        "'=a title",
    ]


def test_a_class_without_members(one: Class) -> None:
    """Its tables are empty, and the file has its columns."""
    found = one.snapshot
    assert board.csv(found).decode("utf-8-sig").strip().split(",") == ["student", *board.COLUMNS]
    assert read(board.csv_students(found)) == []
    assert board.strip(found, {}, "row", 0).empty
    assert board.students(found, "row").empty
    assert board.size(found, {}) == 0
