"""A question beside the steps, in a class."""

from __future__ import annotations

import re

from embviz.classes.visits import visits_of
from tests.classes.page.made import Class
from tests.labs.beside import answers


def test_who_waits_at_a_pause_finds_a_harder_question(one: Class) -> None:
    """It is told at once, and the class has neither its answer nor a step for it."""
    one.press("pause_here", 1)
    visitor = one.student().sees(never=["A harder question"]).answer(one.asked(1).right)
    visitor.press("A harder question")
    right, _ = answers(re.findall("^## (.*)", visitor.words, re.MULTILINE)[0], visitor.prompt)
    visitor.answer(right).sees("Right: ", "Why.", "Paused at step 1")
    assert [visit.step for visit in visits_of(one.code).values()] == [1]
    assert len(one.snapshot.answers) == 1
    visitor.field.set_value("1 2").run()
    one.press("bring", 1)
    visitor.app.run()
    assert visitor.field.value == "1 2"  # who is writing there is asked, too
    visitor.press("Your class is at step 1: go there").sees("Kept. ", one.asked(1).title)
