"""How an answer is read and judged."""

import pytest

from embviz.labs.answer import read
from embviz.labs.question import Question, bar_of, judge, written
from embviz.text.refused import Refused

PAIR = Question("t", "p", (1.5, -2.0), "w", count=2, tolerance=0.01)
WHOLE = Question("t", "p", (1200.0,), "w", integers=True)
IDS = Question("t", "p", (3.0, 1.0, 3.0), "w", count=3, integers=True, fewer=True)
SET = Question("t", "p", (1.0, 3.0), "w", count=6, integers=True, fewer=True, ordered=False)
LETTERS = Question(
    "t", "p", (1.0, 2.0, 0.0), "w", count=3, integers=True, most=8, per="one for each letter"
)
GUESS = Question("t", "p", (50.0,), "w", within=3.2, mistakes={(1000.0,): "m"})
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
        (WHOLE, "1,2,3", "'1,2,3' has 3 numbers, and 1 is asked. Write one whole number."),
        (IDS, "1 2 3 4", "has 4 numbers, and 1 to 3 are asked. Write 1 to 3 whole numbers with"),
        (
            LETTERS,
            "1 2",
            "has 2 numbers, and 3 are asked. Write 3 whole numbers with spaces between, "
            "one for each letter.",
        ),
        (LETTERS, "1 2 9", "'9' is too large: at most 8 can be meant. Write 3 whole numbers"),
        (LETTERS, "120", "'120' is one number. Put spaces between: 1 2 0."),
        (GUESS, "0", "'0' is not more than 0, but the answer is. Write one number."),
        (GUESS, "-50", "'-50' is not more than 0, but the answer is."),
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
        (GUESS, "160", True),
        (GUESS, "15.625", True),
        (GUESS, "15.6", False),
        (GUESS, "160.1", False),
    ],
)
def test_an_answer_is_judged_within_the_tolerance(one: Question, text: str, right: bool) -> None:
    """The tolerance, or the factor, holds for each number; the order counts if it is asked for."""
    assert judge(one, read(one, text)).right is right
    assert (bar_of(one, read(one, text)) == written(one.right)) is right


@pytest.mark.parametrize(
    ("one", "how"),
    [
        (WHOLE, "Write one whole number."),
        (LETTERS, "Write 3 whole numbers with spaces between, one for each letter."),
        (SET, "Write 1 to 6 whole numbers with spaces between, in any order."),
        (CHOICE, "Choose one of: none; both."),
    ],
)
def test_a_question_says_how_an_answer_is_written(one: Question, how: str) -> None:
    """How many numbers, of what kind, in which order, and what each stands for."""
    assert one.how == how


def test_a_guess_within_the_factor_of_a_mistake_is_that_mistake() -> None:
    """The factor holds for the typical mistakes too; the right answer goes first."""
    for text, found in (("3,200", (False, "m")), ("3,201", (False, "")), ("100", (True, ""))):
        assert judge(GUESS, read(GUESS, text)) == found
