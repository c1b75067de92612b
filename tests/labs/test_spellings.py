"""Every right answer and every typical mistake, typed in the ways in which people write numbers.

Without it a right answer would be judged wrong in the spelling that a page prints or a keyboard
has.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.asking import fence, listed, plus
from embviz.labs.catalogue import LABS, questions
from embviz.labs.drawing import short
from embviz.labs.question import MAX_TYPED, Question, judge, read, typed, written
from embviz.text.refused import Refused

SEEDS = range(3)
ARABIC, DEVANAGARI, WIDE = "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９"
VULGAR = {Fraction(1, 2): "½", Fraction(1, 4): "¼", Fraction(3, 4): "¾", Fraction(1, 8): "⅛"}
VULGAR |= {Fraction(3, 8): "⅜", Fraction(5, 8): "⅝", Fraction(7, 8): "⅞"}
Numbers = tuple[float, ...]
Spelling = Callable[[Numbers, bool], str | None]  # None where it makes no sense


def in_digits(digits: str) -> Spelling:
    """The numbers in the digits of another script."""
    table = str.maketrans("0123456789", digits)
    return lambda numbers, _: typed(numbers).translate(table)


def with_sign(sign: str) -> Spelling:
    """The numbers with another minus sign."""
    return lambda numbers, _: typed(numbers).replace("-", sign) if min(numbers) < 0 else None


def between(mark: str, start: str = "", end: str = "") -> Spelling:
    """The numbers with something between them, and around them."""
    return lambda numbers, _: f"{start}{mark.join(map(one, numbers))}{end}"


def thousands(mark: str, end: str = "") -> Spelling:
    """Whole numbers with a mark between their thousands."""

    def spelled(numbers: Numbers, is_whole: bool) -> str | None:
        if not is_whole or max(map(abs, numbers)) < 1000:
            return None
        return " ".join(f"{number:,.0f}".replace(",", mark) for number in numbers) + end

    return spelled


def decimal_commas(mark: str) -> Spelling:
    """The numbers with decimal commas; three digits behind one are those of a thousand."""

    def spelled(numbers: Numbers, is_whole: bool) -> str | None:
        if is_whole:
            return None
        places = [f"{number:.2f}".replace(".", ",") for number in numbers]
        return mark.join(places) if _round_trip(numbers, 2) else None

    return spelled


def fractions(numbers: Numbers, is_whole: bool) -> str | None:
    """`5/2 -1/8`."""
    if is_whole:
        return None
    exact = [Fraction(number).limit_denominator(64) for number in numbers]
    is_exact = [float(one) for one in exact] == [*numbers]
    return " ".join(f"{one.numerator}/{one.denominator}" for one in exact) if is_exact else None


def vulgar(numbers: Numbers, is_whole: bool) -> str | None:
    """`2½ -¼`."""
    found = []
    for number in numbers:
        whole, part = divmod(abs(Fraction(number)), 1)
        if part and part not in VULGAR:
            return None
        shown = f"{whole or ''}{VULGAR[part]}" if part else f"{whole}"
        found.append(f"-{shown}" if number < 0 else shown)
    return " ".join(found)


def _round_trip(numbers: Numbers, places: int) -> bool:
    return all(round(number, places) == number for number in numbers)


def one(number: float) -> str:
    """A number as the address has it."""
    return typed((number,))


def tensor(*more: int, **how: torch.dtype) -> Spelling:
    """What PyTorch prints."""

    def spelled(numbers: Numbers, is_whole: bool) -> str | None:
        kind = how.get("dtype", torch.float64)
        made = torch.tensor(numbers, dtype=kind).reshape(*more, -1)
        shown = re.sub(r"\s+", " ", repr(made))
        is_exact = _round_trip(numbers, 4) and not re.search(r"\de[+-]", shown)
        return shown if is_exact and (is_whole or kind.is_floating_point) else None

    return spelled


def minus_apart(numbers: Numbers, _: bool) -> str | None:
    """`- 15`."""
    return ", ".join(map(one, numbers)).replace("-", "- ") if min(numbers) < 0 else None


def whole_only(spell: Callable[[Numbers], str]) -> Spelling:
    """A spelling for whole numbers."""
    return lambda numbers, is_whole: spell(numbers) if is_whole else None


SPELLINGS: dict[str, Spelling] = {
    # of the page itself
    "typed": lambda numbers, _: typed(numbers),
    "written": lambda numbers, _: written(numbers),
    "short": lambda numbers, _: " ".join(map(short, numbers)),
    "short parts": lambda numbers, _: ", ".join(map(short, numbers)),
    "listed": lambda numbers, _: listed(torch.tensor(numbers, dtype=torch.float64)),
    "listed, bare": lambda numbers, _: listed(torch.tensor(numbers, dtype=torch.float64)).strip(
        "`"
    ),
    "fence": lambda numbers, _: fence(torch.tensor([numbers], dtype=torch.float64)).split("\n")[1],
    "row as a button": lambda numbers, _: written(numbers).replace(" ", "\u00a0"),
    "parts of a sum": lambda numbers, _: " ".join(
        plus(torch.tensor([number], dtype=torch.float64)) for number in numbers
    ),
    "tensor": tensor(),
    "tensor of two dimensions": tensor(1),
    "tensor of integers": tensor(dtype=torch.int64),
    "torch.tensor": between(", ", "torch.tensor([[", "]], dtype=torch.float64)"),
    "tensor with a gradient": between(", ", "tensor([", "], grad_fn=<SelectBackward0>)"),
    # of Python and numpy
    "array": between(", ", "array([", "])"),
    "np.array": between(", ", "np.array([", "], dtype=np.float32)"),
    "numpy's print": lambda numbers, _: str(np.array(numbers)) if _round_trip(numbers, 6) else None,
    "list": lambda numbers, _: str([*numbers]),
    "scalars": between("), np.float64(", "[np.float64(", ")]"),
    # of people
    "many blanks": between("   ", "  ", " "),
    "wide blanks": between("\u3000"),
    "em spaces": between("\u2003"),
    "narrow blanks": between("\u202f"),
    "commas": between(", "),
    "semicolons": between(";"),
    "lines": between("\n"),
    "comma at the end": between(", ", "", ","),
    "parentheses": between(" ", "(", ")"),
    "braces": between(", ", "{", "}"),
    "brackets each": between("],[", "[[", "]]"),
    "Arabic commas": between("، "),
    "right-to-left marks": between(" ", "\u200f", "\u200e"),
    "Arabic digits": in_digits(ARABIC),
    "Devanagari digits": in_digits(DEVANAGARI),
    "wide digits": in_digits(WIDE),
    "hyphen": with_sign("\u2010"),
    "no-break hyphen": with_sign("\u2011"),
    "en dash": with_sign("\u2013"),
    "em dash": with_sign("\u2014"),
    "minus sign": with_sign("\u2212"),
    "wide minus": with_sign("\uff0d"),
    "minus apart": minus_apart,
    "en dash apart": lambda numbers, _: (minus_apart(numbers, _) or "").replace("-", "–") or None,
    "plus signs": lambda numbers, _: " ".join(f"{number:+.10g}" for number in numbers),
    "point at the end": whole_only(
        lambda numbers: " ".join(f"{number:.0f}." for number in numbers)
    ),
    "one decimal": whole_only(lambda numbers: " ".join(f"{number:.1f}" for number in numbers)),
    "scientific": lambda numbers, _: " ".join(f"{number:.9e}" for number in numbers),
    "decimal commas": decimal_commas(" "),
    "decimal commas and semicolons": decimal_commas("; "),
    "fractions": fractions,
    "printed fractions": vulgar,
    "no-break space": thousands("\u00a0"),
    "thin space": thousands("\u2009"),
    "narrow no-break space": thousands("\u202f"),
    "figure space": thousands("\u2007"),
    "apostrophe": thousands("'"),
    "printed apostrophe": thousands("’"),
    "commas between thousands": thousands(","),
    "commas, and a decimal": thousands(",", ".0"),
}


def meant(question: Question, numbers: Numbers) -> Iterator[tuple[str, str]]:
    """The spellings of numbers that are an answer to a question, and the names of these."""
    is_whole = all(number.is_integer() for number in numbers)
    for name, spell in SPELLINGS.items():
        text = spell(numbers, is_whole)
        if text is not None and len(text) <= MAX_TYPED:
            yield name, text


def every() -> Iterator[Question]:
    """Each question of each lab that asks for numbers, for some seeds."""
    for lab in LABS:
        for seed in SEEDS:
            yield from (one for one in questions(lab, seed) if not one.choices and one.right)


def test_a_right_answer_is_right_in_every_spelling() -> None:
    """In at least twelve, those of the page among them; each mistake gets its words in each."""
    found_any = False
    for question in every():
        for answer in question.known:
            assert not isinstance(answer, str)
            expected = (False, question.mistakes.get(answer, ""))
            if answer == question.right:
                expected = (True, "")
            spelled = [*meant(question, answer)]
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
    """Some numbers have it, and no two spellings are one function under two names."""
    some = [(-1200.0, 2.0), (2.5, -0.25), (3.0,)]
    asked = [Question("t", "p", one, "w", count=len(one)) for one in some]
    used = {
        name for one, numbers in zip(asked, some, strict=True) for name, _ in meant(one, numbers)
    }
    assert used == {*SPELLINGS}


WHOLES = st.integers(-(10**9), 10**9).map(float)
EIGHTHS = st.integers(-7999, 7999).map(lambda eighths: eighths / 8)
LISTS = st.one_of(*(st.lists(one, min_size=1, max_size=6) for one in (WHOLES, EIGHTHS))).map(tuple)


@settings(deadline=None, max_examples=60)
@given(LISTS, st.booleans())
def test_every_spelling_of_a_number_is_that_number(numbers: Numbers, in_integers: bool) -> None:
    """Whole numbers and eighths, one or several, are read alike in each spelling."""
    is_whole = all(number.is_integer() for number in numbers)
    question = Question(
        "t", "p", numbers, "w", count=len(numbers), integers=is_whole and in_integers
    )
    for name, text in meant(question, numbers):
        assert read(question, text) == numbers, (name, text)


def asked(right: Numbers = (1.0,), **more: Any) -> Question:
    """A question with nothing but its numbers."""
    return Question("t", "p", right, "w", **({"count": len(right)} | more))


WHOLE = asked((1200.0,), integers=True)
LETTERS = asked((3.0, 3.0, 2.0, 6.0, 0.0), integers=True, most=8)
ROWS = asked((0.0, 3.0, 4.0), count=6, integers=True, fewer=True, ordered=False, most=5)
MANY = asked((7.0, 30.0), count=5, integers=True, fewer=True, most=40)
PAIR = asked((1.25, -2.5))
SMALL = asked((2.5,))
ROUGH = asked((50.0,), within=3.2, mistakes={(16384.0,): "m"})
BOTH = asked((2.125,), mistakes={(1200.0,): "m"})
ALL = [WHOLE, LETTERS, ROWS, MANY, PAIR, SMALL, ROUGH, BOTH]


@pytest.mark.parametrize(
    ("question", "text", "numbers"),
    [
        (WHOLE, "1 200", (1200,)),
        (WHOLE, "1.200", (1200,)),
        (WHOLE, "1.200,0", (1200,)),
        (WHOLE, "1.2e3", (1200,)),
        (WHOLE, "2400/2", (1200,)),
        (WHOLE, "١٬٢٠٠", (1200,)),
        (WHOLE, "1,000", (1000,)),
        (LETTERS, "3, 3,2, 6 0", (3, 3, 2, 6, 0)),
        (LETTERS, "3.000 3 2 6 0", (3, 3, 2, 6, 0)),
        (ROWS, "0,3 4", (0, 3, 4)),
        (PAIR, "5 / 4  -5/2", (1.25, -2.5)),
        (PAIR, "1,250 -2,500", (1.25, -2.5)),
        (PAIR, "1.250 - 2.500", (1.25, -2.5)),
        (PAIR, "1.25,-2.5", (1.25, -2.5)),
        (PAIR, "Parameter containing: tensor([1.25, -2.5], requires_grad=True)", (1.25, -2.5)),
        (PAIR, "[1,25, -2,5]", (1.25, -2.5)),
        (SMALL, ",5", (0.5,)),
        (SMALL, "1,125", (1.125,)),
        (SMALL, "1.500", (1.5,)),
        (SMALL, "1,234,567", (1234567,)),
        (SMALL, "2\u200b.5", (2.5,)),
        (ROUGH, "1,500", (1500,)),
        (ROUGH, "16,384", (16384,)),
        (BOTH, "1,200", (1200,)),
        (BOTH, "2.125", (2.125,)),
    ],
)
def test_what_one_may_mean_is_read(question: Question, text: str, numbers: Numbers) -> None:
    """One text may be several numbers: the question decides which can be meant."""
    assert read(question, text) == numbers


@pytest.mark.parametrize(
    ("question", "text", "why"),
    [
        (WHOLE, "1.000", "'1.000' can be read in two ways. Write 1 or 1000."),
        (ROUGH, "1.500", "'1.500' can be read in two ways. Write 1.5 or 1500."),
        (BOTH, "2,125", "'2,125' can be read in two ways. Write 2125 or 2.125."),
        (PAIR, "1 ,5", "'1 ,5' can be read in two ways. Write 1 0.5 or 1 5."),
        (WHOLE, "12%", "'12%' is not a number. Write one whole number."),
        (WHOLE, "12 bytes", "'bytes' is not a number"),
        (WHOLE, "5*8", "'5*8' is not a number"),
        (WHOLE, "1_200", "'1_200' is not a number"),
        (WHOLE, "2(3)", "'2(3' is not a number"),
        (WHOLE, "12 00", "'12 00' has 2 numbers, and 1 is asked. Write one whole number."),
        (WHOLE, "1,20", "'1,20' is not a whole number"),
        (WHOLE, "1/2", "'1/2' is not a whole number"),
        (WHOLE, "½", "is not a whole number"),
        (WHOLE, "①", "is not a number"),
        (WHOLE, "10²", "'10²' is not a number"),
        (WHOLE, "10^3", "'10^3' is not a number"),
        (WHOLE, "0x10", "'0x10' is not a number"),
        (WHOLE, "()", "'()' has 0 numbers, and 1 is asked"),
        (WHOLE, "1e999", "'1e999' is too large. Write one whole number."),
        (LETTERS, "33260", "'33260' is one number. Put spaces between: 3 3 2 6 0."),
        (LETTERS, "٣٣٢٦٠", "'٣٣٢٦٠' is one number. Put spaces between: 3 3 2 6 0."),
        (LETTERS, "3 3 2 60", "'60' is one number. Put spaces between: 6 0."),
        (LETTERS, "3 3 2 6", "'3 3 2 6' has 4 numbers, and 5 are asked. Write 5 whole numbers"),
        (LETTERS, "3 3 2 6 9", "'9' is too large: at most 8 can be meant. Write 5 whole numbers"),
        (LETTERS, "3-3-2-6-0", "'3-3-2-6-0' is not a number"),
        (LETTERS, "3.3.2.6.0", "'3.3.2.6.0' is not a number"),
        (LETTERS, "3 3 2 6/2 0", "'6/2' is not a whole number"),
        (ROWS, "034", "'034' is one number. Put spaces between: 0 3 4."),
        (ROWS, "34", "'34' is one number. Put spaces between: 3 4."),
        (ROWS, "0/3", "'0/3' is not a whole number"),
        (ROWS, "0-4", "'0-4' is not a number"),
        (ROWS, "0 – 4", "is not a number"),
        (ROWS, "0 1 2 3 4 5 0", "has 7 numbers, and 1 to 6 are asked"),
        (MANY, "07 30", "'07' is one number. Put spaces between: 0 7."),
        (MANY, "730", "'730' is too large: at most 40 can be meant."),
        (PAIR, "1 + 2", "'+' is not a number"),
        (PAIR, "1/0 2", "'1/0' is not a number"),
        (PAIR, "1/2/3 2", "'1/2/3' is not a number"),
        (PAIR, "1.2.3 2", "'1.2.3' is not a number"),
        (PAIR, "--1 2", "'--1' is not a number"),
        (PAIR, "3- 5", "'3-' is not a number"),
        (SMALL, "1 + (-2)", "'+' is not a number"),
        (SMALL, "2 ½", "has 2 numbers, and 1 is asked"),
        (SMALL, "inf", "'inf' is not a number"),
    ],
)
def test_what_stays_refused(question: Question, text: str, why: str) -> None:
    """What can mean two numbers, or none, is quoted; nothing of it is judged."""
    with pytest.raises(Refused) as refused:
        read(question, text)
    assert why in str(refused.value)


def test_digits_run_together_are_asked_to_be_separated() -> None:
    """In each question of a lab where several whole numbers of one digit are asked for."""
    tried = 0
    for question in every():
        parts = str(written(question.right)).split()
        is_clear = not question.fewer or question.most < 10
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


NASTY = ["1" * 100, "1," * 50, "1/" * 50, "- " * 50, "(" * 100, "[1" * 50, "dtype=" * 16]
NASTY += [
    ", " * 50,
    "\u2009" * 99 + "1",
    "1 000" * 20,
    "1'" * 50,
    "e1" * 50,
    "tensor(" * 14,
    "½" * 100,
]
NASTY += [
    ",dtype=(" * 12,
    "parameter containing: " * 4 + "(",
    "np." * 33,
    "1" * 98 + "/1",
    "\0" * 100,
]


@pytest.mark.parametrize("question", ALL)
@pytest.mark.parametrize("text", NASTY)
def test_a_long_text_is_read_or_refused(question: Question, text: str) -> None:
    """A text that could be cut in very many ways is answered like any other."""
    assert len(text) <= MAX_TYPED
    reads_back(question, text)


SIGNS = "0123456789+-.,;:/'[](){}eE½٣٫٬–− \u00a0\u2009\u200fx²_|`tensor"


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(SIGNS, max_size=14), st.text(max_size=14)), st.sampled_from(ALL))
def test_what_is_read_reads_back(text: str, question: Question) -> None:
    """Any text is refused in a sentence, or is an answer that the address and the class keep."""
    reads_back(question, text)
