"""Every right answer and every typical mistake, typed in the ways in which people write numbers.

Without it a right answer would be judged wrong in the spelling that a page prints or a keyboard
has.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.answer import MAX_TYPED, read
from embviz.labs.catalogue import LABS, beside, questions
from embviz.labs.question import Question, judge, typed, written
from embviz.text.refused import Refused
from tests.labs.spelled import SPELLINGS, Numbers, spellings

SEEDS = range(3)


def every() -> Iterator[Question]:
    """Each question of each lab that asks for numbers, for some seeds."""
    for lab in LABS:
        for seed in SEEDS:
            asked = *questions(lab, seed), *beside(lab, seed)
            yield from (one for one in asked if not one.choices and one.right)


def test_a_right_answer_is_right_in_every_spelling() -> None:
    """In at least twelve, those of the page among them; each mistake gets its words in each."""
    found_any = False
    for question in every():
        for answer in question.known:
            assert not isinstance(answer, str)
            expected = (False, question.mistakes.get(answer, ""))
            if answer == question.right:
                expected = (True, "")
            spelled = [*spellings(answer)]
            assert len(spelled) >= 12
            for name, text in spelled:
                try:
                    found: object = judge(question, read(question, text))
                except Refused as refused:
                    found = str(refused)
                assert found == expected, (question.title, name, text)
                found_any = True
    assert found_any


def test_each_spelling_is_used() -> None:
    """For each there are numbers that it makes sense for."""
    some = [(-1200.0, 2.0), (2.5, -0.25), (3.0,)]
    used = {name for numbers in some for name, _ in spellings(numbers)}
    assert used == {*SPELLINGS}


WHOLES = st.integers(-(10**9), 10**9).map(float)
EIGHTHS = st.integers(-7999, 7999).map(lambda eighths: eighths / 8)
LISTS = st.one_of(*(st.lists(one, min_size=1, max_size=6) for one in (WHOLES, EIGHTHS))).map(tuple)


@settings(max_examples=60)
@given(LISTS)
def test_every_spelling_of_a_number_is_that_number(numbers: Numbers) -> None:
    """Whole numbers and eighths, one or several, are read alike in each spelling."""
    is_whole = all(number.is_integer() for number in numbers)
    question = Question(
        "t",
        "p",
        numbers,
        "w",
        count=len(numbers),
        tolerance=0 if is_whole else 0.01,
    )
    for name, text in spellings(numbers):
        assert read(question, text) == numbers, (name, text)


def asked(right: Numbers = (1.0,), **more: Any) -> Question:
    """A question with nothing but its numbers."""
    return Question("t", "p", right, "w", **({"count": len(right)} | more))


ONLY = "Write only numbers, without words or units."
WHOLE = asked((1200.0,))
LETTERS = asked((3.0, 3.0, 2.0, 6.0, 0.0), most=8)
ROWS = asked((0.0, 3.0, 4.0), count=6, is_set=True, most=5)
MANY = asked((7.0, 30.0), count=5, is_set=True, most=40)
PAIR = asked((1.25, -2.5), tolerance=0.01)
SMALL = asked((2.5,), tolerance=0.01)
ROUGH = asked((50.0,), within=3.2, mistakes={(16384.0,): "m"})
ZEROS = Question("t", "How many **zeros** do they have?", (30.0,), "w")
TIMES = Question("t", "How many **times** as many?", (5700.0,), "w", within=3.2)
CHOICE = Question("t", "p", "both", "w", choices=("none", "both"))
ALL = [WHOLE, LETTERS, ROWS, MANY, PAIR, SMALL, ROUGH]


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        (
            WHOLE,
            {
                "1 200": (1200,),
                "1.200": (1200,),
                "1.200,0": (1200,),
                "2400/2": (1200,),
                "١٬٢٠٠": (1200,),
                "5_700": (5700,),
                "1.234.567": (1234567,),
                "12,0": (12,),
            },
        ),
        (ZEROS, {"30 zeros": (30,)}),
        (
            TIMES,
            {
                "5700 times": (5700,),
                "×5700": (5700,),
                "5.700x": (5700,),
            },
        ),
        (
            ROUGH,
            {
                "~3000": (3000,),
            },
        ),
        (LETTERS, {"3.000 3 2 6 0": (3, 3, 2, 6, 0)}),
        (
            ROWS,
            {
                "0,3 4": (0, 3, 4),
                "1,0": (1, 0),
                "３，１，３": (3, 1, 3),
            },
        ),
        (
            PAIR,
            {
                "5 / 4  -5/2": (1.25, -2.5),
                "1,250 -2,500": (1.25, -2.5),
                "1.25,-2.5": (1.25, -2.5),
                "1 ,5": (1, 0.5),
            },
        ),
        (
            SMALL,
            {
                ",5": (0.5,),
                "1.500": (1.5,),
                "1,234,567": (1234567,),
                "2\u200b.5": (2.5,),
            },
        ),
        (CHOICE, {" BOTH": "both"}),
    ],
)
def test_what_one_may_mean_is_read(question: Question, meant: dict[str, object]) -> None:
    """One text may be several numbers: the question decides which can be meant."""
    assert {text: read(question, text) for text in meant} == meant


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        (
            WHOLE,
            {
                "1.000": "'1.000' can be read in two ways. Write 1 or 1000.",
                "4700x": f"'4700x' is not a number. Write one whole number. {ONLY}",
                "40 zeros": f"'zeros' is not a number. Write one whole number. {ONLY}",
                "about 200": f"'about' is not a number. Write one whole number. {ONLY}",
                "5*8": "'5*8' is a calculation. Work it out. Write one whole number.",
                "~1200": f"'~1200' is not a number. Write one whole number. {ONLY}",
                "12_00": "'12_00' is not a number",
                "2(3)": "'2(3' is not a number",
                "12 00": "'12 00' has 2 numbers, and 1 is asked. Write one whole number.",
                "1,20": "'1,20' is not a whole number",
                "1/2": "'1/2' is not a whole number",
                "①": "is not a number",
                "10²": "'10²' is not a number",
                "()": "'()' has 0 numbers, and 1 is asked",
                "1e999": "'1e999' is too large. Write one whole number.",
                "1" * 101: "101 characters are more than the 100 allowed",
            },
        ),
        (
            ZEROS,
            {
                "30 ones": "'ones' is not a number",
                "zeros": "'zeros' is not a number",
                "30x": "'30x' is not a number",
            },
        ),
        (TIMES, {"5,7 x": "is not a whole number"}),
        (
            PAIR,
            {
                "2,4,1,2": "'2,4,1,2' has 4 numbers. Put spaces between: 2,4 1,2.",
                "3*0.8 3*0.4": "'3*0.8' is a calculation. Work it out. Write 2 numbers",
                "[1 ... 2]": "The print is shortened",
                "0.333... 1": "'0.333...' is not a number",
                "1 + 2": "'+' is not a number",
                "1/0 2": "'1/0' is not a number",
                "1/2/3 2": "'1/2/3' is not a number",
                "": "Nothing is written yet. Write 2 numbers with spaces between.",
            },
        ),
        (
            LETTERS,
            {
                "33260": "'33260' is one number. Put spaces between: 3 3 2 6 0.",
                "٣٣٢٦٠": "'٣٣٢٦٠' is one number. Put spaces between: 3 3 2 6 0.",
                "3 3 2 60": "'60' is one number. Put spaces between: 6 0.",
                "3 3 2 6": "'3 3 2 6' has 4 numbers, and 5 are asked. Write 5 whole numbers",
                "3 3 2 6 9": "'9' is too large: at most 8 can be meant. Write 5 whole numbers",
                "3-3-2-6-0": "'3-3-2-6-0' is not a number. Put spaces between: 3 3 2 6 0.",
                "3 3 2 6/2 0": "'6/2' can be a fraction or two numbers. Write 3 or 6 2.",
                "3 3 2 6/4 0": "'6/4' is not a whole number",
            },
        ),
        (
            ROWS,
            {
                "034": "'034' is one number. Put spaces between: 0 3 4.",
                "34": "'34' is one number. Put spaces between: 3 4.",
                "0/3": "'0/3' can be a fraction or two numbers. Write 0 or 0 3.",
                "0 – 4": "is not a number",
                "0 1 2 3 4 5 0": "has 7 numbers, and 1 to 6 are asked",
            },
        ),
        (
            MANY,
            {
                "07 30": "'07' is one number. Put spaces between: 0 7.",
                "730": "'730' is too large: at most 40 can be meant.",
            },
        ),
        (SMALL, {"2 ½": "has 2 numbers, and 1 is asked"}),
        (ROUGH, {"-50": "'-50' is not more than 0, but the answer is. Write one whole number."}),
        (CHOICE, {"all": "'all' is not a choice. Choose one of: none; both."}),
    ],
)
def test_what_stays_refused(question: Question, refused: dict[str, str]) -> None:
    """What can mean two numbers, or none, is quoted; nothing of it is judged."""
    for text, why in refused.items():
        with pytest.raises(Refused) as caught:
            read(question, text)
        assert why in str(caught.value)


def test_digits_run_together_are_asked_to_be_separated() -> None:
    """In each question of a lab where several whole numbers of one digit are asked for."""
    tried = 0
    for question in every():
        parts = str(written(question.right)).split()
        is_clear = not question.is_set or question.most < 10
        if question.integers and len(parts) > 1 and is_clear and set(map(len, parts)) == {1}:
            together = "".join(parts)
            with pytest.raises(Refused) as refused:
                read(question, together)
            said = f"'{together}' is one number. Put spaces between: {' '.join(parts)}."
            assert str(refused.value) == said
            tried += 1
    assert tried


def reads_back(question: Question, text: str) -> None:
    """Assert that a text is refused, or that its answer is kept and read again."""
    try:
        kept = typed(read(question, text))
    except Refused:
        return
    assert typed(read(question, kept)) == kept


NASTY = ["1", "1,", "1/", "- ", "(", "[1", "dtype=", ", ", "\u2009", "1 000", "1'", "e1", "½"]
NASTY += ["tensor(", ",dtype=(", "parameter containing: ", "np.", "\0"]


@pytest.mark.parametrize("part", NASTY)
def test_a_long_text_is_read_or_refused(part: str) -> None:
    """A text that could be cut in very many ways is answered like any other."""
    for question in ALL:
        reads_back(question, (100 * part)[:MAX_TYPED])


SIGNS = "0123456789+-.,;:/'[](){}eE½٣٫٬–− \u00a0\u2009\u200fx²_|`tensor"


@settings(max_examples=300)
@given(st.one_of(st.text(SIGNS, max_size=14), st.text(max_size=14)), st.sampled_from(ALL))
def test_what_is_read_reads_back(text: str, question: Question) -> None:
    """Any text is refused in a sentence, or is an answer that the address and the class keep."""
    reads_back(question, text)
