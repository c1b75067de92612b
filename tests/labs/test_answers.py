import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.answers import (
    AnswerError,
    Choice,
    Ids,
    Kind,
    Number,
    Text,
    Value,
    Vector,
    Whole,
    how,
    read,
    same,
    turned,
    written,
)

KINDS: list[Kind] = [
    Number(0.01),
    Number(0.1, True, "µs"),
    Whole(0, 10**15),
    Choice(("yes", "no way")),
    Ids(5),
    Ids(3, ordered=False),
    Vector(3, 0.01),
    Text(50),
]


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        (Number(0.1), " 12 ", 12.0),
        (Number(0.1), "-.5", -0.5),
        (Number(0.1), "\u22123.", -3.0),
        (Number(0.1), "1e3", 1000.0),
        (Number(0.1, unit="µs"), "7 µs", 7.0),
        (Whole(-5, 5), "-3", -3),
        (Whole(0, 10**9), "5,345,600", 5345600),
        (Choice(("Yes", "no")), " yes ", "Yes"),
        (Ids(9), "[2, 0, 1]", (2, 0, 1)),
        (Ids(9), "2 0;1", (2, 0, 1)),
        (Vector(3, 0.1), "(1, -2.5, 0)", (1.0, -2.5, 0.0)),
        (Vector(2, 0.1), "1\n2", (1.0, 2.0)),
        (Text(), " two\r\nlines ", "two\nlines"),
    ],
)
def test_what_a_person_writes_is_understood(kind: Kind, typed: str, value: Value) -> None:
    """A right answer would be refused for how it is written."""
    assert read(kind, typed) == value
    assert type(read(kind, typed)) is type(value)


@pytest.mark.parametrize(
    ("kind", "typed", "words"),
    [
        (Number(0.1), "", "Nothing is written yet"),
        (Number(0.1), "1,5", "'1,5' is not a number. The decimal sign is a point."),
        (Number(0.1), "nan", "'nan' is not a number"),
        (Number(0.1), "inf", "'inf' is not a number"),
        (Number(0.1), "1e999", "'1e999' is too large"),
        (Number(0.1), "1_000", "'1_000' is not a number"),
        (Number(0.1), "0x10", "'0x10' is not a number"),
        (Number(0.1), "١٢", "'١٢' is not a number"),
        (Number(0.1), "9" * 401, "401 characters are more than the 400"),
        (Whole(0, 9), "3.0", "'3.0' is not a whole number. Write a whole number from 0 to 9."),
        (Whole(0, 9), "10", "10 is out of range"),
        (Whole(0, 9), "1,5", "'1,5' is not a whole number"),
        (Whole(0, 9), "9" * 300, "is not a whole number"),
        (Choice(("yes", "no")), "perhaps", "'perhaps' is not one of: yes; no."),
        (Ids(2), "1 2 3", "3 numbers given; 1 to 2 are allowed"),
        (Ids(2), "-1", "'-1' is not an id"),
        (Ids(2), "1.5", "'1.5' is not an id"),
        (Ids(2), "[]", "0 numbers given"),
        (Vector(3, 0.1), "1 2", "'1 2' has 2 numbers; 3 are asked for"),
        (Vector(2, 0.1), "1 x", "'x' is not a number"),
        (Vector(2, 0.1), "nan nan", "'nan' is not a number"),
        (Text(5), "too long", "8 characters are more than the 5"),
        (Text(5), "  \n ", "Nothing is written yet"),
    ],
)
def test_what_cannot_be_read_is_quoted_and_explained(kind: Kind, typed: str, words: str) -> None:
    """A student would not know what to write instead."""
    with pytest.raises(AnswerError) as refusal:
        read(kind, typed)
    assert words in str(refusal.value)


@given(st.sampled_from(KINDS), st.text(max_size=500))
@settings(deadline=None)
def test_any_text_is_an_answer_or_a_refusal(kind: Kind, typed: str) -> None:
    """A strange answer would bring the page or the grading down."""
    refusal = ""
    try:
        value = read(kind, typed)
    except AnswerError as error:
        refusal = str(error)
    assert len(refusal) < 400
    assert refusal or same(kind, value, value)


@given(
    st.one_of(
        st.integers(0, 10**15),
        st.floats(-1e9, 1e9),
        st.tuples(st.floats(-99, 99), st.floats(-99, 99)),
    )
)
@settings(deadline=None)
def test_what_is_written_can_be_read_again(value: Value) -> None:
    """A teacher's answer sheet would hold what the page refuses."""
    kind: Kind = Number(1e-5, relative=True)
    if isinstance(value, int):
        kind = Whole(0, 10**15)
    elif isinstance(value, tuple):
        kind = Vector(2, 0.001)
    assert same(kind, read(kind, written(value)), value)


@pytest.mark.parametrize(
    ("kind", "value", "solution", "counts"),
    [
        (Number(0.1), 1.05, 1.0, True),
        (Number(0.1), 1.2, 1.0, False),
        (Number(0.1, relative=True), 105.0, 100.0, True),
        (Number(0.1, relative=True), -100.0, 100.0, False),
        (Vector(2, 0.1), (1.0, 2.05), (1.0, 2.0), True),
        (Vector(2, 0.1), (1.0, 2.2), (1.0, 2.0), False),
        (Vector(2, 0.1), (1.0,), (1.0, 2.0), False),
        (Ids(3), (1, 2), (2, 1), False),
        (Ids(3, ordered=False), (2, 1, 1), (1, 2), True),
        (Whole(0, 9), 3, 3, True),
        (Choice(("a", "b")), "a", "b", False),
    ],
)
def test_tolerances_are_kept(kind: Kind, value: Value, solution: Value, counts: bool) -> None:
    """A wrong answer would pass, or a right one with another rounding fail."""
    assert same(kind, value, solution) is counts


def test_every_kind_says_how_it_is_written() -> None:
    """A field would stand there without a word."""
    assert all(how(kind).endswith(".") for kind in KINDS)


def test_turning_the_choices_loses_none() -> None:
    """The right choice could be missing for some students."""
    options = ["a", "b", "c"]
    found = {turned(options, turn).options for turn in range(7)}
    assert len(found) == 3
    assert all(sorted(one) == options for one in found)
