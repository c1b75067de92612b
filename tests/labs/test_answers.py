import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.answers import (
    AnswerError,
    Choice,
    Ids,
    Integer,
    Kind,
    Number,
    Value,
    Vector,
    rotated,
    written,
)

KINDS: list[Kind] = [
    Number(0.01),
    Number(0.1, True),
    Integer(0, 10**15),
    Choice(("yes", "no way")),
    Ids(5),
    Ids(3, ordered=False),
    Vector(3, 0.01),
]


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        (Number(0.1), " 12 ", 12.0),
        (Number(0.1), "-.5", -0.5),
        (Number(0.1), "\u22123.", -3.0),
        (Number(0.1), "1e3", 1000.0),
        (Integer(-5, 5), "-3", -3),
        (Integer(0, 10**9), "5,345,600", 5345600),
        (Choice(("Yes", "no")), " yes ", "Yes"),
        (Ids(9), "[2, 0, 1]", (2, 0, 1)),
        (Ids(9), "2 0;1", (2, 0, 1)),
        (Vector(3, 0.1), "(1, -2.5, 0)", (1.0, -2.5, 0.0)),
        (Vector(2, 0.1), "1\n2", (1.0, 2.0)),
    ],
)
def test_all_usual_spellings_are_read(kind: Kind, typed: str, value: Value) -> None:
    """An answer is accepted in every usual spelling."""
    assert kind.read(typed) == value
    assert type(kind.read(typed)) is type(value)


@pytest.mark.parametrize(
    ("kind", "typed", "words"),
    [
        (Number(0.1), "", "Nothing is written yet"),
        (Number(0.1), "1,5", "'1,5' is not a number. The decimal sign is a point."),
        (Number(0.1), "nan", "'nan' is not a number"),
        (Number(0.1), "1e999", "'1e999' is too large"),
        (Number(0.1), "1_000", "'1_000' is not a number"),
        (Number(0.1), "١٢", "'١٢' is not a number"),
        (Number(0.1), "9" * 101, "101 characters are more than the 100"),
        (Integer(0, 9), "3.0", "'3.0' is not a whole number. Write a whole number from 0 to 9."),
        (Integer(0, 9), "10", "10 is out of range"),
        (Integer(0, 9), "1,5", "'1,5' is not a whole number"),
        (Integer(0, 9), "9" * 99, "is not a whole number"),
        (Choice(("yes", "no")), "perhaps", "'perhaps' is not one of: yes; no."),
        (Ids(2), "1 2 3", "3 numbers given; 1 to 2 are allowed"),
        (Ids(2), "-1", "'-1' is not an id"),
        (Ids(2), "1.5", "'1.5' is not an id"),
        (Ids(2), "[]", "0 numbers given"),
        (Vector(3, 0.1), "1 2", "'1 2' has 2 numbers; 3 are asked for"),
        (Vector(2, 0.1), "1 x", "'x' is not a number"),
    ],
)
def test_an_unreadable_answer_is_quoted_and_explained(kind: Kind, typed: str, words: str) -> None:
    """A refusal quotes the answer and says what is allowed."""
    with pytest.raises(AnswerError) as refusal:
        kind.read(typed)
    assert words in str(refusal.value)


@given(st.sampled_from(KINDS), st.text(max_size=500))
@settings(deadline=None)
def test_any_text_is_an_answer_or_a_refusal(kind: Kind, typed: str) -> None:
    """Any text gives a value or an AnswerError, nothing else."""
    refusal = ""
    try:
        value = kind.read(typed)
    except AnswerError as error:
        refusal = str(error)
    assert len(refusal) < 400
    assert refusal or kind.same(value, value)


@given(
    st.one_of(
        st.integers(0, 10**15),
        st.floats(-1e9, 1e9),
        st.tuples(st.floats(-99, 99), st.floats(-99, 99)),
    )
)
@settings(deadline=None)
def test_a_written_value_is_read_back(value: Value) -> None:
    """A value that `written` shows is read back as the same answer."""
    kind: Kind = Number(1e-5, relative=True)
    if isinstance(value, int):
        kind = Integer(0, 10**15)
    elif isinstance(value, tuple):
        kind = Vector(2, 0.001)
    assert kind.same(kind.read(written(value)), value)


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
        (Integer(0, 9), 3, 3, True),
        (Choice(("a", "b")), "a", "b", False),
    ],
)
def test_tolerances_are_kept(kind: Kind, value: Value, solution: Value, counts: bool) -> None:
    """A value counts as the solution exactly within the tolerance."""
    assert kind.same(value, solution) is counts


def test_rotating_the_options_loses_none() -> None:
    """Every rotation has all options."""
    options = ["a", "b", "c"]
    found = {rotated(options, start).options for start in range(7)}
    assert len(found) == 3
    assert all(sorted(one) == options for one in found)
