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
from tests.classes.page.made import Class
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


def test_a_class_does_not_outlive_a_change_of_its_lab(steps: list[Step], one: Class) -> None:
    """Page and board name the file; it has all answers, with what was asked."""
    asked = [one.asked(step) for step in (1, 2)]
    for step, question in enumerate(asked, 1):
        one.student(step=step).answer(question.right)
    ask = steps[0].ask
    steps[1] = Step(lambda given: replace(ask(given), title="Another"), 2, "Ask.")
    FORGET()
    for visitor in (one.student(), one.board()):
        visitor.sees("changed the lab 'row'", f"class/{one.code}/csv", never=[asked[0].prompt])
    file = board.csv(one.store.snapshot(one.code)).decode("utf-8-sig")
    rows = [*csv.DictReader(io.StringIO(file))]
    assert [(row["step"], row["question"], row["right"]) for row in rows] == [
        (f"{step}", question.title, "yes") for step, question in enumerate(asked, 1)
    ]


def test_a_class_of_a_lab_that_is_gone(one: Class) -> None:
    """Page and board name the file, which has its answers; the list of boards has it too."""
    one.student().answer(one.asked(1).right)
    one.press("bring", 1, GONE)
    answer = StoredAnswer("4", "4", True, title="A sum")
    one.store.keep(one.code, "a" * 43, GONE, 1, answer, vote=1)
    for visitor in (one.student(), one.board()):
        visitor.sees(f"changed the lab '{GONE}'", f"class/{one.code}/csv")
    one.press("end")
    labels = [button.label for button in Visitor().app.main.button]
    assert f"Board of {one.code}: {catalogue.LABS['row'].title}, {GONE}, ended" in labels
    file = board.csv(one.store.snapshot(one.code)).decode("utf-8-sig")
    rows = [*csv.DictReader(io.StringIO(file))]
    assert [row["lab"] for row in rows] == [catalogue.LABS["row"].title, GONE]
