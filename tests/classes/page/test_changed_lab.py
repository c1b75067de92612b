"""A class that was kept while a newer embviz changed its lab."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace

import pytest

from embviz.classes import board
from embviz.labs import catalogue
from embviz.labs.asking import Step
from tests.classes.page.made import Class
from tests.classes.page.test_board_page import viewed

# The questions of a lab are kept by its name. A lab does not change while a server runs, so only
# this test forgets them.
FORGET = catalogue._made.cache_clear


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Step]]:
    """The steps of the lab *row*, to be changed."""
    row = catalogue.LABS["row"]
    changed = [*row.steps]
    with monkeypatch.context() as newer:
        newer.setitem(catalogue.LABS, "row", replace(row, steps=changed))
        FORGET()
        yield changed
    FORGET()


def test_a_class_outlives_a_change_of_its_lab(one: Class, steps: list[Step]) -> None:
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
