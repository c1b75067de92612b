"""The finder of answers that another step tells: it finds what earlier versions told."""

import pytest

from embviz.labs.catalogue import LABS, questions
from embviz.labs.drawing import Grid, blank
from embviz.labs.question import written
from tests.labs.leaks import RULES, leaks, shown_by

STEPS = {one.title: one for lab in LABS for one in questions(lab, 3)}
ANSWERS = {title: written(one.right) for title, one in STEPS.items()}
IDS, ROW, SHAPE, ZEROS = (
    "From letters to ids",
    "Read a row",
    "How large is the output?",
    "How many zeros?",
)
COUNTS, TOUCHED = "A sentence as counts", "After loss.backward()"
TEXT, LETTER = (STEPS[title].prompt.split("`")[-2] for title in (IDS, ROW))
PLACES, LINE = ANSWERS[IDS].split(), ANSWERS[ROW]
WORDS = [one for one in STEPS[COUNTS].prompt.split("`") if " " in one and one.islower()][-1].split()
COUNTED = [f"{WORDS.count(one)} × {one}" for one in WORDS]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        (SHAPE, Grid("output", blank(5, 3))),
        (ROW, f"```\nx  1 1 1\n{LETTER}  {LINE}\n```"),
        (ROW, Grid("table", [LINE.split()] * 2, [f"2 {LETTER}", "3 x"])),
        (IDS, Grid("table", blank(5, 3), [*map(" ".join, zip(PLACES, TEXT, strict=True))])),
        (ZEROS, f"There are {ANSWERS[ZEROS]} zeros."),
        (COUNTS, Grid("rows", blank(9, 2), COUNTED)),
        (TOUCHED, "It is not in the text: its gradient is 0 in every step."),
        (TOUCHED, f"Rows {' and '.join(ANSWERS[TOUCHED].split()[::-1])}."),
        ("A row nobody looks up", "Only SGD with weight decay moves it."),
    ],
)
def test_what_tells_an_answer_is_found(title: str, shown: str | Grid) -> None:
    """Each is one that a step told, or another spelling of it."""
    told = shown_by([shown], []) if isinstance(shown, str) else shown_by([], [(shown,)])
    assert leaks(STEPS[title], told)


def test_each_rule_is_one_of_a_step() -> None:
    """A rule of a step that has another title by now would find nothing."""
    assert {*RULES} <= {*STEPS}
