"""The finder of answers that another step tells: it finds what earlier versions told."""

import pytest

from embviz.labs.catalogue import questions
from embviz.labs.drawing import Grid, Picture, blank
from embviz.labs.question import Question, written
from tests.labs.leaks import RULES, leaks, shown_by

SEED = 3
STEPS = {one.title: one for lab in ("row", "bag", "learns", "cost") for one in questions(lab, SEED)}
IDS, ROW, SHAPE, ZEROS, COUNTS, TOUCHED = (
    STEPS[title]
    for title in (
        "From letters to ids",
        "Read a row",
        "How large is the output?",
        "How many zeros?",
        "A sentence as counts",
        "After loss.backward()",
    )
)


def asked(one: Question) -> str:
    """The last letter or word between backquotes of a prompt."""
    return one.prompt.split("`")[-2]


LETTER, LINE = asked(ROW), written(ROW.right)
TEXT, PLACES = asked(IDS), written(IDS.right).split()
WORDS = [one for one in COUNTS.prompt.split("`") if " " in one and one.islower()][-1].split()
COUNTED = [f"{WORDS.count(one)} × {one}" for one in WORDS]


@pytest.mark.parametrize(
    ("one", "text", "picture"),
    [
        (SHAPE, "The output has 5 x 3 numbers.", ()),
        (SHAPE, "It is `(1, 5, 3)`.", ()),
        (SHAPE, "", (Grid("output", blank(5, 3)),)),
        (ROW, f"```\nx  1 1 1\n{LETTER}  {LINE}\n```", ()),
        (ROW, "", (Grid("table", [LINE.split()] * 2, [f"2 {LETTER}", "3 x"]),)),
        (IDS, "", (Grid("table", blank(5, 3), [*map(" ".join, zip(PLACES, TEXT, strict=True))]),)),
        (IDS, "", (Grid("ids", [PLACES], heads=TEXT),)),
        (ZEROS, f"There are {written(ZEROS.right)} zeros.", ()),
        (
            COUNTS,
            "",
            (Grid("rows", blank(9, 2), COUNTED),),
        ),
        (TOUCHED, "It is not in the text: its gradient is 0 in every step.", ()),
        (TOUCHED, "", (Grid("gradient", [["0", "0"]], "x"),)),
        (TOUCHED, f"Rows {' and '.join(written(TOUCHED.right).split()[::-1])}.", ()),
        (STEPS["To the last bit"], "The same row, bit for bit.", ()),
        (STEPS["A row nobody looks up"], "Only SGD with weight decay moves it.", ()),
    ],
)
def test_what_tells_an_answer_is_found(one: Question, text: str, picture: Picture) -> None:
    """Each is one that a step told, or another spelling of it."""
    assert leaks(one, shown_by([text], [picture]))


def test_what_tells_no_answer_is_not_found() -> None:
    """The table without its letters, other letters, and other sizes tell nothing."""
    rows = f"```\n1 1 1\n{LINE}\n```"
    assert leaks(ROW, shown_by([rows], [])) == []
    assert leaks(SHAPE, shown_by(["A table of 8 rows and 3 columns, and 5 ids."], [])) == []
    assert leaks(ZEROS, shown_by([f"1{written(ZEROS.right)} numbers"], [])) == []


def test_each_rule_is_one_of_a_step_that_exists() -> None:
    """A step that gets another title keeps its rule."""
    assert {*RULES} <= {*STEPS}
