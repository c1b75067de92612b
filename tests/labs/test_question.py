"""How an answer is read and judged."""

import pytest

from embviz.labs.question import Question, bar_of, judge, read, written
from embviz.text.refused import Refused

PAIR = Question("t", "p", (1.5, -2.0), "w", count=2, tolerance=0.01)
WHOLE = Question("t", "p", (1200.0,), "w", integers=True)
IDS = Question("t", "p", (3.0, 1.0, 3.0), "w", count=3, integers=True, fewer=True)
SET = Question("t", "p", (1.0, 3.0), "w", count=6, integers=True, fewer=True, ordered=False)
CHOICE = Question("t", "p", "both", "w", choices=("none", "both"), mistakes={"none": "no"})


@pytest.mark.parametrize(
    ("one", "text", "found"),
    [
        (PAIR, " 1,5  \u22122,0 ", (1.5, -2)),
        (PAIR, "[1.5;-.2e1]", (1.5, -2)),
        (PAIR, "1,125 2,500", (1.125, 2.5)),
        (PAIR, "（１．５；–２）", (1.5, -2)),
        (IDS, "３，１，３", (3, 1, 3)),
        (WHOLE, "1,200", (1200,)),
        (WHOLE, "120.0", (120,)),
        (WHOLE, "-1,200,300", (-1200300,)),
        (IDS, "3,1,3", (3, 1, 3)),
        (IDS, "3 1", (3, 1)),
        (CHOICE, " BOTH", "both"),
    ],
)
def test_an_answer_is_read_as_people_write_it(one: Question, text: str, found: object) -> None:
    """Decimal commas, commas between thousands, brackets and other minus signs are understood."""
    assert read(one, text) == found


@pytest.mark.parametrize(
    ("one", "text", "why"),
    [
        (PAIR, "", "Nothing is written yet. Write 2 numbers with spaces between."),
        (PAIR, "1 <b>", "'<b>' is not a number. Write 2 numbers"),
        (PAIR, "1 nan", "'nan' is not a number"),
        (PAIR, "1 1e999", "'1e999' is too large"),
        (WHOLE, "１，５", "'１，５' is not a whole number"),
        (PAIR, "１ ２ｘ", "'２ｘ' is not a number"),
        (WHOLE, "1,5", "'1,5' is not a whole number. Write one whole number."),
        (WHOLE, "1,2,3", "'1,2,3' is not a number"),
        (IDS, "1 2 3 4", "has 4 numbers. Write 1 to 3 whole numbers with spaces between."),
        (WHOLE, "1" * 101, "101 characters are more than the 100 allowed"),
        (CHOICE, "all", "'all' is not a choice. Choose one of: none; both."),
    ],
)
def test_what_cannot_be_read_is_quoted(one: Question, text: str, why: str) -> None:
    """A refusal quotes what was written and says what is allowed."""
    with pytest.raises(Refused) as refused:
        read(one, text)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("one", "text", "right"),
    [
        (PAIR, "1.509 -2.009", True),
        (PAIR, "1.511 -2", False),
        (IDS, "3 1", False),
        (SET, "3 1 3", True),
        (SET, "1", False),
        (SET, "1 3 4", False),
    ],
)
def test_an_answer_is_judged_within_the_tolerance(one: Question, text: str, right: bool) -> None:
    """The tolerance holds for each number, and the order counts unless it does not."""
    assert judge(one, read(one, text)).right is right
    assert (bar_of(one, read(one, text)) == written(one.right)) is right
