"""How an answer is judged."""

import pytest

from embviz.labs.answer import read
from embviz.labs.question import (
    ADDED,
    MISSING,
    ONCE,
    PRINTED,
    REVERSED,
    SIGNS,
    Question,
    bar_of,
    judge,
    remark,
    written,
)

PAIR = Question("t", "p", (1.5, -2.0), "w", count=2, tolerance=0.01)
WHOLE = Question("t", "p", (1200.0,), "w")
IDS = Question("t", "p", (3.0, 1.0, 3.0), "w", count=3)
SET = Question("t", "p", (1.0, 3.0), "w", count=6, is_set=True)
LETTERS = Question("t", "p", (1.0, 2.0, 0.0), "w", count=3, most=8, per="one for each letter")
GUESS = Question("t", "p", (50.0,), "w", within=3.2, mistakes={(1000.0,): "m"})
CHOICE = Question("t", "p", "both", "w", choices=("none", "both"), mistakes={"none": "no"})


@pytest.mark.parametrize(
    ("one", "text", "right"),
    [
        (PAIR, "1.509 -2.009", True),
        (PAIR, "1.511 -2", False),
        (IDS, "3 1 3", True),
        (IDS, "1 3 3", False),
        (SET, "3 1 3", True),
        (SET, "1", False),
        (SET, "1 3 4", False),
        (GUESS, "160", True),
        (GUESS, "16", True),
        (GUESS, "15", False),
        (GUESS, "161", False),
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


@pytest.mark.parametrize(
    ("one", "text", "said"),
    [
        (PAIR, "-1.5 2", SIGNS),
        (PAIR, "1.5 2", SIGNS),
        (PAIR, "-2 1.5", REVERSED),
        (PAIR, "2 1.5", ""),
        (LETTERS, "0 2 1", REVERSED),
        (LETTERS, "0 1 2", ""),
        (SET, "3", MISSING),
        (SET, "3 1 4", ADDED),
        (SET, "1 4", ""),
    ],
)
def test_what_is_nearly_right_is_named(one: Question, text: str, said: str) -> None:
    """Also where the question knows no such mistake."""
    assert judge(one, read(one, text)) == (False, said)


PRINT = Question("t", "p", (1.0, 5.0), "It prints\n\n```\ntensor([[1,\n         5]])\n```", count=2)


@pytest.mark.parametrize(
    ("one", "text", "said"),
    [
        (SET, "3 1", ""),
        (SET, "1 3 1", ONCE),
        (LETTERS, "tensor([1., 2., 0.])", ""),
        (PRINT, "1 5", ""),
        (PRINT, "[1, 5]", ""),
        (PRINT, ">>> tensor([[1, 5]])", ""),
        (PRINT, "tensor([[1., 5.]])", PRINTED),
        (PRINT, "tensor([1, 5])", PRINTED),
    ],
)
def test_what_is_right_and_not_quite_so_has_a_remark(one: Question, text: str, said: str) -> None:
    """A row that is named twice, and a print that is not the one of PyTorch."""
    answer = read(one, text)
    assert judge(one, answer) == (True, "")
    assert remark(one, answer, text) == said
