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
    bars_of,
    judge,
    remark,
)

PAIR = Question("t", "p", (1.5, -2.0), "w", count=2, tolerance=0.01)
WHOLE = Question("t", "p", (1200.0,), "w")
SET = Question("t", "p", (1.0, 3.0), "w", count=6, is_set=True)
LETTERS = Question("t", "p", (1.0, 2.0, 0.0), "w", count=3, most=8, per="one for each letter")
GUESS = Question("t", "p", (50.0,), "w", within=3.2, mistakes={(1000.0,): "m"})
CHOICE = Question("t", "p", "both", "w", choices=("none", "both"), mistakes={"none": "no"})


RIGHT, WRONG = (True, ""), (False, "")


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (
            PAIR,
            {
                "1.509 -2.009": RIGHT,
                "1.511 -2": WRONG,
                "-1.5 2": (False, SIGNS),
                "1.5 2": (False, SIGNS),
                "-2 1.5": (False, REVERSED),
                "2 1.5": WRONG,
            },
        ),
        (LETTERS, {"1 2 0": RIGHT, "0 2 1": (False, REVERSED), "0 1 2": WRONG}),
        (
            SET,
            {
                "3 1 3": RIGHT,
                "3": (False, MISSING),
                "3 1 4": (False, ADDED),
                "1 4": WRONG,
            },
        ),
        # The factor holds for the typical mistakes too; the right answer goes first.
        (
            GUESS,
            {
                "160": RIGHT,
                "16": RIGHT,
                "15": WRONG,
                "161": WRONG,
                "313": (False, "m"),
                "312": WRONG,
                "3,200": (False, "m"),
                "3,201": WRONG,
            },
        ),
        (CHOICE, {"both": RIGHT, "none": (False, "no")}),
    ],
)
def test_an_answer_is_judged_and_what_is_nearly_right_is_named(
    one: Question, found: dict[str, tuple[bool, str]]
) -> None:
    """The tolerance, or the factor, holds for each number; the order counts if it is asked for."""
    answers = {text: read(one, text) for text in found}
    assert {text: tuple(judge(one, answer)) for text, answer in answers.items()} == found
    bars = {words: (is_right, said) for words, is_right, said in bars_of(one)}
    assert {text: bars[bar_of(one, answer)] for text, answer in answers.items()} == found


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


PRINT = Question("t", "p", (1.0, 5.0), "It prints\n\n```\ntensor([[1,\n         5]])\n```", count=2)


@pytest.mark.parametrize(
    ("one", "remarks"),
    [
        (SET, {"3 1": "", "1 3 1": ONCE}),
        (LETTERS, {"tensor([1., 2., 0.])": ""}),
        (
            PRINT,
            {
                "[1, 5]": "",
                ">>> tensor([[1, 5]])": "",
                "tensor([[1., 5.]])": PRINTED,
                "tensor([1, 5])": PRINTED,
            },
        ),
    ],
)
def test_what_is_right_and_not_quite_so_has_a_remark(
    one: Question, remarks: dict[str, str]
) -> None:
    """A row that is named twice, and a print that is not the one of PyTorch."""
    for text, said in remarks.items():
        answer = read(one, text)
        assert judge(one, answer) == RIGHT
        assert remark(one, answer, text) == said
