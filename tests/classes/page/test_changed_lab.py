"""A class that was kept while a newer embviz changed its lab."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from embviz.classes import board
from embviz.classes.room import StoredAnswer
from embviz.labs.catalogue import LABS
from tests.classes.page.made import Class
from tests.labs.page.visitor import Visitor

KEPT = StoredAnswer("4", "4", True, title="A sum")


@pytest.mark.parametrize(
    ("lab", "step", "title"),
    [("row", 1, "Another title"), ("row", 99, "A sum"), ("gone", 1, "A sum")],
)
def test_a_class_does_not_outlive_a_change_of_its_lab(
    one: Class, lab: str, step: int, title: str
) -> None:
    """Page and board name the file, which has what was asked; the list of boards has it too."""
    one.student().answer(one.asked(1).right)
    one.press("bring", 1, lab)
    answer = replace(KEPT, title=title)
    one.store.keep(one.code, "b" * 43, lab, step, answer, vote=1)
    one.cookies.clear()
    for visitor in (one.student("b"), one.board()):
        visitor.sees(f"changed the lab '{lab}'", f"class/{one.code}/csv", never=["## "])
    one.press("end")
    (label,) = [one.label for one in Visitor().app.main.button if "Board of" in one.label]
    assert label.endswith(f"{LABS[lab].title if lab in LABS else lab}, ended")
    file = board.csv(one.snapshot).decode("utf-8-sig")
    first, second = csv.DictReader(io.StringIO(file))
    assert first["question"] == one.asked(1).title
    assert [second["step"], second["question"], second["right"]] == [f"{step}", title, "yes"]
