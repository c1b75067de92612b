"""A class that was kept while a newer embviz changed its lab."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace

import pytest

from embviz.classes import board, store
from embviz.classes.room import StoredAnswer
from embviz.labs import catalogue
from embviz.labs.asking import Step
from tests.classes.page.made import BOSS, Class
from tests.classes.page.test_board_page import viewed
from tests.labs.page.visitor import Visitor

GONE = "gone"  # A lab that a class has kept, and that this embviz lacks.

# The questions of a lab are kept by its name. A lab does not change while a server runs, so only
# this test forgets them.
FORGET = catalogue._made.cache_clear


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Step]]:
    """The steps of the lab *row*, to be changed, with numbers that a change leaves as they are.

    One of 200 seeds has two answers that agree once a question is gone: all are drawn anew then.
    """
    monkeypatch.setattr(store, "SEEDS", 1)
    row = catalogue.LABS["row"]
    changed = [*row.steps]
    with monkeypatch.context() as newer:
        newer.setitem(catalogue.LABS, "row", replace(row, steps=changed))
        FORGET()
        yield changed
    FORGET()


def test_a_class_outlives_a_change_of_its_lab(steps: list[Step], one: Class) -> None:
    """Page and board skip answers that no longer fit; the file has all, with what was asked."""
    last = len(steps)
    asked = [one.asked(step) for step in range(1, last + 1)]
    for step, question in enumerate(asked, 1):
        one.student(step=step).answer(question.right)
    one.press("show", last)
    again = steps[0].ask
    # Taken out: the second. Asks something else: the third, also for a number more.
    steps[1:3] = [Step(lambda given: replace(again(given), title="Another"), 2, "Ask.")]
    # Under its own title it asks for something that cannot be what was written.
    steps[-1] = Step(lambda given: replace(again(given), title=asked[-1].title), 2, "Ask.")
    FORGET()

    one.press("pause_here", last)
    for press in ("vote_again", "reveal", "end"):
        one.press(press, 2)
        viewed(one.board()).sees(one.asked(last - 1).title)
        for step in range(1, last + 1):
            one.student(step=step)
    one.student(step=1).sees("Right: ")
    for step in range(2, last):
        one.student(step=step).sees("You did not answer this step.", never=["Right: "])

    file = board.csv(one.store.snapshot(one.code)).decode("utf-8-sig")
    rows = [*csv.DictReader(io.StringIO(file))]
    assert [(row["step"], row["question"], row["right"]) for row in rows] == [
        (f"{step}", question.title, "yes") for step, question in enumerate(asked, 1)
    ]


def test_a_class_outlives_a_lab_of_its_own(one: Class) -> None:
    """Page, board and door go on with the labs that are left; the file has the gone one's answers.

    Where none is left, page and board say so and name the file.
    """
    one.student().answer(one.asked(1).right)
    one.press("bring", 1, GONE)
    answer = StoredAnswer("4", "4", True, title="A sum")
    one.store.keep(one.code, "a" * 43, GONE, 1, answer, vote=1)
    viewed(one.board()).sees(one.asked(1).title)
    one.student().sees(one.asked(1).title)
    one.student(lab=GONE).sees(one.asked(1).title)
    one.press("end")
    one.student().sees("Right: ", never=[GONE])
    labels = [button.label for button in Visitor().app.main.button]
    assert f"Board of {one.code}: {catalogue.LABS['row'].title}, {GONE}, ended" in labels

    file = board.csv(one.store.snapshot(one.code)).decode("utf-8-sig")
    rows = [*csv.DictReader(io.StringIO(file))]
    assert [row["lab"] for row in rows] == [catalogue.LABS["row"].title, GONE]

    alone = Class(one.store, one.store.start(GONE, BOSS), one.cookies)
    alone.store.keep(alone.code, "a" * 43, GONE, 1, answer, vote=1)
    for visitor in (alone.student(), alone.board()):
        visitor.sees(f"The lab '{GONE}' of this class is gone", f"class/{alone.code}/csv")
    assert GONE.encode() in board.csv(alone.store.snapshot(alone.code))
