"""Every answer to every step, in a class, by a student who reads the page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from embviz.classes.visits import visits_of
from embviz.labs.catalogue import LABS
from tests.classes.page.made import Class
from tests.labs.beside import answers
from tests.labs.reader import Student


@pytest.mark.parametrize("lab", LABS)
def test_in_a_class_each_answer_is_kept_with_its_verdict(
    made: Callable[[str], Class], lab: str
) -> None:
    """A vote tells nothing; after the end all is told, and stands as it was answered."""
    one, student = made(lab), Student(lab)
    last, answers = len(LABS[lab].steps), list[tuple[str, str]]()
    for step in range(1, last + 1):
        visitor = one.student(step=step)
        assert visitor.place == f"{step} of {last}"
        right, wrong = student.answers(visitor.prompt)
        mistake, typed = next(iter(wrong.items()))
        answers.append((mistake, typed) if step % 2 else ("", right))
        for text in (right, typed, answers[-1][1]):
            visitor.answer(text).sees("Kept. ", never=["Right: ", "Not right", "What the class"])
        (kept,) = [row for row in one.store.snapshot(one.code).answers if row.step == step]
        assert kept.right == (not answers[-1][0])
        assert answers[-1][0] in kept.mistake.replace("`", "")
    one.press("end")
    for step, (mistake, _) in enumerate(answers, 1):
        told = ["Not right: ", mistake] if mistake else ["Right: "]
        one.student(step=step).sees(*told, "Why.", "What the class", never=["Kept. "])


def test_who_waits_at_a_pause_finds_a_harder_question(made: Callable[[str], Class]) -> None:
    """It is told at once, and the class has neither its answer nor a step for it."""
    one = made("row")
    one.press("pause_here", 1)
    visitor = one.student().sees(never=["A harder question"]).answer(one.asked(1).right)
    visitor.press("A harder question")
    right, _ = answers(re.findall("^## (.*)", visitor.words, re.MULTILINE)[0], visitor.prompt)
    visitor.answer(right).sees("Right: ", "Why.", "Paused at step 1")
    assert [visit.step for visit in visits_of(one.code).values()] == [1]
    assert len(one.store.snapshot(one.code).answers) == 1
    visitor.field.set_value("1 2").run()
    one.press("bring", 1)
    visitor.app.run()
    assert visitor.field.value == "1 2"  # who is writing there is asked, too
    visitor.press("Your class is at step 1: go there").sees("Kept. ", one.asked(1).title)
